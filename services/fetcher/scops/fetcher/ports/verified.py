"""Pages that showed again what the index has: they leave and settle many at a time.

Each method is one transaction; see `scops.fetcher.ports`.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol


class VerifiedFetches(Protocol):
    """Fetches in state `verified`, and what comes back of them."""

    async def publish(self, *, limit: int, now: datetime) -> int:
        """Publishes verified fetches as one `PagesVerified`, those recorded first, first.

        Where their URLs are so long that the bus would not take it, they leave in several.

        Returns:
            How many; `limit` means that there may be more.
        """
        ...

    async def settle(self, fetch_ids: Sequence[str], *, now: datetime) -> None:
        """Ends fetches as unchanged, and the rows that hang on them; the first outcome wins."""
        ...

    async def publish_alone(self, fetch_ids: Sequence[str], *, now: datetime) -> None:
        """Publishes fetches again, each as `PageUnmodified`; those that were already, stay."""
        ...
