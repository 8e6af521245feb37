"""The scopes that a service holds: a projection of the gateway's table, fed by the KV watch."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from scops.common.contract.errors import NotYetKnown
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope, ScopeRef

# The gateway repeats its word each minute; whoever hears none for so long trusts it no more.
WHOLE_SECONDS = 600.0


class ScopeBook:
    """The newest revision of each scope that has arrived; unready until the first snapshot.

    Attributes:
        complete: what the projection holds has arrived; the projection itself may lack scopes.
        vouched_time: when the gateway said last that the projection lacks none, as far as it said
            so since it is read here: one that lost its end holds an earlier word.
        vouched_before: it held such a word when it was first read.
        identity_keys: the keys by which the gateway signs for whom it asks, by id.
        unsigned_time: when a gateway of an earlier version, which signs nothing, vouched last.
    """

    def __init__(self, scopes: Iterable[Scope] = ()) -> None:
        self._scopes: dict[ScopeId, Scope] = {}
        self.complete = False
        self.vouched_time: datetime | None = None
        self.vouched_before = False
        self.identity_keys: Mapping[str, str] = {}
        self.unsigned_time: datetime | None = None
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

    def is_whole(self, now: datetime) -> bool:
        """Returns whether every scope is here, by a word of the gateway that is not old.

        What is lost for good by a scope that is not known waits for this.
        """
        if not self.complete or self.vouched_time is None:
            return False
        return abs(now - self.vouched_time) < timedelta(seconds=WHOLE_SECONDS)

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
