"""Answers `Resolve`: where the spans of stored citations stand by now.

A citation resolves to its exact text or to a tombstone, never to other text (invariant 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from scops.common.contract.errors import BlobMissing, InvalidInput, NotFound
from scops.common.contract.ids import PageId, sha256_hex
from scops.common.contract.messages.change import (
    DiffHunk,
    DiffKind,
    DiffRequest,
    HistoryEntry,
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
from scops.explainer import metrics
from scops.explainer.answer.lineage import diff_hunks
from scops.explainer.citations.anchors import AnchorMatch, Span, find_again
from scops.explainer.citations.page_history import history_to, longer_history
from scops.explainer.ports import ExplainerPorts

# Of one call.
CITATIONS_MAX = 50
RESOLVE_SECONDS = 10.0
NOT_KEPT = "The cited version is not kept any more; its quote and hash remain."
DROPPED = "The cited version is {why}{day} and not kept; its quote and hash remain."
NOT_VERBATIM = "The cited version does not show this quote at these offsets."
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

    async def history(self, citation: Citation) -> HistoryResponse | None:
        """Returns a page's versions back to the cited one; None where the page is unknown."""
        page_id, client = citation.page_id, self.ports.query_client
        try:
            if page_id not in self.histories:
                self.histories[page_id] = await history_to(
                    page_id, citation.version_id, client, deadline=self.deadline
                )
            known = self.histories[page_id]
            if known is not None:
                self.histories[page_id] = await longer_history(
                    page_id, known, citation.version_id, client, deadline=self.deadline
                )
        except NotFound:
            self.histories[page_id] = None
        return self.histories[page_id]

    async def text(self, version: HistoryEntry) -> str:
        return (await self.ports.texts.get(version.manifest.digest)).text

    async def find(self, text: str, span: Span, version: HistoryEntry) -> AnchorMatch | None:
        """Returns where another version shows a span of a text; None where it does not."""
        other = await self.text(version)
        if text == other:
            return AnchorMatch(Anchor.SAME, *span)
        characters = len(text) + len(other)
        return await self.ports.compute(find_again, text, span, other, characters=characters)


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
    history = await asked.history(citation)
    versions = history.versions if history else ()
    place = next((i for i, one in enumerate(versions) if one.version_id == citation.version_id), -1)
    if history is None or place < 0:
        return _outcome(citation, Anchor.TOMBSTONE, NOT_KEPT)
    cited = versions[place]
    if cited.dropped_reason:
        day = f" since {cited.dropped_time.date().isoformat()}" if cited.dropped_time else ""
        reason = DROPPED.format(why=cited.dropped_reason, day=day)
        return _outcome(citation, Anchor.TOMBSTONE, reason)
    try:
        text = await asked.text(cited)
    except BlobMissing:
        return _outcome(citation, Anchor.TOMBSTONE, NOT_KEPT)
    if not is_verbatim(citation, text):
        return _outcome(citation, Anchor.UNSPECIFIED, NOT_VERBATIM)
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
    newest = history.versions[0]
    if history.closed:
        reason = GONE.format(why=history.closed_reason or "no reason is known")
        return replace(
            _outcome(citation, Anchor.SUPERSEDED, reason),
            verbatim=True,
            head_version_id=newest.version_id,
            superseded_time=history.closed_time,
            stood_until_time=newest.last_verified_time,
            page_closed=True,
        )
    found = await asked.find(text, (citation.start, citation.end), newest)
    if found is None:
        return await _superseded(citation, text, place, history.versions, asked)
    return replace(
        _outcome(citation, found.anchor, "" if found.anchor is Anchor.SAME else MOVED),
        verbatim=True,
        head_start=found.start,
        head_end=found.end,
        head_version_id=newest.version_id,
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
        found = await asked.find(text, span, version)
        if found is None:
            first_without = version
            break
        last, last_span = version, (found.start, found.end)
    request = DiffRequest(
        page_id=citation.page_id,
        from_version=last.version_id,
        to_version=first_without.version_id,
    )
    hunks = await diff_hunks(request, asked.ports, deadline=asked.deadline)
    return replace(
        _outcome(citation, Anchor.SUPERSEDED, CHANGED),
        verbatim=True,
        head_version_id=versions[0].version_id,
        superseded_time=first_without.order_key.observed_from,
        stood_until_time=first_without.changed_after_time or last.last_verified_time,
        diff=tuple(hunk for hunk in hunks if _touches(hunk, last_span)),
    )


def _touches(hunk: DiffHunk, span: Span) -> bool:
    removed = sum(len(part.text) for part in hunk.parts if part.kind is not DiffKind.INSERT)
    return hunk.from_start < span[1] and span[0] < hunk.from_start + max(removed, 1)


def _outcome(citation: Citation, anchor: Anchor, reason: str) -> ResolvedCitation:
    """Returns what is told of a citation before anything is known of its page as it is now."""
    return ResolvedCitation(
        number=citation.number,
        page_id=citation.page_id,
        version_id=citation.version_id,
        canonical_url=citation.canonical_url,
        anchor=anchor,
        quote=citation.quote,
        quote_digest=citation.quote_digest,
        reason=reason,
    )
