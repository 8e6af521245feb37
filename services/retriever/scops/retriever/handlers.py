"""Answers `Retrieve`: candidates under the filter, heads checked, rules matched again, scored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scops.common.errors import InvalidInput
from scops.common.ids import PageId
from scops.common.index.ports import StoreHit, StoreQuery
from scops.common.messages.change import Manifest, ManifestChunk
from scops.common.messages.retrieval import (
    Awaited,
    Evidence,
    RetrieveRequest,
    RetrieveResponse,
    ScopeMatch,
    Weights,
)
from scops.common.messages.types import Scope, ScopeRef
from scops.common.scope.filter import PUBLIC, compile_filter
from scops.common.scope.rules import matching_rule
from scops.retriever.ports import Ports
from scops.retriever.score import ScoreWeights, Signals, age_days, score_parts, total
from scops.retriever.standing import Standing, standing_versions

RECIPES = ("hybrid",)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit whose chunk the version that counts does list, and that a scope lets out."""

    hit: StoreHit
    standing: Standing
    manifest: Manifest
    chunk: ManifestChunk
    scopes: tuple[ScopeMatch, ...]


async def retrieve(request: RetrieveRequest, ports: Ports) -> RetrieveResponse:
    """Returns the best passages of the scopes, best first.

    Raises:
        InvalidInput: no query, no scope, or an unknown recipe.
        NotYetKnown: a scope revision has not arrived yet.
        StoreUnavailable: the index does not answer.
    """
    recipe, limit = _checked(request, ports)
    unverified = await _wait_for(request.awaited, ports)
    embedder = await ports.embedder()
    scopes = _scopes(request.scopes, ports)
    hits: list[StoreHit] = []
    if scopes:
        vector = (await embedder.embed([request.query]))[0]
        query = StoreQuery(
            text=request.query,
            vector=vector,
            scope_filter=compile_filter(scopes),
            limit=max(ports.settings.candidates, limit),
            as_of=request.as_of_time,
        )
        hits = await ports.store.search(query)
    candidates = await _admitted(hits, request, ports)
    ranked = _ranked(candidates, request, ports)
    return RetrieveResponse(
        evidence=tuple(ranked[:limit]),
        candidates=len(candidates),
        shortfall_reason=_shortfall(len(ranked), limit, request, scopes),
        unverified_page_ids=unverified,
        embedder_id=embedder.embedder_id,
        recipe=recipe,
    )


def _checked(request: RetrieveRequest, ports: Ports) -> tuple[str, int]:
    if not request.query.strip():
        raise InvalidInput("The query is empty; ask for something.", reason="QUERY_EMPTY")
    if not request.scopes:
        raise InvalidInput("The query names no scope.", reason="SCOPES_EMPTY")
    _check_weights(request.weights)
    if len(request.scopes) > ports.settings.scopes_max:
        raise InvalidInput(
            f"The query names {len(request.scopes)} scopes; at most "
            f"{ports.settings.scopes_max} are searched at once.",
            reason="TOO_MANY_SCOPES",
        )
    recipe = request.recipe or RECIPES[0]
    if recipe not in RECIPES:
        raise InvalidInput(
            f"There is no recipe {recipe!r}; known are {', '.join(RECIPES)}.",
            reason="UNKNOWN_RECIPE",
        )
    return recipe, min(max(request.limit, 1), ports.settings.limit_max)


def _check_weights(weights: Weights | None) -> None:
    if weights is None:
        return
    given = {"alpha": weights.alpha, "beta": weights.beta, "delta": weights.delta}
    wrong = [name for name, value in given.items() if value is not None and not 0 <= value <= 1]
    if weights.gamma is not None and not 0 < weights.gamma <= 1:
        wrong.append("gamma")
    if wrong:
        raise InvalidInput(
            f"The weights {', '.join(wrong)} are out of range: alpha, beta and delta lie in "
            "[0, 1], gamma in (0, 1].",
            reason="WEIGHTS_OUT_OF_RANGE",
        )


def _scopes(refs: Iterable[ScopeRef], ports: Ports) -> list[Scope]:
    """Returns the newest revision held of each scope, deleted ones left out."""
    return [scope for ref in refs if not (scope := ports.scope_book.get(ref)).deleted]


async def _wait_for(awaited: Sequence[Awaited], ports: Ports) -> tuple[PageId, ...]:
    """Waits until the heads of some pages were verified; returns those that were not."""
    missing = {entry.page_id: entry.observed_time for entry in awaited}
    limit = ports.clock.now() + timedelta(seconds=ports.settings.await_max_seconds)
    while missing:
        heads = await ports.heads.heads(sorted(missing))
        missing = {
            page_id: observed
            for page_id, observed in missing.items()
            if page_id not in heads or heads[page_id].verified_time < observed
        }
        if not missing or ports.clock.now() >= limit:
            break
        await ports.clock.sleep(ports.settings.await_poll_seconds)
    return tuple(sorted(missing))


