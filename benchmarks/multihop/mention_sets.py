"""Mentions of a corpus by several extractors, with what they cost."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.shared.judged.passage_store import Passage
from scops.libraries.mentions.keys import keys_of, mentions_text
from scops.libraries.mentions.port import Mentions
from scops.libraries.mentions.rules import RuleExtractor, names
from scops.libraries.mentions.spacy_extractor import SpacyExtractor

Reader = Callable[[Sequence[str]], list[Mentions]]


@dataclass(frozen=True, slots=True)
class MentionSet:
    """The mentions of each passage.

    Attributes:
        cost: `milliseconds` of CPU a passage, `keys` and `key_bytes` a passage.
    """

    mentions: Sequence[Mentions]
    cost: Mapping[str, float]


def read_by(passages: Sequence[Passage], *, spacy_pipeline: str) -> dict[str, MentionSet]:
    """Returns the mentions by extractor; by spaCy where a pipeline is named."""
    texts = [mentions_text(passage.header, passage.text) for passage in passages]
    readers: dict[str, Reader] = {"names": _names, "rules": _rules}
    if spacy_pipeline:
        spacy = SpacyExtractor(spacy_pipeline)
        # Loads it, which is no passage's cost.
        asyncio.run(spacy.read([]))
        readers["spacy"] = lambda read: asyncio.run(spacy.read(read))
    return {name: _measured(read, texts) for name, read in readers.items()}


def _measured(read: Reader, texts: Sequence[str]) -> MentionSet:
    started = time.process_time()
    found = read(texts)
    spent = time.process_time() - started
    keys = [len(one.keys) for one in found]
    size = [sum(len(key.encode()) for key in one.keys) for one in found]
    cost = {
        "milliseconds": round(1000 * spent / max(len(texts), 1), 3),
        "keys": round(float(np.mean(keys)), 1),
        "key_bytes": round(float(np.mean(size)), 1),
    }
    return MentionSet(found, cost)


def _names(texts: Sequence[str]) -> list[Mentions]:
    return [Mentions(keys_of(names(text)), "names") for text in texts]


def _rules(texts: Sequence[str]) -> list[Mentions]:
    return asyncio.run(RuleExtractor().read(texts))
