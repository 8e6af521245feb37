"""A scope as the gateway stores it, and what a caller may set of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from scops.common.access.permissions import Permission
from scops.common.contract.errors import Conflict, InvalidInput
from scops.common.contract.ids import ScopeId, content_hash
from scops.common.contract.messages.types import Scope, ScopeRef, ScopeRole, ScopeRule
from scops.gateway.requests.names import scope_name
from scops.gateway.scopes.boundary import boundary_rules

ETAG_CHARACTERS = 16
MASK_ALL = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScope:
    """A scope with the times of its row.

    Attributes:
        role: what the caller is in it, where it is shown to one.
    """

    scope: Scope
    created_time: datetime
    updated_time: datetime
    role: ScopeRole = ScopeRole.UNSPECIFIED

    @property
    def etag(self) -> str:
        """Changes with every revision."""
        return content_hash(self.scope.scope_id, str(self.scope.revision))[:ETAG_CHARACTERS]


# What a caller may set of a scope, by the names of the API, in its attributes.
SETTABLE = {"display_name": "name"} | {
    name: name
    for name in (
        "rules",
        "boundary",
        "seeds",
        "sitemaps",
        "page_limit",
        "depth_limit",
        "recrawl_per_day",
        "rendered_per_day",
        "rendered_always",
        "paper_services",
        "public",
        "retention_days",
        "counted_reasons",
        "ignored_reasons",
    )
}
UNSET = Scope()
# What changing a field takes; the others are rules and limits.
PERMISSIONS = {
    "public": Permission.SHARE,
    # A shorter one drops versions for good.
    "retention_days": Permission.PURGE,
}


def ref_of(scope: Scope) -> ScopeRef:
    """Returns the scope as commands and queries name it."""
    return ScopeRef(scope_id=scope.scope_id, revision=scope.revision)


def new_scope(scope_id: ScopeId, wanted: Scope, *, organisation_id: str, owner: str) -> Scope:
    """Returns the first revision of a scope."""
    scope = Scope(scope_id=scope_id, organisation_id=organisation_id, owner=owner, revision=1)
    return with_fields(scope, wanted, tuple(SETTABLE))


def forked(source: Scope, *, display_name: str) -> Scope:
    """Returns what a scope made from another sets: its rules and limits, shared with nobody."""
    name = display_name or source.name
    bare = replace(source, access_contexts=(), credentials=())
    return replace(bare, name=name, public=False, grants=())


def needed_for(before: Scope, after: Scope) -> frozenset[Permission]:
    """Returns what a caller needs to change the fields in which two scopes differ."""
    return frozenset(
        PERMISSIONS.get(name, Permission.CHANGE_RULES)
        for name in SETTABLE.values()
        if getattr(before, name) != getattr(after, name)
    )


def with_fields(scope: Scope, wanted: Scope, fields: Sequence[str]) -> Scope:
    """Returns a scope with the fields named taken from another; the revision stays.

    Rules that are not given are kept but for those that the boundary wrote: `checked_scope`
    writes them anew.
    """
    values = {SETTABLE[field]: getattr(wanted, SETTABLE[field]) for field in fields}
    if "name" in values:
        # Explanations show the name, so a scope always has one.
        values["name"] = wanted.name.strip() or scope.scope_id
    if "rules" not in values:
        values["rules"] = own_rules(scope)
    return replace(scope, **values)


def own_rules(scope: Scope) -> tuple[ScopeRule, ...]:
    """Returns the rules of a scope but for those that its boundary wrote."""
    written = boundary_rules(scope.boundary, scope.seeds)
    return tuple(rule for rule in scope.rules if rule not in written)


def masked_fields(mask: Sequence[str], wanted: Scope) -> tuple[str, ...]:
    """Returns the names of the fields that an update sets (AIP-134).

    Args:
        mask: paths of the update mask; empty takes the fields that are set, `*` all of them.

    Raises:
        InvalidInput: a path names no field that can be set.
    """
    if not mask:
        return tuple(
            field
            for field, name in SETTABLE.items()
            if getattr(wanted, name) != getattr(UNSET, name)
        )
    if tuple(mask) == (MASK_ALL,):
        return tuple(SETTABLE)
    for path in mask:
        if path not in SETTABLE:
            raise InvalidInput(
                f"The update_mask names {path[:80]!r}, which cannot be set. "
                f"It may name {', '.join(SETTABLE)}, or * alone for all of them.",
                reason="UPDATE_MASK_INVALID",
                field="update_mask",
            )
    return tuple(field for field in SETTABLE if field in mask)


def next_revision(scope: Scope) -> Scope:
    """Returns the scope as its next revision."""
    return replace(scope, revision=scope.revision + 1)


def check_etag(stored: StoredScope, etag: str) -> None:
    """Checks that a scope is still as its caller last read it; no etag checks nothing.

    Raises:
        Conflict: it has changed.
    """
    if etag and etag != stored.etag:
        name = scope_name(stored.scope.scope_id)
        raise Conflict(
            f"{name} has changed since it was read: its etag is {stored.etag} now. "
            "Read it again, then repeat the change.",
            reason="ETAG_MISMATCH",
            field="etag",
            resource=name,
        )
