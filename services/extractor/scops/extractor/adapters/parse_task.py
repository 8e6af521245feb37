"""The task of a parsing process: a body and its fetch in, an extraction out."""

from scops.common.processes.tasks import Parts
from scops.extractor.adapters.extraction_codec import read_request, result_parts
from scops.extractor.extraction import extract, pack


def parse(parts: Parts) -> Parts:
    """Returns the extraction of a body, packed."""
    body, fetched = read_request(parts)
    return result_parts(pack(extract(body, fetched)))
