"""A bus with queues and dead letters that remembers what was mended."""

from dataclasses import dataclass, field

from scops.common.bus.ports import BusQueue, GivenUp
from scops.common.contract.errors import NotFound, StoreUnavailable
from scops.common.contract.ids import EventId
from tests.fakes.clock import START


@dataclass
class FakeBusOperations:
    """Shows the queues and letters that it was given; `away` answers nothing."""

    waiting: list[BusQueue] = field(default_factory=list)
    letters: list[GivenUp] = field(default_factory=list)
    replayed: list[str] = field(default_factory=list)
    away: bool = False

    async def queues(self) -> tuple[BusQueue, ...]:
        self._answer()
        return tuple(self.waiting)

    async def dead_letters(self, *, after: int, limit: int) -> tuple[GivenUp, ...]:
        self._answer()
        return tuple(one for one in self.letters if one.sequence > after)[:limit]

    async def replay(self, letter_id: str) -> EventId:
        self._named(letter_id)
        self.replayed.append(letter_id)
        return EventId(f"event-of-{letter_id}")

    async def drop(self, letter_id: str) -> None:
        self.letters.remove(self._named(letter_id))

    def _answer(self) -> None:
        if self.away:
            raise StoreUnavailable("The bus does not answer.", reason="BUS_UNAVAILABLE")

    def _named(self, letter_id: str) -> GivenUp:
        self._answer()
        for one in self.letters:
            if one.letter_id == letter_id:
                return one
        raise NotFound("There is no such letter.", reason="DEAD_LETTER_NOT_FOUND")


def queue(consumer: str, **values: int) -> BusQueue:
    """Builds a queue; counts are 0 unless given."""
    counts = {"pending_count": 0, "in_hand_count": 0, "redelivered_count": 0, "waiting_count": 0}
    return BusQueue(consumer=consumer, message="page_fetched", lane="bulk", **{**counts, **values})


def given_up(sequence: int) -> GivenUp:
    """Builds a letter."""
    return GivenUp(
        sequence=sequence,
        letter_id=f"letter-{sequence}",
        reason="BUG",
        detail="The handler has a bug.",
        consumer="indexer-version_added-bulk",
        about=f"page-{sequence}",
        dead_time=START,
        replayed_time=None,
        fault="",
    )
