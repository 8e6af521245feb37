"""Scopes: made, read, changed, shared and removed."""

from collections.abc import Iterable
from typing import TypedDict, Unpack

from scops.client.calls import Call, Listing, Plan
from scops.client.codec import read
from scops.client.methods.names import AnyScope, fresh_request_id, scope_name
from scops.client.values.scopes import (
    Grant,
    Scope,
    ScopePreview,
    ScopeRevision,
    ScopeRule,
    ScopeUse,
)
from scops.client.values.words import Boundary

SERVICE = "ScopeService"


class ScopeFields(TypedDict, total=False):
    """What a caller sets of a scope; see `Scope` for what each means."""

    display_name: str
    rules: Iterable[ScopeRule]
    seeds: Iterable[str]
    sitemaps: Iterable[str]
    page_limit: int
    depth_limit: int
    public: bool
    retention_days: int
    counted_reasons: Iterable[str]
    ignored_reasons: Iterable[str]
    recrawl_per_day: int
    rendered_per_day: int
    rendered_always: bool
    paper_services: Iterable[str]
    boundary: Boundary


def create_scope(scope_id: str, **fields: Unpack[ScopeFields]) -> Plan[Scope]:
    """Creates a scope.

    Args:
        scope_id: [a-z][a-z0-9-]{0,62}.
        fields: rules, or seeds with a boundary, and whatever else `ScopeFields` names.
    """
    wanted = {"scope_id": scope_id, "scope": fields, "request_id": fresh_request_id()}
    return read(Scope, (yield Call(SERVICE, "CreateScope", wanted)).scope)


def get_scope(scope: AnyScope) -> Plan[Scope]:
    """Reads a scope."""
    return read(Scope, (yield Call(SERVICE, "GetScope", {"name": scope_name(scope)})).scope)


def scope_use(scope: AnyScope) -> Plan[ScopeUse]:
    """Says what a scope has used today (UTC) of what a browser may show for it."""
    return read(ScopeUse, (yield Call(SERVICE, "GetScopeUse", {"name": scope_name(scope)})))


def list_scopes(*, page_size: int = 100) -> Listing[Scope]:
    """Lists the scopes that the caller may see, by name."""
    return Listing(Call(SERVICE, "ListScopes", {"page_size": page_size}), "scopes", Scope)


def update_scope(
    scope: AnyScope, *, reason: str = "", etag: str = "", **fields: Unpack[ScopeFields]
) -> Plan[Scope]:
    """Changes the fields of a scope that are given, and no others.

    Args:
        reason: why, for the history of the scope.
        etag: of the revision that the change starts from; where the scope has another by now,
            nothing is changed and `Conflict` is raised. Empty changes whatever stands.
    """
    request = {
        "scope": {"name": scope_name(scope), "etag": etag, **fields},
        "update_mask": {"paths": list(fields)},
        "reason": reason,
    }
    return read(Scope, (yield Call(SERVICE, "UpdateScope", request)).scope)


def delete_scope(scope: AnyScope, *, etag: str = "") -> Plan[None]:
    """Removes a scope; pages and history stay, nobody finds them through it any more."""
    yield Call(SERVICE, "DeleteScope", {"name": scope_name(scope), "etag": etag})


def preview_scope(
    scope: AnyScope | None = None, *, rules: Iterable[ScopeRule] = ()
) -> Plan[ScopePreview]:
    """Says how many known pages match a stored scope, or rules to try.

    With both, it says what would come in and go out if the scope had these rules.
    """
    name = scope_name(scope) if scope is not None else ""
    response = yield Call(SERVICE, "PreviewScope", {"name": name, "rules": rules})
    return read(ScopePreview, response)


def add_pages(scope: AnyScope, urls: Iterable[str], *, reason: str = "") -> Plan[Scope]:
    """Adds hand-picked pages to a scope, each a rule of kind page."""
    fields = {"name": scope_name(scope), "uris": urls, "reason": reason}
    return read(Scope, (yield Call(SERVICE, "AddPages", fields)).scope)


def share_scope(scope: AnyScope, grant: Grant, *, etag: str = "") -> Plan[Scope]:
    """Gives somebody a role in a scope, or changes it; a grant without a role takes it back."""
    fields = {"name": scope_name(scope), "grant": grant, "etag": etag}
    return read(Scope, (yield Call(SERVICE, "ShareScope", fields)).scope)


def transfer_scope(scope: AnyScope, owner: str, *, etag: str = "") -> Plan[Scope]:
    """Makes somebody else the owner (`user:…`, `service:…`); the owner before becomes an editor."""
    fields = {"name": scope_name(scope), "owner": owner, "etag": etag}
    return read(Scope, (yield Call(SERVICE, "TransferScope", fields)).scope)


def fork_scope(scope: AnyScope, scope_id: str, *, display_name: str = "") -> Plan[Scope]:
    """Creates a scope of the caller's own with the rules of another."""
    fields = {
        "name": scope_name(scope),
        "scope_id": scope_id,
        "display_name": display_name,
        "request_id": fresh_request_id(),
    }
    return read(Scope, (yield Call(SERVICE, "ForkScope", fields)).scope)


def list_scope_revisions(scope: AnyScope, *, page_size: int = 100) -> Listing[ScopeRevision]:
    """Lists what a scope was, newest first: who changed what, when and why."""
    fields = {"name": scope_name(scope), "page_size": page_size}
    return Listing(Call(SERVICE, "ListScopeRevisions", fields), "revisions", ScopeRevision)


def revert_scope(
    scope: AnyScope, revision: int, *, etag: str = "", reason: str = ""
) -> Plan[Scope]:
    """Makes the rules and limits of an earlier revision those of a new one."""
    fields = {"name": scope_name(scope), "revision": revision, "etag": etag, "reason": reason}
    return read(Scope, (yield Call(SERVICE, "RevertScope", fields)).scope)
