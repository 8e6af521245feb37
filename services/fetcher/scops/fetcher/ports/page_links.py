"""Where pages lead to; each method is one transaction, see `scops.fetcher.ports`."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from scops.common.contract.messages.types import BodyRef


class PageLinkStore(Protocol):
    """Reads what is known of pages by their URLs."""

    async def link_lists(
        self, urls: Sequence[str], *, contexts: Sequence[str]
    ) -> Mapping[str, BodyRef]:
        """Returns by URL the list of links of the page that it names; others are left out."""
        ...

    async def standing(self, urls: Sequence[str], *, contexts: Sequence[str]) -> Collection[str]:
        """Returns those of the URLs whose pages the index has confirmed, and that stand."""
        ...
