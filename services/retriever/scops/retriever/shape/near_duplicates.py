"""Says which of a few passages say the same; see `scops.libraries.index.wording` for the rule.

The index has recorded it for most; passages that were indexed at the same instant, or before it
did, are compared here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from scops.common.contract.ids import WordingId
from scops.common.scope.contexts import PUBLIC
from scops.libraries.index.wording import BITS_MAX, WORDS_MIN, decisive, distance, words


@dataclass(frozen=True)
class Fingerprint:
    """A text with the 64-bit SimHash that its manifest tells; 0 where it tells none.

    Attributes:
        wording_id: what the index recorded; None where it did not.
        access_context: what its page was fetched with; of two contexts nothing is the same.
    """

    text: str
    simhash: int
    wording_id: WordingId | None = None
    access_context: str = PUBLIC

    @cached_property
    def words(self) -> Sequence[str]:
        """Its words as they are compared."""
        return words(self.text)

    @cached_property
    def decisive(self) -> object:
        """What no copy of it says otherwise."""
        return decisive(self.words)


def same(one: Fingerprint, other: Fingerprint) -> bool:
    """Says whether two texts of one access context say the same."""
    if one.access_context != other.access_context:
        return False
    if one.text == other.text or _recorded(one, other):
        return True
    if not (one.simhash and other.simhash):
        return False
    if distance(one.simhash, other.simhash) > BITS_MAX:
        return False
    if one.words == other.words:
        return True
    is_long = min(len(one.words), len(other.words)) >= WORDS_MIN
    return is_long and one.decisive == other.decisive


def index_of_same(known: Sequence[Fingerprint], one: Fingerprint) -> int | None:
    """Returns where `known` first says the same; None where it does not."""
    return next((index for index, other in enumerate(known) if same(one, other)), None)


def _recorded(one: Fingerprint, other: Fingerprint) -> bool:
    return one.wording_id is not None and one.wording_id == other.wording_id
