"""What texts mention by a spaCy pipeline: entities and noun chunks, beside the names by rules.

Any pipeline with an entity recogniser will do; without a parser there are no noun chunks. It costs
13 to 33 ms of one core a chunk, about 70 times what the rules cost.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from scops.common.contract.errors import PermanentError
from scops.libraries.mentions.keys import key_of, keys_of
from scops.libraries.mentions.port import Mentions
from scops.libraries.mentions.rules import PHRASES_MAX, names

VERSION = "1"
# What is no name: numbers lead anywhere, and times have a part of the score of their own.
NUMBERS = frozenset(
    {"CARDINAL", "ORDINAL", "PERCENT", "QUANTITY", "MONEY", "DATE", "TIME"},
)
UNUSED = ("lemmatizer",)
CHUNK_WORDS_MAX = 4
BATCH = 32


class SpacyExtractor:
    """Implements the mention extractor port by spaCy, which is loaded at the first call.

    Args:
        pipeline: an installed package's name, or a folder.
    """

    def __init__(self, pipeline: str) -> None:
        self._pipeline = pipeline
        self._loaded: Any = None
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="spacy")

    @property
    def extractor_id(self) -> str:
        if self._loaded is None:
            return f"spacy/{self._pipeline}/{VERSION}"
        meta = self._loaded.meta
        return f"spacy/{meta['lang']}_{meta['name']}-{meta['version']}/{VERSION}"

    async def read(self, texts: Sequence[str]) -> list[Mentions]:
        return await asyncio.get_running_loop().run_in_executor(
            self._executor, self._read, list(texts)
        )

    async def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _read(self, texts: Sequence[str]) -> list[Mentions]:
        if self._loaded is None:
            self._loaded = _load(self._pipeline)
        # spaCy refuses longer texts, and its cost is linear.
        bounded = [text[: self._loaded.max_length] for text in texts]
        documents = self._loaded.pipe(bounded, batch_size=BATCH)
        return [
            Mentions(keys_of(_mentioned(document)), self.extractor_id) for document in documents
        ]


def _mentioned(document: Any) -> Iterator[str]:
    yield from names(document.text)
    yield from (span.text for span in document.ents if span.label_ not in NUMBERS)
    if not document.has_annotation("DEP"):
        return
    counts = Counter(
        phrase for chunk in document.noun_chunks if (phrase := _phrase(chunk)) is not None
    )
    yield from (phrase for phrase, _ in counts.most_common(PHRASES_MAX))


def _phrase(chunk: Any) -> str | None:
    """Returns a noun chunk without articles and numbers before it; None for a single word."""
    if chunk.root.ent_type_ in NUMBERS:
        return None
    tokens = list(chunk)
    while tokens and (tokens[0].is_stop or tokens[0].like_num):
        tokens = tokens[1:]
    phrase = key_of("".join(token.text_with_ws for token in tokens))
    return phrase if 1 < len(phrase.split()) <= CHUNK_WORDS_MAX else None


def _load(pipeline: str) -> Any:
    try:
        # Imported here: the package costs memory where it is not asked for.
        import spacy
    except ImportError as error:
        raise PermanentError(
            "SCOPS_INDEXER_MENTIONS is `spacy`, but the package is missing. Install scops[spacy], "
            "or unset the variable.",
            reason="SPACY_EXTRA_MISSING",
        ) from error
    try:
        return spacy.load(pipeline, exclude=list(UNUSED))
    except (OSError, ValueError) as error:
        raise PermanentError(
            f"spaCy cannot load the pipeline {pipeline}: {str(error).splitlines()[0]} Install it, "
            "or name another one, or its folder, in SCOPS_INDEXER_MENTIONS_SPACY_PIPELINE.",
            reason="SPACY_PIPELINE_UNREADABLE",
        ) from error
