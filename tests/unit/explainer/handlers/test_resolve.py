"""`Resolve`: where the spans of stored citations stand by now."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.ids import PageId, VersionId, sha256_hex
from scops.common.contract.messages.change import (
    DiffHunk,
    DiffKind,
    DiffPart,
    DiffRequest,
    DiffResponse,
    HistoryEntry,
    HistoryRequest,
    HistoryResponse,
)
from scops.common.contract.messages.explanation import (
    Anchor,
    Citation,
    ResolvedCitation,
    ResolveRequest,
)
from scops.common.contract.messages.types import BodyRef, Clocks, OrderKey
from scops.common.query.ports import DIFF, HISTORY
from scops.explainer.handlers.resolve import NOT_KEPT, NOT_VERBATIM, resolve
from tests.fakes.clock import START
from tests.fakes.worlds.explainer import ABSENT, Explaining, stored
from tests.fakes.worlds.indexed_pages import page_of

PAGE = PageId("page")
URL = "https://docs.example.org/fees"
FEE = "The fee is 14 euros."
TEXTS = (
    ("Fees", FEE, "It is due in May.", "End"),
    ("News", "Fees", FEE, "It is due in June.", "End"),
    ("News", "Fees", "The fee is 17 euros.", "It is due in June.", "End"),
)
DAY = timedelta(days=1)


@dataclass
class _Page:
    """A page with versions a day apart, the change-detector scripted."""

    world: Explaining
    versions: list[HistoryEntry] = field(default_factory=list)
    closed: bool = False
    at_once: int = 500
    diffs: list[DiffRequest] = field(default_factory=list)

    @classmethod
    async def create(cls, *texts: tuple[str, ...]) -> "_Page":
        page = cls(Explaining.create())
        for day, text in enumerate(texts):
            digest = await stored(page.world.archive, page_of(URL, *text))
            entry = HistoryEntry(
                version_id=VersionId(f"v{day}"),
                order_key=OrderKey(observed_from=START + day * DAY),
                last_verified_time=START + day * DAY + DAY / 2,
                changed_after_time=START + day * DAY - DAY / 2 if day else None,
                manifest=BodyRef(digest=digest),
            )
            page.versions.insert(0, entry)
        page.world.queries.answers[HISTORY.name] = page._history
        page.world.queries.answers[DIFF.name] = page._diff
        return page

    async def resolve(self, *citations: Citation) -> tuple[ResolvedCitation, ...]:
        return (await resolve(ResolveRequest(citations=citations), self.world.ports)).citations

    def _history(self, request: HistoryRequest) -> HistoryResponse:
        closed = START + 9 * DAY if self.closed else None
        before = request.before.observed_from if request.before else START + 99 * DAY
        versions = [v for v in self.versions if v.order_key.observed_from < before]
        return HistoryResponse(
            versions=tuple(versions[: self.at_once]),
            truncated=len(versions) > self.at_once,
            closed=self.closed,
            closed_reason="gone" if self.closed else "",
            closed_time=closed,
        )

    def _diff(self, request: DiffRequest) -> DiffResponse:
        self.diffs.append(request)
        start = "\n\n".join(TEXTS[1]).index("14")
        return DiffResponse(
            hunks=(
                DiffHunk(from_start=0, parts=(DiffPart(kind=DiffKind.DELETE, text="New"),)),
                DiffHunk(from_start=start, parts=(DiffPart(kind=DiffKind.DELETE, text="14"),)),
            )
        )


def _citation(quote: str = FEE, version: int = 0, **changed: Any) -> Citation:
    start = "\n\n".join(TEXTS[version]).index(quote)
    citation = Citation(
        number=1,
        page_id=PAGE,
        version_id=VersionId(f"v{version}"),
        canonical_url=URL,
        start=start,
        end=start + len(quote),
        quote=quote,
        quote_digest=sha256_hex(quote.encode()),
        clocks=Clocks(observed_time=START),
    )
    return replace(citation, **changed)


async def test_span_that_stands_is_the_same_at_its_new_offsets() -> None:
    """What was put before it only shifts it."""
    page = await _Page.create(*TEXTS[:2])
    (resolved,) = await page.resolve(_citation())

    assert (Anchor.SAME, True, "") == (resolved.anchor, resolved.verbatim, resolved.reason)
    assert resolved.head_start is not None
    head = "\n\n".join(TEXTS[1])
    assert FEE == head[resolved.head_start : resolved.head_end]
    assert VersionId("v1") == resolved.head_version_id


async def test_changed_span_is_superseded_with_when_and_diff() -> None:
    """The first version without it, the last sight of it, and the hunk that touches it."""
    page = await _Page.create(*TEXTS)
    (resolved,) = await page.resolve(_citation())

    assert (Anchor.SUPERSEDED, True) == (resolved.anchor, resolved.verbatim)
    assert (START + 2 * DAY, START + 1.5 * DAY) == (
        resolved.superseded_time,
        resolved.stood_until_time,
    )
    assert ["v1", "v2"] == [page.diffs[0].from_version, page.diffs[0].to_version]
    assert ["14"] == [part.text for hunk in resolved.diff for part in hunk.parts]


async def test_span_of_a_page_that_is_gone_is_superseded() -> None:
    """Nobody can read it there any more; its text is still ours."""
    page = await _Page.create(TEXTS[0])
    page.closed = True
    (resolved,) = await page.resolve(_citation())

    assert (Anchor.SUPERSEDED, True, True) == (
        resolved.anchor,
        resolved.verbatim,
        resolved.page_closed,
    )
    assert START + 9 * DAY == resolved.superseded_time


async def test_version_that_is_not_kept_is_a_tombstone() -> None:
    """Quote and hash remain; no other text takes their place."""
    page = await _Page.create(*TEXTS)
    page.versions.pop()
    cited = _citation()
    (resolved,) = await page.resolve(cited)

    assert (Anchor.TOMBSTONE, NOT_KEPT) == (resolved.anchor, resolved.reason)
    assert (cited.quote, cited.quote_digest) == (resolved.quote, resolved.quote_digest)
    assert (resolved.head_start, ()) == (None, resolved.diff)


async def test_version_whose_text_was_purged_is_a_tombstone() -> None:
    """The row may outlive its blobs."""
    page = await _Page.create(*TEXTS)
    page.versions[-1] = replace(page.versions[-1], manifest=ABSENT)
    (resolved,) = await page.resolve(_citation())

    assert Anchor.TOMBSTONE == resolved.anchor


async def test_unknown_page_is_a_tombstone() -> None:
    """A page whose history is gone keeps nothing."""
    page = await _Page.create(TEXTS[0])

    def unknown(request: HistoryRequest) -> HistoryResponse:
        raise NotFound("No version of the page is recorded.")

    page.world.queries.answers[HISTORY.name] = unknown

    assert [Anchor.TOMBSTONE] == [entry.anchor for entry in await page.resolve(_citation())]


@pytest.mark.parametrize(
    "changed",
    [
        {"quote": "The fee is 15 euros."},
        {"start": 0, "end": 4},
        {"quote_digest": "0" * 64},
        {"start": -5},
        {"end": 99_999},
    ],
)
async def test_forged_citation_is_not_verbatim(changed: dict[str, Any]) -> None:
    """What the version does not show at these offsets is resolved to nothing."""
    page = await _Page.create(*TEXTS)
    (resolved,) = await page.resolve(replace(_citation(), **changed))

    assert (Anchor.UNSPECIFIED, False) == (resolved.anchor, resolved.verbatim)
    assert NOT_VERBATIM == resolved.reason


async def test_citation_resolves_however_many_versions_came_after_it() -> None:
    """The history is read on, a reply at a time, until it holds the cited version."""
    page = await _Page.create(*TEXTS)
    page.at_once = 1
    (resolved,) = await page.resolve(_citation())

    assert (Anchor.SUPERSEDED, True) == (resolved.anchor, resolved.verbatim)
    assert page.versions[0].version_id == resolved.head_version_id


async def test_version_of_no_history_is_a_tombstone_after_the_whole_history() -> None:
    """Only the end of the history proves that a version is not kept."""
    page = await _Page.create(*TEXTS)
    page.at_once = 1
    (resolved,) = await page.resolve(replace(_citation(), version_id=VersionId("other")))

    assert (Anchor.TOMBSTONE, NOT_KEPT) == (resolved.anchor, resolved.reason)
    assert 3 == sum(isinstance(request, HistoryRequest) for request in page.world.queries.asked)


async def test_history_is_asked_once_a_page() -> None:
    """Many citations of one page cost one question."""
    page = await _Page.create(*TEXTS[:2])
    resolved = await page.resolve(_citation(), _citation("It is due in May."), _citation())

    assert 1 == sum(isinstance(request, HistoryRequest) for request in page.world.queries.asked)
    assert [Anchor.SAME, Anchor.SUPERSEDED, Anchor.SAME] == [entry.anchor for entry in resolved]


async def test_too_many_citations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of one call is bounded."""
    monkeypatch.setattr("scops.explainer.handlers.resolve.CITATIONS_MAX", 1)
    page = await _Page.create(TEXTS[0])
    with pytest.raises(InvalidInput, match="at most 1"):
        await page.resolve(_citation(), _citation())
