"""Finds the passages that may be shown: hits that the version that counts lists, in a scope.

The store's filter may let in more than the rules do and its objects outlive their versions, so
hits are dropped here; when too few are left, the store is asked again for more.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from scops.common.contract.ids import ChunkId
from scops.common.observe.tracing import stage
from scops.common.scope.filter import compile_filter
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.embedder.port import FloatArray
from scops.libraries.index.ports import StoreHit, StoreQuery
from scops.retriever import metrics
from scops.retriever.candidates.candidate import Candidate, CandidateSet
from scops.retriever.candidates.listed_pages import HitLookups
from scops.retriever.candidates.scope_rules import live_scopes, membership, version_matches
from scops.retriever.candidates.store_searches import StoreSearches
from scops.retriever.graph.evidence import graph_evidence
from scops.retriever.ports import RetrieverPorts
from scops.retriever.question import Question
from scops.retriever.scoring.recipes import Scale
from scops.retriever.scoring.relevance import most_relevant, nearest

# Hits asked for, to the setting's, where more than the store ranks them: time, freshness,
# preferred scopes, mentions.
RESCORED_FACTOR = 4
# When too many hits had to be dropped, so many times as many are asked for, up to the bound.
WIDENING = 4
CANDIDATES_MAX = 3200


async def find_candidates(
    question: Question,
    vector: asyncio.Future[FloatArray],
    ports: RetrieverPorts,
    calibration: Calibration,
) -> CandidateSet:
    """Returns the candidates of a question; asks the store for more while too few are left.

    Args:
        vector: of the question; the store looks its words up meanwhile.
        calibration: of the embedder.

    Raises:
        NotYetKnown: a scope revision has not arrived yet.
        StoreUnavailable: the index does not answer, or not in time, and nothing was found yet.
    """
    lookups = HitLookups(ports, question.as_of)
    try:
        return await _search_until_enough(question, vector, ports, lookups, calibration)
    finally:
        await lookups.close()


async def _search_until_enough(
    question: Question,
    vector: asyncio.Future[FloatArray],
    ports: RetrieverPorts,
    lookups: HitLookups,
    calibration: Calibration,
) -> CandidateSet:
    found, searches = CandidateSet((), complete=True), StoreSearches.start(ports)
    asked = hits_asked(question, ports.settings.candidates)
    while scopes := live_scopes(question.scopes, ports.scope_book):
        query = StoreQuery(
            text=question.text,
            vector=vector,
            scope_filter=compile_filter(scopes),
            limit=asked,
            as_of=question.as_of,
            with_mentions=question.recipe.walk,
            on_bm25_hits=lookups.begin,
        )
        # Nothing to show yet: then a search that fails is an error.
        search = searches.further if found.candidates else searches.first
        hits = await search(query)
        if hits is None:
            break
        if ports.canary is not None and searches.count == 1:
            ports.canary.offer(query)
        likely = likeliest(hits, question, asked, calibration)
        preferred = [scope for scope in scopes if scope.scope_id in question.preferred]
        if preferred:
            # What is preferred must not starve behind what merely resembles more.
            inner = replace(query, scope_filter=compile_filter(preferred))
            inside_hits = await searches.further(inner) or ()
            inside = likeliest(inside_hits, question, asked, calibration)
            likely = list({hit.chunk_id: hit for hit in (*likely, *inside)}.values())
        # The vector side alone would fill the limit if there were more to find.
        with stage(metrics.STAGE_SECONDS, "admit"):
            admitted = await _admitted(likely, question, ports, lookups)
        found = CandidateSet(admitted, complete=len(hits) < asked)
        widest = asked >= CANDIDATES_MAX
        if found.complete or widest or _wordings(found.candidates) >= question.limit:
            break
        asked = min(asked * WIDENING, CANDIDATES_MAX)
    if question.recipe.walk and found.candidates:
        found = await _with_bridges(found, question, vector, searches, lookups, calibration)
    metrics.SEARCHES.observe(searches.count)
    return replace(found, interrupted=searches.failed)


def hits_asked(question: Question, candidates: int) -> int:
    """Returns how many hits are asked for: more where something else than the store ranks them.

    Args:
        candidates: asked for a question that the store alone ranks.
    """
    rescored = (
        question.time.constraint is not None
        or question.preferred
        or question.weights.delta
        or question.recipe.walk
    )
    return max(candidates * RESCORED_FACTOR if rescored else candidates, question.limit)


def likeliest(
    hits: Sequence[StoreHit], question: Question, count: int, calibration: Calibration
) -> list[StoreHit]:
    """Returns the hits that go on: the likeliest by both sides; OwlerLite's are the nearest."""
    if question.recipe.scale is Scale.CONVEX:
        return nearest(hits, count)
    return most_relevant(hits, count, calibration)


async def _with_bridges(
    found: CandidateSet,
    question: Question,
    vector: asyncio.Future[FloatArray],
    searches: StoreSearches,
    lookups: HitLookups,
    calibration: Calibration,
) -> CandidateSet:
    """Searches once more, among what mentions what the passages closest to the question lead to."""
    ports = searches.ports
    hits_found = [one.hit for one in found.candidates]
    evidence = graph_evidence(question.text, hits_found, calibration)
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
    hits: Sequence[StoreHit], question: Question, ports: RetrieverPorts, lookups: HitLookups
) -> tuple[Candidate, ...]:
    listings = await lookups.listings(hits)
    # Read after every wait: a rule that was removed meanwhile lets nothing out.
    scopes = live_scopes(question.scopes, ports.scope_book)
    versions = {listing.version.page_id: listing.version for listing in listings.values()}
    matches = {page_id: version_matches(scopes, version) for page_id, version in versions.items()}
    memberships = {
        page_id: membership(
            scopes,
            version.canonical_url,
            question.preferred,
            access_context=version.access_context,
        )
        for page_id, version in versions.items()
    }
    admitted: dict[ChunkId, Candidate] = {}
    outcomes: Counter[str] = Counter()
    for hit in hits:
        listing = listings.get(hit.chunk_id)
        if listing is None:
            outcomes["unlisted"] += 1
        elif not matches[listing.version.page_id]:
            outcomes["foreign"] += 1
        else:
            outcomes["admitted"] += 1
            admitted[hit.chunk_id] = Candidate(
                hit,
                listing.version,
                listing.page,
                matches[listing.version.page_id],
                listing.wording_id,
                memberships[listing.version.page_id],
            )
    for outcome, count in outcomes.items():
        metrics.HITS.labels(outcome).inc(count)
    return tuple(admitted.values())


def _wordings(candidates: Sequence[Candidate]) -> int:
    """Returns how many candidates say something that no other of them does."""
    return len({one.wording_id or one.hit.chunk_id for one in candidates})
