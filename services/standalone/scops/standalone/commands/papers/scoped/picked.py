"""The hand-picked pages of a scope, to which some are added for a while."""

from collections.abc import Iterable

from google.protobuf.field_mask_pb2 import FieldMask

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.client.errors import Conflict
from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.standalone.terminal.client import GatewayClient

REASON = "papers"
DROPPED = "papers: places that gave no text"
TRIES_MAX = 3


class PickedPages:
    """Pages that are added to a scope; those that were not in it before may leave it again."""

    def __init__(self, client: GatewayClient, scope: str) -> None:
        self._client, self._name = client, f"scopes/{scope}"
        self._added: set[str] = set()
        self._before: set[str] | None = None

    def add(self, url: str) -> None:
        """Adds a page.

        Raises:
            InvalidInput: it is no URL of a page.
            scops.client.ScopsError: the gateway refuses.
        """
        named = canonical_url(url)
        if self._before is None:
            self._before = {_named(rule) for rule in self._scope().rules}
        request = pb.AddPagesRequest(name=self._name, uris=[url], reason=REASON)
        self._client.call(self._client.scopes.AddPages, request)
        if named not in self._before:
            self._added.add(named)

    def drop(self, urls: Iterable[str]) -> None:
        """Takes pages out again that were added here.

        Raises:
            scops.client.ScopsError: the gateway refuses, or others go on changing the scope.
        """
        dropped = self._added & {_canonical(url) for url in urls}
        for number in range(1, TRIES_MAX + 1) if dropped else ():
            scope = self._scope()
            kept = [rule for rule in scope.rules if _named(rule) not in dropped]
            if not kept or len(kept) == len(scope.rules):
                return
            wanted = pb.Scope(name=self._name, rules=kept, etag=scope.etag)
            request = pb.UpdateScopeRequest(
                scope=wanted, update_mask=FieldMask(paths=["rules"]), reason=DROPPED
            )
            try:
                self._client.call(self._client.scopes.UpdateScope, request)
            except Conflict:
                if number == TRIES_MAX:
                    raise
                continue
            return

    def _scope(self) -> pb.Scope:
        request = pb.GetScopeRequest(name=self._name)
        return self._client.call(self._client.scopes.GetScope, request).scope


def _named(rule: pb.ScopeRule) -> str:
    """Returns the page that a rule lets in; empty for another rule."""
    is_page = rule.kind == pb.ScopeRule.KIND_PAGE and not rule.exclude
    return _canonical(rule.pattern) if is_page else ""


def _canonical(url: str) -> str:
    try:
        return canonical_url(url)
    except InvalidInput:
        return ""
