"""Makes the passages of a reply: the best chunks shaped, their texts cut from their versions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from scops.common.contract import wire
from scops.common.contract.errors import BlobMissing
from scops.common.contract.messages.content import TrustTier
from scops.common.contract.messages.retrieval import Evidence, Mirror, TimeMatch
from scops.common.observe.log import get_logger
from scops.libraries.embedder.calibration import Calibration
from scops.retriever import metrics
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.candidates.listed_pages import all_opened, opened
from scops.retriever.ports import RetrieverPorts, TextReader
from scops.retriever.question import Question
from scops.retriever.scoring.calibrated import relevance_of
from scops.retriever.shape.counterfactuals import Told, counterfactuals
from scops.retriever.shape.mirrors import mirrors_of
from scops.retriever.shape.shaping import PassageDraft, ShapedPassages, shape_passages
from scops.retriever.time.evidence import time_match

# Of passages in one reply, which the bus bounds at 512 KiB.
EVIDENCE_BYTES_MAX = 384 * 1024
log = get_logger("retriever")


@dataclass(frozen=True, slots=True)
class Reply:
    """The passages of a reply, best first.

    Attributes:
        left_out: chunks by why they are no passages of their own: `near_duplicate`, `joined`,
            `page_full`, `below` the least score, `unlike` the question, or `bytes`.
    """

    evidence: tuple[Evidence, ...]
    left_out: Counter[str] = field(default_factory=Counter)


async def build_passages(
    ranked: Sequence[Candidate],
    question: Question,
    ports: RetrieverPorts,
    *,
    calibration: Calibration,
) -> Reply:
    """Returns the passages that answer a question and fit one reply.

    Args:
        ranked: scored, best first.
    """
    ranked, shaped = await _shaped(ranked, question, ports)
    cut = (_cut(one, question) for one in ranked)
    left_out = shaped.left_out + Counter(reason for reason in cut if reason)
    otherwise: Told = {}
    if question.counterfactuals:
        otherwise = counterfactuals(ranked, shaped.passages, question)
    kept: list[Evidence] = []
    room = EVIDENCE_BYTES_MAX
    mirrors = await mirrors_of([passage.best for passage in shaped.passages], question, ports)
    for passage in shaped.passages:
        evidence = await _evidence(
            passage,
            ports.texts,
            time=_time(passage.best, question),
            mirrors=mirrors.get(passage.best.hit.chunk_id, ()),
        )
        evidence = replace(
            evidence,
            counterfactuals=otherwise.get(evidence.chunk_id, ()),
            relevance=relevance_of(passage.best.score.total, question, calibration),
        )
        room -= len(wire.encode(evidence))
        if room < 0:
            left_out["bytes"] += len(shaped.passages) - len(kept)
            break
        kept.append(evidence)
    for outcome, count in left_out.items():
        metrics.LEFT_OUT.labels(outcome).inc(count)
    return Reply(tuple(kept), left_out)


async def _shaped(
    ranked: Sequence[Candidate], question: Question, ports: RetrieverPorts
) -> tuple[Sequence[Candidate], ShapedPassages]:
    """Returns passages whose manifests were read, and the candidates that are left then."""
    if question.counterfactuals and question.bounds.joined_characters_max:
        # What would rank here otherwise may be joined as well.
        ranked = await all_opened(ranked, question, ports)
    while True:
        enough = [one for one in ranked if not _cut(one, question)]
        shaped = shape_passages(enough, question.bounds)
        if not shaped.unread:
            return ranked, shaped
        # Ends with the pages of the candidates at the latest.
        ranked = await opened(ranked, question, ports, pages=shaped.unread)


def _cut(candidate: Candidate, question: Question) -> str:
    """Returns why a candidate is no passage, however few there are; empty where it may be one."""
    if question.min_score is not None and candidate.score.total < question.min_score:
        return "below"
    wanted, likeness = question.recipe.likeness_min, candidate.likeness
    if wanted is not None and likeness is not None and likeness < wanted:
        return "unlike"
    return ""


def _time(candidate: Candidate, question: Question) -> TimeMatch | None:
    constraint, signals = question.time.constraint, candidate.score.time
    if constraint is None or signals is None:
        return None
    return time_match(signals, constraint, start=candidate.chunk.start)


async def _evidence(
    passage: PassageDraft,
    texts: TextReader,
    *,
    time: TimeMatch | None,
    mirrors: tuple[Mirror, ...],
) -> Evidence:
    """Returns a passage as evidence; joined as far as its version's text can be had."""
    best, chunks = passage.best, passage.chunks
    hit, version, manifest = best.hit, best.version, best.page.manifest
    text = hit.text
    if len(chunks) > 1:
        try:
            whole = await texts.get(manifest.text)
            text = whole[passage.start : passage.end]
        except BlobMissing as error:
            log.warning("text_missing", page_id=hit.page_id, detail=error.message)
            chunks = [best.chunk]
    tiers = [chunk.trust for chunk in chunks]
    return Evidence(
        chunk_id=hit.chunk_id,
        page_id=hit.page_id,
        version_id=version.version_id,
        canonical_url=version.canonical_url,
        title=manifest.title,
        section_path=_common([chunk.section_path for chunk in chunks]),
        start=chunks[0].start,
        end=max(chunk.end for chunk in chunks),
        text=text,
        score=best.score.total,
        parts=best.score.parts,
        scopes=best.scopes,
        clocks=best.page.clocks,
        lineage_id=best.chunk.lineage_id,
        superseded=version.superseded,
        text_digest=manifest.text.digest,
        manifest_digest=version.manifest.digest,
        order_key=version.order_key,
        # What speaks to models anywhere in it makes all of it suspect.
        trust=TrustTier.INSTRUCTION_LIKE if TrustTier.INSTRUCTION_LIKE in tiers else tiers[0],
        near_duplicates=passage.near_duplicates,
        joined_chunk_ids=tuple(chunk.chunk_id for chunk in chunks) if len(chunks) > 1 else (),
        graph_path=best.score.graph_path,
        time_match=time,
        mirrors=mirrors,
        access_context=version.access_context,
        captured_by=manifest.captured_by,
        read_by_ocr=any(chunk.read_by_ocr for chunk in chunks),
    )


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Returns the section that holds all of some sections."""
    levels = zip(*paths, strict=False)
    return tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))
