"""The re-ranking of temporal-rag, section 3.2, without its language model.

Of the dense candidates, each sentence is scored by its overlap with the question's keywords and
temporal cues and by its passage's similarity; a passage counts as its best sentence.
"""

from collections.abc import Mapping, Sequence

from scops.common.text.sentences import sentence_spans
from scops.common.text.terms import content_terms
from scops.libraries.index.ports import StoreHit

CANDIDATES = 100
WEIGHT_KEYWORDS = 0.5


def keyword_ranking(question: str, hits: Sequence[StoreHit], texts: Mapping[str, str]) -> list[str]:
    """Returns the ids of the dense top 100, best first."""
    dense = sorted(hits, key=lambda hit: (-hit.similarity, hit.chunk_id))[:CANDIDATES]
    asked = content_terms(question)

    def score(hit: StoreHit) -> float:
        text = texts[hit.chunk_id]
        shares = [
            len(asked & content_terms(text[start:end])) / max(len(asked), 1)
            for start, end in sentence_spans(text)
        ]
        keywords = max(shares, default=0.0)
        return WEIGHT_KEYWORDS * keywords + (1 - WEIGHT_KEYWORDS) * hit.similarity

    return [hit.chunk_id for hit in sorted(dense, key=lambda hit: (-score(hit), hit.chunk_id))]
