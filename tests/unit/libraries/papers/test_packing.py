"""A paper that one service tells another is the same there."""

import zlib

import pytest

from scops.libraries.papers.merging import merged_papers
from scops.libraries.papers.packing import BYTES_MAX, packed, unpacked
from scops.libraries.papers.record import (
    PDF,
    RETRACTION,
    PaperLocation,
    PaperNotice,
    RelatedPaper,
)
from tests.unit.standalone.commands.papers.builders import record


def test_paper_is_unpacked_as_it_was() -> None:
    """With all that each service says, and why its records are of one paper."""
    place = PaperLocation(url="https://a.test/p.pdf", kind=PDF, licence="cc-by", said_by="openalex")
    notice = PaperNotice(RETRACTION, doi="10.1000/n", said_by="crossref")
    other = record("openalex", locations=(place,), related=(RelatedPaper("preprint_of", "10.1/p"),))
    (paper,) = merged_papers([record(notices=(notice,), retracted=True, abstract="ü" * 900), other])

    assert paper == unpacked(packed(paper))


def test_what_is_packed_is_unpacked() -> None:
    """However little a long text takes, one that is longer than is read is not told."""
    (most,) = merged_papers([record(abstract="a" * (BYTES_MAX - 2000))])
    (more,) = merged_papers([record(abstract="a" * BYTES_MAX)])

    assert most == unpacked(packed(most))
    with pytest.raises(ValueError, match="are told at most"):
        packed(more)


@pytest.mark.parametrize("data", [b"", b"x", zlib.compress(b'[{"record": {}}]')])
def test_what_is_no_paper_is_refused(data: bytes) -> None:
    """Whatever is wrong with it."""
    with pytest.raises(ValueError, match=r"."):
        unpacked(data)
