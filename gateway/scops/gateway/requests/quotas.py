"""What each caller may have, whatever the permissions say."""

from collections.abc import Iterable
from dataclasses import dataclass

from scops.common.access.principal import LOCAL, Principal
from scops.common.contract.errors import QuotaReached
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """Bounds of one principal; 0 bounds nobody, and `local` has none.

    Attributes:
        scopes: that a principal owns and has not deleted.
    """

    scopes: int = 0

    def check_scopes(self, principal: Principal, new_id: ScopeId, scopes: Iterable[Scope]) -> None:
        """Checks that a principal may own one more scope.

        Args:
            new_id: does not count, so that a repeated request gets what it created.
            scopes: of the organisation, without deleted ones.

        Raises:
            QuotaReached: they own as many as each may.
        """
        if not self.scopes or principal.principal_id == LOCAL:
            return
        owned = sum(
            1
            for scope in scopes
            if scope.owner == principal.principal_id and scope.scope_id != new_id
        )
        if owned >= self.scopes:
            raise QuotaReached(
                f"You own {owned} scopes; each caller may own {self.scopes} here. Delete one that "
                "is not needed, or hand it to somebody else, and create this one then.",
                reason="SCOPE_QUOTA_REACHED",
                quota="scopes",
                limit=str(self.scopes),
                held=str(owned),
            )
