"""Makes the passages of a reply: the best chunks shaped, their texts cut from their versions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from scops.common.contract import wire
from scops.common.contract.errors import BlobMissing
from scops.common.contract.messages.content import TrustTier
from scops.common.contract.messages.retrieval import Evidence, Mirror, TimeMatch
from scops.common.observe.log import get_logger
from scops.retriever import metrics
from scops.retriever.candidates.admission import Candidate
from scops.retriever.ports import RetrieverPorts, TextReader
from scops.retriever.question import Question
from scops.retriever.scoring.scoring import ScoredHit, kernel_shape
from scops.retriever.shape.mirrors import mirrors_of
from scops.retriever.shape.near_duplicates import Fingerprint
from scops.retriever.shape.shaping import RankedChunk, ShapedPassage, shaped
from scops.retriever.time.match import time_match

log = get_logger("retriever")


@dataclass(frozen=True, slots=True)
class Reply:
    """The passages of a reply, best first.

    Attributes:
        left_out: chunks by why they are no passages of their own: `near_duplicate`, `joined`,
            `page_full`, `below` the least score, or `bytes`.
    """

    evidence: tuple[Evidence, ...]
    left_out: Counter[str] = field(default_factory=Counter)


async def build_passages(
    candidates: Sequence[Candidate],
    found: Sequence[ScoredHit],
    question: Question,
    ports: RetrieverPorts,
) -> Reply:
    """Returns the passages that answer a question and fit one reply.

    Args:
        found: the candidates' scores, best first.
    """
    least = question.min_score
    enough = [one for one in found if least is None or one.score >= least]
    shape = shaped(
        (_chunk(candidates, enough, rank) for rank in range(len(enough))), question.bounds
    )
    left_out = shape.left_out + Counter(below=len(found) - len(enough))
    kept: list[Evidence] = []
    room = ports.settings.evidence_bytes_max
    places = [enough[passage.best.place].place for passage in shape.passages]
    mirrors = await mirrors_of([candidates[place] for place in places], question, ports)
    for passage in shape.passages:
        entry = enough[passage.best.place]
        candidate = candidates[entry.place]
        evidence = await _evidence(
            candidate,
            entry,
            passage,
            ports.texts,
            time=_time(candidate, entry, question, ports),
            mirrors=mirrors.get(candidate.hit.chunk_id, ()),
        )
        room -= len(wire.encode(evidence))
        if room < 0:
            left_out["bytes"] += len(shape.passages) - len(kept)
            break
        kept.append(evidence)
    for outcome, count in left_out.items():
        metrics.LEFT_OUT.labels(outcome).inc(count)
    return Reply(tuple(kept), left_out)


def _time(
    candidate: Candidate, entry: ScoredHit, question: Question, ports: RetrieverPorts
) -> TimeMatch | None:
    constraint = question.time.constraint
    if constraint is None or entry.time is None:
        return None
    shape = kernel_shape(ports.settings)
    return time_match(entry.time, constraint, shape, start=candidate.chunk.start)


def _chunk(candidates: Sequence[Candidate], found: Sequence[ScoredHit], rank: int) -> RankedChunk:
    candidate = candidates[found[rank].place]
    return RankedChunk(
        place=rank,
        page_id=candidate.hit.page_id,
        version_id=candidate.standing.version_id,
        chunk=candidate.chunk,
        said=Fingerprint(candidate.hit.text, candidate.chunk.simhash, candidate.wording_id),
    )


async def _evidence(
    candidate: Candidate,
    entry: ScoredHit,
    passage: ShapedPassage,
    texts: TextReader,
    *,
    time: TimeMatch | None,
    mirrors: tuple[Mirror, ...],
) -> Evidence:
    """Returns a passage as evidence; joined as far as its version's text can be had."""
    hit, standing = candidate.hit, candidate.standing
    chunks = passage.chunks
    text = hit.text
    if len(chunks) > 1:
        try:
            whole = await texts.get(candidate.manifest.text)
            text = whole[passage.start : passage.end]
        except BlobMissing as error:
            log.warning("text_missing", page_id=hit.page_id, detail=error.message)
            chunks = [candidate.chunk]
    tiers = [chunk.trust for chunk in chunks]
    return Evidence(
        chunk_id=hit.chunk_id,
        page_id=hit.page_id,
        version_id=standing.version_id,
        canonical_url=standing.canonical_url,
        title=candidate.manifest.title,
        section_path=_common([chunk.section_path for chunk in chunks]),
        start=chunks[0].start,
        end=max(chunk.end for chunk in chunks),
        text=text,
        score=entry.score,
        parts=entry.parts,
        scopes=candidate.scopes,
        clocks=standing.clocks(candidate.manifest.stated),
        lineage_id=candidate.chunk.lineage_id,
        superseded=standing.superseded,
        text_digest=candidate.manifest.text.digest,
        manifest_digest=standing.manifest.digest,
        order_key=standing.order_key,
        # What speaks to models anywhere in it makes all of it suspect.
        trust=TrustTier.INSTRUCTION_LIKE if TrustTier.INSTRUCTION_LIKE in tiers else tiers[0],
        near_duplicates=passage.near_duplicates,
        joined_chunk_ids=tuple(chunk.chunk_id for chunk in chunks) if len(chunks) > 1 else (),
        graph_path=entry.graph_path,
        time_match=time,
        mirrors=mirrors,
    )


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Returns the section that holds all of some sections."""
    levels = zip(*paths, strict=False)
    return tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))
