"""Scholarly services that are asked for papers together."""

from collections.abc import Sequence
from typing import Protocol

from scops.libraries.papers.gathering import Gathered


class PaperSearches(Protocol):
    """Searches scholarly services, each by one request at a time and at its pace."""

    async def found(self, words: str, *, services: Sequence[str], limit: int) -> Gathered:
        """Returns what services find for words; those that are not asked here are named with why.

        Args:
            limit: of papers, at most.

        Raises:
            TransientError: they take longer than is waited for; what they say is held for whoever
                asks the same again.
        """
        ...
