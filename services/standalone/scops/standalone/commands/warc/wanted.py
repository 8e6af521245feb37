"""Which pages a scope's rules hold."""

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import Scope
from scops.common.scope.contexts import PUBLIC, holds
from scops.common.scope.patterns import read_pattern


class WantedPages:
    """The pages of a scope, by its rules; the gateway looks again.

    Attributes:
        hosts: that the rules name; each page is of one of them, or of a host below one.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.hosts = frozenset(_hosts(scope))

    def admits(self, url: str) -> bool:
        """Returns whether a public page at a canonical URL belongs to the scope."""
        return holds(self._scope, url, PUBLIC)


def _hosts(scope: Scope) -> set[str]:
    hosts = set()
    for rule in scope.rules:
        try:
            hosts.add(read_pattern(rule).host)
        except InvalidInput:
            # It admits nothing.
            continue
    return hosts
