"""What each principal may hold, whatever the permissions say: scopes, and what these ask for."""

from collections.abc import Iterable
from dataclasses import dataclass

from scops.common.access.principal import LOCAL
from scops.common.contract.errors import QuotaReached
from scops.common.contract.messages.types import Scope
from scops.common.scope.limits import PAGE_LIMIT_DEFAULT

ADVICE = {
    "scopes": "Delete one that is not needed, or hand it to somebody else",
    "rules": "Remove rules that are not needed, or say the same in fewer prefixes",
    "pages": "Lower the page_limit of some scope",
    "recrawls": "Lower the recrawl_per_day of some scope",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldQuotas:
    """Bounds of what one principal owns; 0 bounds nobody, and `local` has none.

    Attributes:
        scopes: that are not deleted.
        rules: of all of these together.
        pages: that all of these together may crawl, the sum of their page limits.
        recrawls: fetches a day that all of these together ask for, to be kept fresh.
    """

    scopes: int = 0
    rules: int = 0
    pages: int = 0
    recrawls: int = 0

    @property
    def bounds_anybody(self) -> bool:
        """Whether there is anything to look at."""
        return any(getattr(self, name) for name in ADVICE)

    def check(self, after: Scope, standing: Iterable[Scope]) -> None:
        """Checks that a scope's owner has room for it as it is to be.

        Whoever holds too much already may change what takes no more.

        Args:
            standing: scopes of the organisation, without deleted ones. One of the same id is what
                is replaced, so that a repeated request gets what it created.

        Raises:
            QuotaReached: they would hold more than each may.
        """
        if after.owner == LOCAL or after.deleted:
            return
        owned = [scope for scope in standing if scope.owner == after.owner]
        others = [scope for scope in owned if scope.scope_id != after.scope_id]
        before, wanted = held_by(owned), held_by([*others, after])
        for name, held in wanted.items():
            limit = getattr(self, name)
            if limit and held > max(limit, before[name]):
                raise _reached(after.owner, name, limit=limit, held=before[name], wanted=held)


def held_by(scopes: Iterable[Scope]) -> dict[str, int]:
    """Returns what some scopes are together, by quota."""
    held = dict.fromkeys(ADVICE, 0)
    for scope in scopes:
        held["scopes"] += 1
        held["rules"] += len(scope.rules)
        held["pages"] += scope.page_limit or PAGE_LIMIT_DEFAULT
        held["recrawls"] += max(0, scope.recrawl_per_day)
    return held


def _reached(owner: str, name: str, *, limit: int, held: int, wanted: int) -> QuotaReached:
    return QuotaReached(
        f"{owner} owns {held} {name} and would own {wanted}; each caller may own {limit} here. "
        f"{ADVICE[name]}, and repeat this then.",
        reason="SCOPE_QUOTA_REACHED",
        quota=name,
        limit=str(limit),
        held=str(held),
    )
