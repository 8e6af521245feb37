"""Until when everything that was published has passed the way of the data, and is not waiting.

No clock can tell that: a stage may stand still for hours with everything in its stream. So a mark
is set at the newest message of each durable of the first stage; when all up to it are
acknowledged, what they led to stands before the second stage, which is marked in its turn. Behind
the last stage nothing waits any more that was published before the first mark was set.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from scops.common.bus.ports import DurableProgress
from scops.common.contract.service_table import Role
from scops.common.runtime.platform import Backlog, Progress

STAGES = (Role.EXTRACTOR, Role.CHANGE_DETECTOR, Role.INDEXER, Role.FETCHER)
# What a fetch passes until its outcome is known, in its order. A stage is passed twice: what of a
# frame could not be handled stands before it again, alone, when the frame is acknowledged.
WAY = tuple(role for role in STAGES for _ in range(2))


@dataclass(slots=True)
class Passage:
    """Follows marks along the way, one set at a time.

    Attributes:
        progress: how far each durable of a role has come; may raise `TransientError`.
        passed: nothing waits any more that was published before this instant.
    """

    progress: Progress
    passed: datetime | None = None
    _begun: datetime | None = None
    _stages: list[Role] = field(default_factory=list)
    _marks: Mapping[str, int] = field(default_factory=dict)

    async def look(self, *, sent_before: datetime | None) -> datetime | None:
        """Moves on as far as the marks have been passed; returns `passed`.

        Args:
            sent_before: everything recorded before has left for the bus; None where that is not
                known. It is what the next marks stand for.

        Raises:
            TransientError: the bus cannot tell; the marks stay.
        """
        if self._begun is None:
            if sent_before is None:
                return self.passed
            self._begun, self._stages, self._marks = sent_before, list(WAY), {}
        while self._stages:
            found = await self.progress(self._stages[0])
            self._marks = self._marks or {name: one.newest for name, one in found.items()}
            if not all(_is_past(found.get(name), mark) for name, mark in self._marks.items()):
                return self.passed
            del self._stages[0]
            self._marks = {}
        self.passed, self._begun = self._begun, None
        return self.passed


def progress_by(backlog: Backlog) -> Progress:
    """Returns progress as far as counts tell it: a role is done when it is owed nothing."""

    async def progress(role: Role) -> Mapping[str, DurableProgress]:
        owed = await backlog(role)
        return {role.value: DurableProgress(newest=1, done=0 if owed else 1)}

    return progress


def _is_past(found: DurableProgress | None, mark: int) -> bool:
    """Says whether a durable has come by a mark; a stream made anew holds nothing from before."""
    return found is not None and (found.done >= mark or found.newest < mark)
