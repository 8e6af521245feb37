"""Answers `Resolve`: where the spans of stored citations stand by now.

A citation resolves to its exact text or to a tombstone, never to other text (invariant 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from scops.common.contract.errors import BlobMissing, InvalidInput, NotFound, ScopsError
from scops.common.contract.ids import PageId, VersionId, sha256_hex
from scops.common.contract.messages.change import (
    DiffHunk,
    DiffKind,
    DiffRequest,
    HistoryEntry,
    HistoryRequest,
    HistoryResponse,
)
from scops.common.contract.messages.explanation import (
    Anchor,
    Citation,
    ResolvedCitation,
    ResolveRequest,
    ResolveResponse,
)
from scops.common.observe.log import get_logger
from scops.common.query.ports import DIFF, HISTORY
from scops.explainer import metrics
from scops.explainer.citations.anchors import AnchorMatch, Span, find_again
from scops.explainer.ports import ExplainerPorts

# Of one call; and the newest versions of a page among which a citation's is looked for.
CITATIONS_MAX = 50
RESOLVE_SECONDS = 10.0
VERSIONS_MAX = 500
NOT_KEPT = "The cited version is not kept any more; its quote and hash remain."
DROPPED = "The cited version is {why}{day} and not kept; its quote and hash remain."
NOT_VERBATIM = "The cited version does not show this quote at these offsets."
TOO_FAR_BACK = "The cited version is not among the newest {count} of the page."
GONE = "The page is gone: {why}."
CHANGED = "The page does not say this any more."
MOVED = "The page says this elsewhere, or set in other type."
log = get_logger("explainer")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Resolving:
    """One `Resolve` under way: histories are asked once a page."""

    deadline: datetime
    ports: ExplainerPorts
    histories: dict[PageId, HistoryResponse | None] = field(default_factory=dict)

    async def history(self, page_id: PageId) -> HistoryResponse | None:
        """Returns a page's newest versions; None where nothing of the page is known."""
        if page_id not in self.histories:
            self.histories[page_id] = await self._history(page_id)
        return self.histories[page_id]

    async def _history(self, page_id: PageId) -> HistoryResponse | None:
        request = HistoryRequest(page_id=page_id, limit=VERSIONS_MAX)
        try:
            return await self.ports.query_client.call(HISTORY, request, deadline=self.deadline)
        except NotFound:
            return None

    async def text(self, version: HistoryEntry) -> str:
        return (await self.ports.texts.get(version.manifest.digest)).text


async def resolve(request: ResolveRequest, ports: ExplainerPorts) -> ResolveResponse:
    """Returns what became of each citation, in the order asked.

    Raises:
        InvalidInput: too many citations at once.
        ScopsError: as the change-detector or the archive raised it.
    """
    if len(request.citations) > CITATIONS_MAX:
        raise InvalidInput(
            f"{len(request.citations)} citations are to be resolved; at most {CITATIONS_MAX} are "
            "at once. Ask in parts.",
            reason="TOO_MANY_CITATIONS",
            field="citations",
        )
    deadline = ports.clock.now() + timedelta(seconds=RESOLVE_SECONDS)
    asked = _Resolving(deadline=deadline, ports=ports)
    resolved = [await _resolved(citation, asked) for citation in request.citations]
    for entry in resolved:
        metrics.RESOLVED.labels(entry.anchor.value).inc()
    return ResolveResponse(citations=tuple(resolved))


async def _resolved(citation: Citation, asked: _Resolving) -> ResolvedCitation:
    history = await asked.history(citation.page_id)
    if history is None or not history.versions:
        return _answer(citation, anchor=Anchor.TOMBSTONE, reason=NOT_KEPT)
    place = _place(history.versions, citation)
    if place is None:
        count = len(history.versions)
        if count < VERSIONS_MAX:
            return _answer(citation, anchor=Anchor.TOMBSTONE, reason=NOT_KEPT)
        return _answer(citation, anchor=Anchor.UNSPECIFIED, reason=TOO_FAR_BACK.format(count=count))
    cited = history.versions[place]
    if cited.dropped_reason:
        day = f" since {cited.dropped_time.date().isoformat()}" if cited.dropped_time else ""
        reason = DROPPED.format(why=cited.dropped_reason, day=day)
        return _answer(citation, anchor=Anchor.TOMBSTONE, reason=reason)
    try:
        text = await asked.text(cited)
    except BlobMissing:
        return _answer(citation, anchor=Anchor.TOMBSTONE, reason=NOT_KEPT)
    if not is_verbatim(citation, text):
        return _answer(citation, anchor=Anchor.UNSPECIFIED, reason=NOT_VERBATIM)
    return await _anchored(citation, text, place, history, asked)


