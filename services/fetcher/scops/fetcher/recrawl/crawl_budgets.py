"""Who pays for keeping a page fresh: a scope with a budget of its own, else the organisation.

A scope names how many fetches a day keep its pages fresh: some, 0 to share what the organisation
has, or -1 to leave them as they are. A page of several scopes is paid for by the first that has
a budget of its own, by id; a page of none is not fetched again without being asked for.
"""

from collections.abc import Mapping

from scops.common.contract.messages.types import Scope
from scops.common.scope.book import ScopeBook
from scops.common.scope.rules import in_scope

ORGANISATION = ""
NOBODY = "-"
SHARED = 0


class CrawlBudgets:
    """The budgets as the scopes stand now."""

    def __init__(self, scopes: ScopeBook, *, per_day: int) -> None:
        self._scopes = scopes
        self._per_day = per_day

    def per_day(self) -> Mapping[str, int]:
        """Returns the fetches a day of each budget that has any."""
        own = {
            str(scope.scope_id): scope.recrawl_per_day
            for scope in self._scopes.all()
            if scope.recrawl_per_day > SHARED
        }
        return ({ORGANISATION: self._per_day} if self._per_day else {}) | own

    def payer(self, url: str) -> str:
        """Returns the budget that pays for a page."""
        shared = NOBODY
        for scope in self._scopes.all():
            if scope.recrawl_per_day < SHARED or not in_scope(scope, url):
                continue
            if scope.recrawl_per_day > SHARED:
                return str(scope.scope_id)
            shared = ORGANISATION
        return shared

    def holder(self, url: str, *, budget_id: str) -> Scope | None:
        """Returns a scope of a budget that holds a page; None where none does any more."""
        for scope in self._scopes.all():
            is_payer = (
                scope.recrawl_per_day == SHARED
                if budget_id == ORGANISATION
                else scope.scope_id == budget_id
            )
            if is_payer and in_scope(scope, url):
                return scope
        return None
