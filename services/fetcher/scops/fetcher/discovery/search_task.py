"""The task of a child process: a site's search index and a question in, the pages it finds out.

An llms.txt is read as such an index.

An index is written by strangers, as a listing is: its process has little more memory while it
reads, and may be killed.
"""

from scops.common.contract.errors import InvalidInput
from scops.common.processes.tasks import Parts
from scops.fetcher.discovery.child_memory import more_memory_at_most
from scops.fetcher.discovery.llms_txt import is_llms_txt, recommended_hits
from scops.fetcher.discovery.mkdocs_index import MKDOCS_INDEX, read_mkdocs
from scops.fetcher.discovery.search_index import (
    SearchIndex,
    not_read,
    packed,
    question_words,
    ranked,
)
from scops.fetcher.discovery.sphinx_index import SPHINX_INDEX, read_sphinx

MEMORY_BYTES = 256 * 1024 * 1024
"""That reading may take beside what its process holds."""

HITS_MAX = 300
FOUND, REFUSED = b"found", b"refused"


def search(parts: Parts) -> Parts:
    """Returns what an index finds, or why it finds nothing.

    Args:
        parts: its URL, which says what it is; the question; URLs of the site, a line each; and its
            body.

    Raises:
        MemoryError: it needs more than `MEMORY_BYTES`.
    """
    with more_memory_at_most(MEMORY_BYTES):
        return answer(parts)


def answer(parts: Parts) -> Parts:
    """Does the task, whatever it takes."""
    url, question, seen = (part.decode() for part in parts[:3])
    if is_llms_txt(url):
        hits = recommended_hits(parts[3], base=url, question=question, limit=HITS_MAX)
        return (FOUND, packed(hits))
    try:
        index = _index(url, parts[3], question, frozenset(seen.split()))
    except InvalidInput as error:
        return (REFUSED, error.message.encode())
    return (FOUND, packed(ranked(index, question, limit=HITS_MAX)))


def _index(url: str, body: bytes, question: str, seen: frozenset[str]) -> SearchIndex:
    if url.endswith(f"/{SPHINX_INDEX}"):
        return read_sphinx(body, url=url, seen=seen)
    if url.endswith(f"/{MKDOCS_INDEX}"):
        return read_mkdocs(body, url=url, wanted=question_words(question))
    raise not_read("nobody knows its form by its name")
