"""Finds the passages that may be shown: hits that the version that counts lists, in a scope.

The store's filter may let in more than the rules do and its objects outlive their versions, so
hits are dropped here; when too few are left, the store is asked again for more.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scops.common.contract.ids import ChunkId, ScopeId, WordingId
from scops.common.contract.messages.change import Manifest, ManifestChunk
from scops.common.contract.messages.retrieval import ScopeMatch
from scops.common.contract.messages.types import Scope, ScopeRef
from scops.common.observe.tracing import stage
from scops.common.scope.book import ScopeBook
from scops.common.scope.filter import PUBLIC, compile_filter
from scops.common.scope.rules import matching_rule
from scops.libraries.embedder.port import FloatArray
from scops.libraries.index.ports import StoreHit, StoreQuery
from scops.retriever import metrics
from scops.retriever.candidates.lookups import Lookups
from scops.retriever.candidates.standing import Standing
from scops.retriever.candidates.store_evidence import likeliest
from scops.retriever.candidates.store_searches import StoreSearches
from scops.retriever.graph.evidence import graph_evidence
from scops.retriever.ports import RetrieverPorts
from scops.retriever.question import Question
from scops.retriever.settings import RetrieverSettings

WIDENING = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit whose chunk the version that counts does list, and that a scope lets out.

    Attributes:
        scopes: of the scopes asked for, those that hold the page, in the order asked.
        wording_id: what it says, the same for its mirrors; None where nobody looked.
        membership: priority of the most preferred scope that holds the page, 0 for none; None
            where no scope is preferred.
    """

    hit: StoreHit
    standing: Standing
    manifest: Manifest
    chunk: ManifestChunk
    scopes: tuple[ScopeMatch, ...]
    wording_id: WordingId | None = None
    membership: float | None = None


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The candidates of a question, each chunk once.

    Attributes:
        complete: there are no others; otherwise the search stopped at its bound.
        interrupted: the store did not answer every search; these are what the others found.
    """

    candidates: tuple[Candidate, ...]
    complete: bool
    interrupted: bool = False


def live_scopes(refs: Iterable[ScopeRef], book: ScopeBook) -> list[Scope]:
    """Returns the newest revision held of each scope, deleted ones left out.

    Raises:
        NotYetKnown: the revision that a reference names has not arrived yet.
    """
    return [scope for ref in refs if not (scope := book.get(ref)).deleted]


async def find_candidates(
    question: Question, vector: asyncio.Future[FloatArray], ports: RetrieverPorts
) -> CandidateSet:
    """Returns the candidates of a question; asks the store for more while too few are left.

    Args:
        vector: of the question; the store looks its words up meanwhile.

    Raises:
        NotYetKnown: a scope revision has not arrived yet.
        StoreUnavailable: the index does not answer, or not in time, and nothing was found yet.
    """
    lookups = Lookups(ports, question.as_of)
    try:
        return await _found(question, vector, ports, lookups)
    finally:
        await lookups.close()


async def _found(
    question: Question, vector: asyncio.Future[FloatArray], ports: RetrieverPorts, lookups: Lookups
) -> CandidateSet:
    found, searches = CandidateSet((), complete=True), StoreSearches.begun(ports)
    asked = hits_asked(question, ports.settings)
    while scopes := live_scopes(question.scopes, ports.scope_book):
        query = StoreQuery(
            text=question.text,
            vector=vector,
            scope_filter=compile_filter(scopes),
            limit=asked,
            as_of=question.as_of,
            with_mentions=question.recipe.walk,
            on_worded=lookups.begin,
        )
        # Nothing to show yet: then a search that fails is an error.
        search = searches.further if found.candidates else searches.first
        hits = await search(query)
        if hits is None:
            break
        if ports.canary is not None and searches.count == 1:
            ports.canary.offer(query)
        likely = likeliest(hits, question.text, asked)
        preferred = [scope for scope in scopes if scope.scope_id in question.preferred]
        if preferred:
            # What is preferred must not starve behind what merely resembles more.
            inner = replace(query, scope_filter=compile_filter(preferred))
            inside = likeliest(await searches.further(inner) or (), question.text, asked)
            likely = _each_once((*likely, *inside))
        # The vector side alone would fill the limit if there were more to find.
        with stage(metrics.STAGE_SECONDS, "admit"):
            admitted = await _admitted(likely, question, ports, lookups)
        found = CandidateSet(admitted, complete=len(hits) < asked)
        widest = asked >= ports.settings.candidates_max
        if found.complete or widest or _wordings(found.candidates) >= question.limit:
            break
        asked = min(asked * WIDENING, ports.settings.candidates_max)
    if question.recipe.walk and found.candidates:
        found = await _with_bridges(found, question, vector, searches, lookups)
    metrics.SEARCHES.observe(searches.count)
    return replace(found, interrupted=searches.failed)


def hits_asked(question: Question, settings: RetrieverSettings) -> int:
    """Returns how many hits are asked for: more where something else than the store ranks them."""
    rescored = (
        question.time.constraint is not None
        or question.preferred
        or question.weights.delta
        or question.recipe.walk
    )
    breadth = settings.candidates_rescored if rescored else settings.candidates
    return max(breadth, question.limit)


async def _with_bridges(
    found: CandidateSet,
    question: Question,
    vector: asyncio.Future[FloatArray],
    searches: StoreSearches,
    lookups: Lookups,
) -> CandidateSet:
    """Searches once more, among what mentions what the passages closest to the question lead to."""
    ports = searches.ports
    evidence = graph_evidence(question.text, [one.hit for one in found.candidates])
    scopes = live_scopes(question.scopes, ports.scope_book)
    if not evidence.bridges or not scopes:
        return found
    # An index of before mentions were stored can only be asked for their words.
    stored = any(one.hit.mentions is not None for one in found.candidates)
    query = StoreQuery(
        text=question.text if stored else " ".join(evidence.bridges),
        vector=vector,
        scope_filter=compile_filter(scopes),
        limit=ports.settings.candidates,
        as_of=question.as_of,
        mentioning=frozenset(evidence.bridges) if stored else None,
        with_mentions=True,
    )
    hits = await searches.further(query) or ()
    if not stored:
        # Their BM25 is that of the bridges, not of the question.
        hits = [replace(hit, bm25=None) for hit in hits]
    known = {one.hit.chunk_id for one in found.candidates}
    new = [hit for hit in hits if hit.chunk_id not in known]
    with stage(metrics.STAGE_SECONDS, "admit"):
        admitted = await _admitted(new, question, ports, lookups)
    return CandidateSet((*found.candidates, *admitted), complete=found.complete)


async def _admitted(
    hits: Sequence[StoreHit], question: Question, ports: RetrieverPorts, lookups: Lookups
) -> tuple[Candidate, ...]:
    pages = await lookups.pages(hits)
    # Read after every wait: a rule that was removed meanwhile lets nothing out.
    scopes = live_scopes(question.scopes, ports.scope_book)
    matches = {
        page_id: scope_matches(
            scopes,
            canonical_url=page.standing.canonical_url,
            access_context=page.standing.access_context,
            matches_max=ports.settings.scope_matches_max,
        )
        for page_id, page in pages.items()
    }
    memberships = {
        page_id: _membership(scopes, page.standing, question.preferred)
        for page_id, page in pages.items()
        if question.preferred
    }
    admitted: dict[ChunkId, Candidate] = {}
    outcomes: Counter[str] = Counter()
    for hit in hits:
        page = pages.get(hit.page_id)
        chunk = page.chunks.get(hit.chunk_id) if page else None
        if page is None or chunk is None:
            outcomes["unlisted"] += 1
        elif not matches[hit.page_id]:
            outcomes["foreign"] += 1
        else:
            outcomes["admitted"] += 1
            admitted[hit.chunk_id] = Candidate(
                hit,
                page.standing,
                page.manifest,
                chunk,
                matches[hit.page_id],
                lookups.wording(hit.chunk_id),
                memberships.get(hit.page_id),
            )
    for outcome, count in outcomes.items():
        metrics.HITS.labels(outcome).inc(count)
    return tuple(admitted.values())


def _wordings(candidates: Sequence[Candidate]) -> int:
    """Returns how many candidates say something that no other of them does."""
    return len({one.wording_id or one.hit.chunk_id for one in candidates})


def _each_once(hits: Iterable[StoreHit]) -> list[StoreHit]:
    return list({hit.chunk_id: hit for hit in hits}.values())


def _membership(
    scopes: Sequence[Scope], standing: Standing, preferred: Mapping[ScopeId, float]
) -> float:
    """Returns the priority of the most preferred scope that holds a page; 0 for none."""
    return max(
        (
            preferred[scope.scope_id]
            for scope in scopes
            if scope.scope_id in preferred and matching_rule(scope.rules, standing.canonical_url)
        ),
        default=0.0,
    )


def scope_matches(
    scopes: Sequence[Scope], *, canonical_url: str, access_context: str, matches_max: int
) -> tuple[ScopeMatch, ...]:
    """Returns the scopes that hold a page, in their order, with the rules that say so."""
    # What was fetched with a credential belongs only to scopes that hold it; none does yet.
    if access_context != PUBLIC:
        return ()
    matches: list[ScopeMatch] = []
    for scope in scopes:
        rule = matching_rule(scope.rules, canonical_url)
        if rule is not None:
            matches.append(ScopeMatch(scope_id=scope.scope_id, scope_name=scope.name, rule=rule))
        if len(matches) == matches_max:
            break
    return tuple(matches)