async def _admitted(
    hits: Sequence[StoreHit], request: RetrieveRequest, ports: Ports
) -> list[Candidate]:
    """Keeps the hits that a head (or the standing version) lists and a scope's rules match."""
    page_ids = sorted({hit.page_id for hit in hits})
    standing = await standing_versions(ports.heads, page_ids, request.as_of_time)
    chunks: dict[PageId, tuple[Manifest, Mapping[str, ManifestChunk]]] = {}
    for page_id, version in standing.items():
        manifest = await ports.manifests.get(version.manifest)
        chunks[page_id] = manifest, {chunk.chunk_id: chunk for chunk in manifest.chunks}
    # Read now, after every wait: a rule that was removed meanwhile lets nothing out.
    scopes = _scopes(request.scopes, ports)
    candidates = []
    seen = set()
    for hit in hits:
        if hit.page_id not in chunks or hit.chunk_id in seen:
            continue
        manifest, listed = chunks[hit.page_id]
        matches = _matches(scopes, standing[hit.page_id])
        if hit.chunk_id in listed and matches:
            seen.add(hit.chunk_id)
            chunk = listed[hit.chunk_id]
            candidates.append(Candidate(hit, standing[hit.page_id], manifest, chunk, matches))
    return candidates


def _matches(scopes: Sequence[Scope], standing: Standing) -> tuple[ScopeMatch, ...]:
    # What was fetched with a credential belongs only to scopes that hold it; none does yet.
    if standing.access_context != PUBLIC:
        return ()
    found = ((scope, matching_rule(scope.rules, standing.canonical_url)) for scope in scopes)
    return tuple(
        ScopeMatch(scope_id=scope.scope_id, scope_name=scope.name, rule=rule)
        for scope, rule in found
        if rule is not None
    )


def _ranked(
    candidates: Sequence[Candidate], request: RetrieveRequest, ports: Ports
) -> list[Evidence]:
    weights = _weights(request, ports)
    best = max((candidate.hit.bm25 or 0.0 for candidate in candidates), default=0.0)
    now = request.as_of_time or ports.clock.now()
    evidence = [_evidence(candidate, weights, best, now) for candidate in candidates]
    return sorted(evidence, key=lambda passage: (-passage.score, passage.chunk_id))


def _weights(request: RetrieveRequest, ports: Ports) -> ScoreWeights:
    asked = request.weights or Weights()
    usual = ports.settings
    return ScoreWeights(
        alpha=usual.alpha if asked.alpha is None else asked.alpha,
        beta=usual.beta if asked.beta is None else asked.beta,
        gamma=usual.gamma if asked.gamma is None else asked.gamma,
        delta=usual.delta if asked.delta is None else asked.delta,
        lexical_share=usual.lexical_share,
        half_life_days=usual.half_life_days,
    )


def _evidence(
    candidate: Candidate, weights: ScoreWeights, best_bm25: float, now: datetime
) -> Evidence:
    hit, standing, chunk = candidate.hit, candidate.standing, candidate.chunk
    signals = Signals(
        similarity=hit.similarity,
        lexical=(hit.bm25 or 0.0) / best_bm25 if best_bm25 > 0 else 0.0,
        graph=None,
        in_scope=True,
        age_days=age_days(standing.order_key.observed_from, now),
    )
    parts = score_parts(signals, weights)
    return Evidence(
        chunk_id=hit.chunk_id,
        page_id=hit.page_id,
        version_id=standing.version_id,
        canonical_url=standing.canonical_url,
        title=candidate.manifest.title,
        section_path=chunk.section_path,
        start=chunk.start,
        end=chunk.end,
        text=hit.text,
        score=total(parts),
        parts=parts,
        scopes=candidate.scopes,
        clocks=standing.clocks(candidate.manifest.stated),
        lineage_id=chunk.lineage_id,
        superseded=standing.superseded,
        text_digest=candidate.manifest.text.digest,
        manifest_digest=standing.manifest.digest,
        order_key=standing.order_key,
    )


def _shortfall(found: int, limit: int, request: RetrieveRequest, scopes: Sequence[Scope]) -> str:
    if found >= limit:
        return ""
    if not scopes:
        return "The scopes asked for have been deleted."
    if found == 0:
        when = " as of that instant" if request.as_of_time else ""
        return f"Nothing indexed in these scopes{when}; crawl them first, or widen their rules."
    return f"Only {found} of {limit} passages: these scopes hold no more that match."
