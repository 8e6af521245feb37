"""What the gateway needs of the scopes' projection."""

from collections.abc import Collection, Mapping
from typing import Protocol

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope


class ScopePublisher(Protocol):
    """Writes scopes where every other service watches them."""

    async def publish_scope(self, scope: Scope) -> int | None:
        """Stores a revision of a scope, also a deleted one; returns once it is durable.

        May be repeated.

        Returns:
            None where the projection holds it; else the revision that it holds and keeps: a later
            one, or the same one of other content.

        Raises:
            StoreUnavailable: the projection does not take it; it may be stored.
            MessageTooLarge: the scope has too many and too long rules.
        """
        ...

    async def scope_ids(self) -> Collection[tuple[str, ScopeId]]:
        """Returns organisation and id of every scope that the projection holds, deleted or not.

        Raises:
            StoreUnavailable: it does not answer.
        """
        ...

    async def retract_scope(self, organisation_id: str, scope_id: ScopeId) -> None:
        """Stores that a scope which the table does not know is deleted; may be repeated.

        Raises:
            StoreUnavailable: it does not take it.
        """
        ...

    async def vouch(
        self, organisation_id: str, generation: str, *, identity_keys: Mapping[str, str]
    ) -> None:
        """Stores that a generation holds every scope of the table as of now, and who signs.

        Only who has just seen that nothing is left to publish says so, and says it again and
        again: readers believe it for `WHOLE_SECONDS`.

        Args:
            identity_keys: the public keys by which gateways sign for whom they ask, by id.

        Raises:
            StoreUnavailable: it does not take it.
        """
        ...

    async def generation(self) -> str:
        """Returns what changes when the projection was lost and made anew, empty.

        Raises:
            StoreUnavailable: it does not answer.
        """
        ...
