"""Which pages a scope's rules hold."""

from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import Scope
from scops.common.scope.contexts import PUBLIC, holds
from scops.common.scope.patterns import read_pattern
from scops.gateway.scopes.scope_check import checked_scope
from scops.standalone.commands.scopes.written import definition_of
from scops.standalone.terminal.client import GatewayClient


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


def wanted_pages(client: GatewayClient, scope: str) -> WantedPages:
    """Returns the pages of a scope, by its rules as they stand."""
    request = scopes.GetScopeRequest(name=f"scopes/{scope}")
    answer = client.call(client.scopes.GetScope, request)
    return WantedPages(checked_scope(definition_of(answer.scope)))


def _hosts(scope: Scope) -> set[str]:
    hosts = set()
    for rule in scope.rules:
        try:
            hosts.add(read_pattern(rule).host)
        except InvalidInput:
            # It admits nothing.
            continue
    return hosts
