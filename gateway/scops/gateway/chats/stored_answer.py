"""What of an answer is kept: what it said and what it rested on, without the texts of passages.

The texts stand in the archive by version, and in the evidence bundle, which is kept beside the
answer while it is small. A purge takes the words of its pages out of both.
"""

import zlib
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from scops.common.contract import wire
from scops.common.contract.ids import PageId
from scops.common.contract.messages.explanation import AnswerResponse, Citation, Gap
from scops.common.contract.messages.retrieval import Evidence

# As they are stored; a bundle beyond it is left out, and its answer is explained no more.
BUNDLE_BYTES_MAX = 128 * 1024
LEVEL = 6


def stored_answer(answer: AnswerResponse) -> AnswerResponse:
    """Returns an answer without the texts of passages and without explanations."""
    evidence = tuple(replace(passage, text="", mirrors=()) for passage in answer.evidence)
    return replace(answer, evidence=evidence, explanation=None)


def packed(answer: AnswerResponse) -> tuple[bytes, bytes]:
    """Returns the bytes of an answer and those of its bundle, empty where that is too large."""
    bundle = zlib.compress(answer.bundle, LEVEL) if answer.bundle else b""
    words = zlib.compress(wire.encode(replace(answer, bundle=b"")), LEVEL)
    return words, bundle if len(bundle) <= BUNDLE_BYTES_MAX else b""


def unpacked(words: bytes, bundle: bytes) -> AnswerResponse:
    """Returns the answer of some bytes."""
    answer = wire.decode(AnswerResponse, zlib.decompress(words))
    return replace(answer, bundle=zlib.decompress(bundle)) if bundle else answer


def pages_of(answer: AnswerResponse) -> frozenset[PageId]:
    """Returns the pages whose words an answer holds."""
    return frozenset(one.page_id for one in shown_of(answer))


def shown_of(answer: AnswerResponse) -> tuple[Citation | Evidence, ...]:
    """Returns everything in an answer that is of one page."""
    return (*answer.citations, *answer.evidence)


def without_words(
    answer: AnswerResponse, page_ids: Collection[PageId], *, before: datetime
) -> AnswerResponse:
    """Returns an answer without what some pages said before an instant.

    Of a citation its page, version, offsets and digest remain; of a statement that rests on one
    only that there was one.
    """

    def is_meant(one: Citation | Evidence) -> bool:
        seen = one.clocks.verified_time or one.clocks.observed_time
        return one.page_id in page_ids and seen < before

    meant = {one.number for one in answer.citations if is_meant(one)}
    urls = {one.canonical_url for one in shown_of(answer) if is_meant(one)}
    if not urls:
        return answer
    return replace(
        answer,
        statements=tuple(
            replace(one, text="", highlight=None)
            if meant.intersection(one.citation_numbers)
            else one
            for one in answer.statements
        ),
        citations=tuple(_tombstone(one) if is_meant(one) else one for one in answer.citations),
        evidence=tuple(_wordless(one) if is_meant(one) else one for one in answer.evidence),
        gaps=_other_gaps(answer.gaps, urls),
        bundle=b"",
    )


def _tombstone(citation: Citation) -> Citation:
    return replace(
        citation,
        title="",
        section_path=(),
        quote="",
        prefix="",
        suffix="",
        # It opens the page at the quote, by its words.
        fragment_url=citation.canonical_url,
    )


def _wordless(passage: Evidence) -> Evidence:
    return replace(
        passage, text="", title="", section_path=(), graph_path=(), time_match=None, mirrors=()
    )


def _other_gaps(gaps: Sequence[Gap], urls: Collection[str]) -> tuple[Gap, ...]:
    return tuple(gap for gap in gaps if gap.canonical_url not in urls)
