"""What is made of a scope's rules, held while its rules are the very same ones.

All rules of a scope are asked for each page, so that comparing them would cost more than matching.
"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from scops.common.contract.messages.types import ScopeRule

T = TypeVar("T")
# Scopes of which something is held.
SCOPES_HELD = 1000


class HeldByRules(Generic[T]):
    """Makes a value of rules once, and gives it out again for the same tuple."""

    def __init__(self, make: Callable[[tuple[ScopeRule, ...]], T]) -> None:
        self._make = make
        # The rules are held too, so that their identity is nobody else's meanwhile.
        self._held: dict[int, tuple[tuple[ScopeRule, ...], T]] = {}

    def of(self, rules: Sequence[ScopeRule]) -> T:
        """Returns the value of rules; those in a list are read anew each time."""
        rules = tuple(rules)
        held = self._held.get(id(rules))
        if held is not None and held[0] is rules:
            return held[1]
        if len(self._held) >= SCOPES_HELD:
            self._held.clear()
        made = self._make(rules)
        self._held[id(rules)] = (rules, made)
        return made