def is_verbatim(citation: Citation, text: str) -> bool:
    """Returns whether a text shows the quote at its offsets, with the right hash."""
    return (
        0 <= citation.start < citation.end
        and text[citation.start : citation.end] == citation.quote
        and sha256_hex(citation.quote.encode()) == citation.quote_digest
    )


async def _anchored(
    citation: Citation, text: str, place: int, history: HistoryResponse, asked: _Resolving
) -> ResolvedCitation:
    """Looks for the span in the newest version, and where it is not, when it went."""
    versions = history.versions
    if history.closed:
        return _answer(
            citation,
            anchor=Anchor.SUPERSEDED,
            verbatim=True,
            reason=GONE.format(why=history.closed_reason or "no reason is known"),
            superseded_time=history.closed_time,
            stood_until_time=versions[0].last_verified_time,
            page_closed=True,
            head=versions[0],
        )
    found = find_again(text, (citation.start, citation.end), await asked.text(versions[0]))
    if found is None:
        return await _superseded(citation, text, place, versions, asked)
    return _answer(
        citation,
        anchor=found.anchor,
        verbatim=True,
        reason="" if found.anchor is Anchor.SAME else MOVED,
        found=found,
        head=versions[0],
    )


async def _superseded(
    citation: Citation,
    text: str,
    place: int,
    versions: Sequence[HistoryEntry],
    asked: _Resolving,
) -> ResolvedCitation:
    """Walks from the cited version to the first one that does not show the span."""
    span: Span = (citation.start, citation.end)
    last, last_span = versions[place], span
    first_without = versions[0]
    for version in reversed([v for v in versions[:place] if not v.dropped_reason]):
        found = find_again(text, span, await asked.text(version))
        if found is None:
            first_without = version
            break
        last, last_span = version, (found.start, found.end)
    return _answer(
        citation,
        anchor=Anchor.SUPERSEDED,
        verbatim=True,
        reason=CHANGED,
        superseded_time=first_without.order_key.observed_from,
        stood_until_time=first_without.changed_after_time or last.last_verified_time,
        diff=await _diff(citation.page_id, last, first_without, last_span, asked),
        head=versions[0],
    )


async def _diff(
    page_id: PageId, last: HistoryEntry, without: HistoryEntry, span: Span, asked: _Resolving
) -> tuple[DiffHunk, ...]:
    """Returns the hunks that touch the span; none where the change-detector does not answer."""
    request = DiffRequest(
        page_id=page_id, from_version=last.version_id, to_version=without.version_id
    )
    try:
        diff = await asked.ports.query_client.call(DIFF, request, deadline=asked.deadline)
    except ScopsError as error:
        log.warning("diff_missing", page_id=page_id, detail=error.message)
        return ()
    return tuple(hunk for hunk in diff.hunks if _touches(hunk, span))


def _touches(hunk: DiffHunk, span: Span) -> bool:
    removed = sum(len(part.text) for part in hunk.parts if part.kind is not DiffKind.INSERT)
    return hunk.from_start < span[1] and span[0] < hunk.from_start + max(removed, 1)


def _place(versions: Sequence[HistoryEntry], citation: Citation) -> int | None:
    ids = [version.version_id for version in versions]
    return ids.index(citation.version_id) if citation.version_id in ids else None


def _answer(
    citation: Citation,
    *,
    anchor: Anchor,
    reason: str,
    verbatim: bool = False,
    found: AnchorMatch | None = None,
    head: HistoryEntry | None = None,
    superseded_time: datetime | None = None,
    stood_until_time: datetime | None = None,
    diff: tuple[DiffHunk, ...] = (),
    page_closed: bool = False,
) -> ResolvedCitation:
    return ResolvedCitation(
        number=citation.number,
        page_id=citation.page_id,
        version_id=citation.version_id,
        canonical_url=citation.canonical_url,
        anchor=anchor,
        verbatim=verbatim,
        quote=citation.quote,
        quote_digest=citation.quote_digest,
        head_start=found.start if found else None,
        head_end=found.end if found else None,
        head_version_id=head.version_id if head else VersionId(""),
        superseded_time=superseded_time,
        stood_until_time=stood_until_time,
        diff=diff,
        reason=reason,
        page_closed=page_closed,
    )
