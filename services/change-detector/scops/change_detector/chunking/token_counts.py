"""Counts tokens once per text: a page that is seen again is not tokenised again."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from scops.common.contract.ids import content_hash

CountTokens = Callable[[str], int]
# Tokenizers make one unknown token of a word without end; a chunk must stay quotable. Ordinary
# text has four to five characters a token.
CHARACTERS_PER_TOKEN_MAX = 16
# An entry is a hash and a number, about 150 bytes.
ENTRIES_MAX = 100_000


@dataclass(slots=True)
class CachedTokenCounter:
    """Remembers the counts of the texts that were used last; safe in several threads.

    Args:
        count: the embedder's own counting.
        entries_max: texts remembered.
    """

    count: CountTokens
    entries_max: int = ENTRIES_MAX
    _counts: OrderedDict[str, int] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def __reduce__(self) -> tuple[type["CachedTokenCounter"], tuple[CountTokens, int]]:
        """A child process counts by itself, and remembers nothing of its owner's texts."""
        return CachedTokenCounter, (self.count, self.entries_max)

    def __call__(self, text: str) -> int:
        """Returns the number of tokens of `text`, at least one for 16 characters."""
        key = content_hash(text)
        with self._lock:
            if key in self._counts:
                self._counts.move_to_end(key)
                return self._counts[key]
        tokens = max(self.count(text), len(text) // CHARACTERS_PER_TOKEN_MAX)
        with self._lock:
            self._counts[key] = tokens
            if len(self._counts) > self.entries_max:
                self._counts.popitem(last=False)
        return tokens
