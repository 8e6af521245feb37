"""How like the question candidates are in meaning: each as a whole, or the best of its sentences.

A passage of several sentences is less like a question than the one that answers it. Sentences are
embedded under their passage's header, of the few best candidates that are not like enough as they
are; their vectors are kept.
"""

from collections.abc import Sequence
from dataclasses import replace

from scops.common.contract.ids import ChunkId, embedded_text
from scops.common.text.sentences import sentence_spans
from scops.libraries.embedder.port import Embedder
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.question import Question
from scops.retriever.scoring.window_vectors import WindowVectors
from scops.retriever.time.languages.detection import passage_language

# Best candidates that are looked into, and sentences of each.
LOOKED_INTO, SENTENCES_MAX = 10, 12


async def with_likeness(
    ranked: Sequence[Candidate], question: Question, windows: WindowVectors, embedder: Embedder
) -> list[Candidate]:
    """Returns the candidates, in their order, with how like the question each is.

    Args:
        ranked: best first.
    """
    wanted = question.recipe.likeness_min
    if wanted is None:
        return list(ranked)
    likeness = embedder.calibration.likeness
    known = {one.hit.chunk_id: likeness(one.hit.similarity) for one in ranked}
    texts = [
        (one.hit.chunk_id, text)
        for one in ranked[:LOOKED_INTO]
        if known[one.hit.chunk_id] < wanted
        for text in _sentences(one)
    ]
    if texts:
        vector = (await windows.get([question.text], embedder, as_queries=True))[0]
        rows = await windows.get([text for _, text in texts], embedder)
        for (chunk_id, _), cosine in zip(texts, (rows @ vector).tolist(), strict=True):
            _keep_higher(known, chunk_id, likeness(cosine))
    return [replace(one, likeness=known[one.hit.chunk_id]) for one in ranked]


def _keep_higher(known: dict[ChunkId, float], chunk_id: ChunkId, value: float) -> None:
    known[chunk_id] = max(known[chunk_id], value)


def _sentences(candidate: Candidate) -> list[str]:
    """Returns the sentences of a passage as they are embedded; none of one that is a sentence."""
    hit = candidate.hit
    spans = sentence_spans(hit.text, passage_language(hit.text))
    if len(spans) < 2:
        return []
    return [embedded_text(hit.header, hit.text[start:end]) for start, end in spans[:SENTENCES_MAX]]
