"""The task of a parsing process: a body and its fetch in, an extraction out."""

from scops.common.contract.messages.crawl import PageFetched
from scops.common.processes.tasks import Parts
from scops.common.scope.contexts import is_credential_context
from scops.extractor.adapters.extraction_codec import read_request, result_parts
from scops.extractor.extraction import extract, pack
from scops.extractor.imported import read_imported
from scops.extractor.ocr import Ocr
from scops.extractor.ports import PackedExtraction


def parse(parts: Parts) -> Parts:
    """Returns the extraction of a body, packed."""
    body, fetched, ocr = read_request(parts)
    return result_parts(packed(body, fetched, ocr))


def packed(body: bytes, fetched: PageFetched, ocr: Ocr | None = None) -> PackedExtraction:
    """Returns what a body holds, or what another installation had extracted."""
    if fetched.imported:
        return pack(read_imported(body))
    # `noindex` keeps pages out of what everybody searches: who captures a page has it before their
    # eyes, and what a credential fetches is read by those alone whose scope has it.
    is_own = bool(fetched.captured_by) or is_credential_context(fetched.access_context)
    return pack(extract(body, fetched, keep_noindex=is_own, ocr=ocr))
