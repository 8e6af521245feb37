"""What the gateway needs of the scopes' projection."""

from typing import Protocol

from scops.common.contract.messages.types import Scope


class ScopePublisher(Protocol):
    """Writes scopes where every other service watches them."""

    async def publish_scope(self, scope: Scope) -> None:
        """Stores a revision of a scope, also a deleted one; returns once it is durable.

        May be repeated; watchers keep the newest revision.

        Raises:
            StoreUnavailable: the projection does not take it; it may be stored.
            MessageTooLarge: the scope has too many and too long rules.
        """
        ...

    async def generation(self) -> str:
        """Returns what changes when the projection was lost and made anew, empty.

        Raises:
            StoreUnavailable: it does not answer.
        """
        ...
