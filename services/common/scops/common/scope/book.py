"""The scopes that a service holds: a projection of the gateway's table, fed by the KV watch."""

from collections.abc import Iterable
from dataclasses import replace

from scops.common.contract.errors import NotYetKnown
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope, ScopeRef


class ScopeBook:
    """The newest revision of each scope that has arrived; unready until the first snapshot."""

    def __init__(self, scopes: Iterable[Scope] = ()) -> None:
        self._scopes: dict[ScopeId, Scope] = {}
        self.complete = False
        for scope in scopes:
            self.apply(scope)

    def apply(self, scope: Scope) -> bool:
        """Takes a scope in, and says whether it is newer than the one held."""
        held = self._scopes.get(scope.scope_id)
        if held is not None and held.revision >= scope.revision:
            return False
        self._scopes[scope.scope_id] = scope
        return True

    def replace(self, scope: Scope) -> bool:
        """Takes a scope in whatever is held, and says whether it differs.

        Who calls it knows that it came later.
        """
        held = self._scopes.get(scope.scope_id)
        self._scopes[scope.scope_id] = scope
        return held != scope

    def get(self, ref: ScopeRef) -> Scope:
        """Returns the newest revision held of a scope, at least the one that `ref` names.

        A deleted scope is returned with its `deleted` mark and without rules.

        Raises:
            NotYetKnown: the revision has not arrived yet.
        """
        held = self._scopes.get(ref.scope_id)
        if held is None or held.revision < ref.revision:
            raise NotYetKnown(
                f"Scope {ref.scope_id} at revision {ref.revision} has not arrived yet.",
                reason="SCOPE_NOT_YET_KNOWN",
                scope_id=ref.scope_id,
            )
        return replace(held, rules=()) if held.deleted else held

    def all(self) -> tuple[Scope, ...]:
        """Returns every scope that is not deleted, by id."""
        return tuple(scope for _, scope in sorted(self._scopes.items()) if not scope.deleted)
