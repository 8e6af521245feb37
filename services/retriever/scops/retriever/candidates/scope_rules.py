"""Which of the scopes asked for hold a page, by their newest rules."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.retrieval import ScopeMatch
from scops.common.contract.messages.types import Scope, ScopeRef
from scops.common.scope.book import ScopeBook
from scops.common.scope.contexts import holding_rule
from scops.retriever.candidates.candidate import StandingVersion

# Most scopes listed with one passage.
SCOPE_MATCHES_MAX = 20


def live_scopes(refs: Iterable[ScopeRef], book: ScopeBook) -> list[Scope]:
    """Returns the newest revision held of each scope, deleted ones left out.

    Raises:
        NotYetKnown: the revision that a reference names has not arrived yet.
    """
    return [scope for ref in refs if not (scope := book.get(ref)).deleted]


def scope_matches(
    scopes: Sequence[Scope], *, canonical_url: str, access_context: str, matches_max: int
) -> tuple[ScopeMatch, ...]:
    """Returns the scopes that hold a page, in their order, with the rules that say so."""
    held = ((scope, holding_rule(scope, canonical_url, access_context)) for scope in scopes)
    matches = (
        ScopeMatch(scope_id=scope.scope_id, scope_name=scope.name, rule=rule)
        for scope, rule in held
        if rule is not None
    )
    return tuple(islice(matches, matches_max))


def version_matches(scopes: Sequence[Scope], version: StandingVersion) -> tuple[ScopeMatch, ...]:
    """Returns the scopes that hold a version's page, as `scope_matches`, at most so many."""
    return scope_matches(
        scopes,
        canonical_url=version.canonical_url,
        access_context=version.access_context,
        matches_max=SCOPE_MATCHES_MAX,
    )


def membership(
    scopes: Sequence[Scope],
    canonical_url: str,
    preferred: Mapping[ScopeId, float],
    *,
    access_context: str,
) -> float | None:
    """Returns the priority of the most preferred scope that holds a page, 0 for none.

    None where no scope is preferred.
    """
    if not preferred:
        return None
    return max(
        (
            preferred[scope.scope_id]
            for scope in scopes
            if scope.scope_id in preferred
            and holding_rule(scope, canonical_url, access_context) is not None
        ),
        default=0.0,
    )
