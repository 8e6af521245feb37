"""The last look at what leaves: every page is matched again by rules and access contexts.

A store narrows by a filter that shares no code with this, so a mistake there shows here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from scops.common.contract.ids import PageId
from scops.common.contract.messages.explanation import (
    AnswerResponse,
    Citation,
    ExplainResponse,
    Gap,
    PassageExplanation,
)
from scops.common.contract.messages.retrieval import Evidence, Mirror, ScopeMatch
from scops.common.contract.messages.types import Scope
from scops.common.scope.contexts import fetched_in, holds
from scops.common.text.remarks import SENTENCES, RemarkCode, remark
from scops.gateway.purges.purge import Purge

SOMETHING_DROPPED = SENTENCES[RemarkCode.SCOPES_CHANGED]
SCOPES_CHANGED = (remark(RemarkCode.SCOPES_CHANGED),)
T = TypeVar("T", Evidence, PassageExplanation)
Shown = Evidence | PassageExplanation | Citation | Gap | Mirror


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePostcheck:
    """The scopes that a call asked for, as they were then and as they are now.

    Attributes:
        asked: as they were sent with the question.
        newest: those of them that the caller may see now.
        purges: those that are under way.
    """

    asked: tuple[Scope, ...]
    newest: tuple[Scope, ...]
    purges: tuple[Purge, ...] = ()

    def lets_out(self, item: Shown) -> bool:
        """Returns whether something of a page may leave: admitted, and not being purged."""
        return self.admits(item) and not self._is_purged(item)

    def _is_purged(self, item: Shown) -> bool:
        clocks = getattr(item, "clocks", None)
        seen = clocks and (clocks.verified_time or clocks.observed_time)
        page_id, url = PageId(getattr(item, "page_id", "")), item.canonical_url
        return any(purge.covers(page_id, url, observed=seen) for purge in self.purges)

    def admits(self, shown: Shown) -> bool:
        """Returns whether a page may leave: the newest rules and contexts decide."""
        return _is_held(shown, self.newest)

    def is_leak(self, shown: Shown) -> bool:
        """Returns whether a page should never have come back, by any scope we sent or hold.

        A page that a rule removed while the question was under way is dropped and is no leak.
        """
        return not self.admits(shown) and not _is_held(shown, self.asked)

    def matches(self, matches: Sequence[ScopeMatch]) -> tuple[ScopeMatch, ...]:
        """Returns the matches of scopes that were asked for and are still visible."""
        ids = {scope.scope_id for scope in self.newest}
        return tuple(match for match in matches if match.scope_id in ids)


def checked_evidence(
    evidence: Sequence[Evidence], postcheck: RulePostcheck
) -> tuple[tuple[Evidence, ...], int]:
    """Returns the passages that may leave, and how many leaks were dropped."""
    kept = tuple(
        replace(item, mirrors=_admitted_mirrors(item, postcheck))
        for item in _admitted(evidence, postcheck)
    )
    return kept, sum(postcheck.is_leak(item) for item in evidence)


def checked_explanation(explanation: ExplainResponse, postcheck: RulePostcheck) -> ExplainResponse:
    """Returns the explanations of passages that may leave.

    The rationale tells of all of them, so it stays only where all stay.
    """
    kept = _admitted(explanation.passages, postcheck)
    whole = len(kept) == len(explanation.passages)
    return replace(explanation, passages=kept, rationale=explanation.rationale if whole else "")


def checked_answer(answer: AnswerResponse, postcheck: RulePostcheck) -> tuple[AnswerResponse, int]:
    """Returns an answer without what may not leave, and how many leaks were dropped.

    A statement whose citation is dropped goes with it: it quotes that page. What tells of all
    pages at once (a statement without citation, the bundle, the words on freshness) stays only
    where nothing was dropped.
    """
    evidence, leaks = checked_evidence(answer.evidence, postcheck)
    citations = tuple(item for item in answer.citations if postcheck.lets_out(item))
    leaks += sum(postcheck.is_leak(item) for item in answer.citations)
    whole = len(evidence) == len(answer.evidence) and len(citations) == len(answer.citations)
    numbers = {citation.number for citation in citations}
    statements = tuple(
        statement
        for statement in answer.statements
        if (whole and statement.unsupported)
        or (statement.citation_numbers and numbers.issuperset(statement.citation_numbers))
    )
    checked = replace(
        answer,
        answered=answer.answered and any(item.citation_numbers for item in statements),
        statements=statements,
        citations=citations,
        evidence=evidence,
        explanation=answer.explanation and checked_explanation(answer.explanation, postcheck),
        gaps=tuple(gap for gap in answer.gaps if postcheck.lets_out(gap)),
        freshness=answer.freshness if whole else None,
        shortfall_reason=answer.shortfall_reason if whole else SOMETHING_DROPPED,
        shortfall=answer.shortfall if whole else SCOPES_CHANGED,
        bundle=answer.bundle if whole else b"",
    )
    return checked, leaks


def _admitted_mirrors(evidence: Evidence, postcheck: RulePostcheck) -> tuple[Mirror, ...]:
    """Returns the pages of its access context that say the same and may be named."""
    context = fetched_in(evidence.access_context)
    return tuple(
        one
        for one in evidence.mirrors
        if fetched_in(one.access_context) == context and postcheck.admits(one)
    )


def _is_held(shown: Shown, scopes: Sequence[Scope]) -> bool:
    context = fetched_in(shown.access_context)
    return any(holds(scope, shown.canonical_url, context) for scope in scopes)


def _admitted(items: Sequence[T], postcheck: RulePostcheck) -> tuple[T, ...]:
    return tuple(
        replace(item, scopes=postcheck.matches(item.scopes))
        for item in items
        if postcheck.lets_out(item)
    )
