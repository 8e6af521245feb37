"""The mention extractor port: what a chunk mentions, and who read it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Mentions:
    """What one text mentions.

    Attributes:
        keys: as `keys.key_of` makes them, each once, at most `keys.MENTIONS_MAX`, the best first.
        extractor_id: name and version of who read the text, as in `rules/2`; never empty.
    """

    keys: tuple[str, ...]
    extractor_id: str


class MentionExtractor(Protocol):
    """Reads what texts mention.

    What it says of a text depends on that text and the `extractor_id` alone, never on the texts
    beside it: an edge of the graph has its chunk's page, scope and life.
    """

    @property
    def extractor_id(self) -> str:
        """Name and version, as in `rules/2`; another one may read the same text differently."""

    async def read(self, texts: Sequence[str]) -> list[Mentions]:
        """Returns what each text mentions, in their order.

        Where it fails on a text, the rules read that; `Mentions.extractor_id` tells. Does not
        block the event loop for long.

        Raises:
            PermanentError: it cannot read anything; the message says what to install or set.
        """
        ...

    async def close(self) -> None:
        """Stops its threads and connections; it must not be used afterwards."""
