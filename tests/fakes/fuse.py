"""Ends a simulated process at a chosen effect."""

from dataclasses import dataclass


class Stop(BaseException):
    """The process ended."""


@dataclass
class Fuse:
    """Ends the process at one effect, counted from 0; -1 lets everything pass."""

    at: int = -1
    seen: int = 0
    where: str = ""

    async def __call__(self, name: str) -> None:
        self.seen += 1
        if self.seen - 1 == self.at:
            self.where = name
            raise Stop(name)
