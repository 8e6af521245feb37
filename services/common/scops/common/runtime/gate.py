"""A gate: who comes to it waits while it is shut."""

import asyncio


class Gate:
    """Open while there is a point in going on.

    Args:
        behind: another gate that has to be open as well.
    """

    def __init__(self, *, behind: "Gate | None" = None) -> None:
        self._behind = behind
        self._opened = asyncio.Event()
        self._opened.set()

    @property
    def is_open(self) -> bool:
        """Whether one may pass."""
        return self._opened.is_set() and (self._behind is None or self._behind.is_open)

    def shut(self) -> None:
        """Holds back who comes next."""
        self._opened.clear()

    def open(self) -> None:
        """Lets everybody through, as far as the gate behind is open."""
        self._opened.set()

    async def passed(self) -> None:
        """Waits until the gate is open, and the one behind it."""
        while not self.is_open:
            await self._opened.wait()
            if self._behind is not None:
                await self._behind.passed()
