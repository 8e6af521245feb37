"""Questions inside scopes, cut down to what whoever they are asked for may read.

The gateway asks for what its caller may see; whoever answers looks again, by the scopes as they
are here and now, so that a mistake on the way, or a right taken back meanwhile, lets nothing out.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from scops.common.access.assertion import principal_of
from scops.common.access.bearing import borne
from scops.common.access.permissions import Permission
from scops.common.access.principal import Principal
from scops.common.access.visibility import may
from scops.common.contract.errors import NotPermitted
from scops.common.contract.messages.types import ScopeRef
from scops.common.observe.metrics import ACCESS_REFUSED
from scops.common.runtime.clock import Clock
from scops.common.runtime.service import QueryBinding
from scops.common.scope.book import ScopeBook

# A gateway gives its word each minute; explainers of its version may outlive it for a while.
UNSIGNED = timedelta(hours=1)


class AssertedIdentity:
    """For whom the question that is being answered is asked."""

    def __init__(self, book: ScopeBook, clock: Clock) -> None:
        self._book = book
        self._clock = clock

    def principal(self) -> Principal:
        """Returns for whom.

        Raises:
            NotPermitted: the question does not say so, or not any more.
            NotYetKnown: the gateway's key, or a scope, has not arrived here yet.
        """
        return principal_of(borne(), keys=self._book.identity_keys, now=self._clock.now())

    def is_unsigned(self) -> bool:
        """Returns whether a question comes from a gateway that signs nothing.

        While versions change, gateways of an earlier one ask as well; they say so by the word
        that only gateways may write.
        """
        vouched = self._book.unsigned_time
        if borne() or vouched is None:
            return False
        return abs(self._clock.now() - vouched) < UNSIGNED

    def readable(self, refs: Sequence[ScopeRef]) -> tuple[ScopeRef, ...]:
        """Returns the scopes of a question that its asker may read; a deleted one is nobody's.

        Raises:
            NotPermitted: none of those that stand is.
        """
        if self.is_unsigned():
            return tuple(refs)
        principal = self.principal()
        scopes = [self._book.get(ref) for ref in refs]
        hidden = [
            scope.scope_id
            for scope in scopes
            if not scope.deleted and not may(principal, Permission.ASK, scope)
        ]
        if not hidden:
            return tuple(refs)
        ACCESS_REFUSED.inc(len(hidden))
        if len(hidden) == len(refs):
            raise NotPermitted(
                "None of the scopes asked may be read by whom the question is asked for.",
                reason="SCOPES_NOT_READABLE",
            )
        return tuple(ref for ref in refs if ref.scope_id not in hidden)


def checked_bindings(
    bindings: Sequence[QueryBinding], identity: AssertedIdentity
) -> tuple[QueryBinding, ...]:
    """Returns bindings that answer inside of what the asker may read, and nobody unknown."""
    return tuple(replace(one, answer=_checked(one.answer, identity)) for one in bindings)


def _checked(
    answer: Callable[[Any], Awaitable[Any]], identity: AssertedIdentity
) -> Callable[[Any], Awaitable[Any]]:
    async def checked(request: Any) -> Any:
        refs = getattr(request, "scopes", None)
        if not refs:
            if not identity.is_unsigned():
                identity.principal()
            return await answer(request)
        return await answer(replace(request, scopes=identity.readable(refs)))

    return checked
