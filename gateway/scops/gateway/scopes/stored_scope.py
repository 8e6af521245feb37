"""A scope as the gateway stores it, and what a caller may set of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from scops.common.contract.errors import Conflict, InvalidInput
from scops.common.contract.ids import ScopeId, content_hash
from scops.common.contract.messages.types import Boundary, Scope, ScopeRef, ScopeRule
from scops.gateway.requests.names import scope_name
from scops.gateway.scopes.boundary import boundary_rules

ETAG_CHARACTERS = 16
MASK_ALL = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeFields:
    """What a caller may set of a scope."""

    display_name: str = ""
    rules: tuple[ScopeRule, ...] = ()
    boundary: Boundary = Boundary.UNSPECIFIED
    seeds: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    page_limit: int = 0
    depth_limit: int = 0
    recrawl_per_day: int = 0
    public: bool = False
    retention_days: int = 0
    counted_reasons: tuple[str, ...] = ()
    ignored_reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScope:
    """A scope with the times of its row."""

    scope: Scope
    created_time: datetime
    updated_time: datetime

    @property
    def etag(self) -> str:
        """Changes with every revision."""
        return content_hash(self.scope.scope_id, str(self.scope.revision))[:ETAG_CHARACTERS]


FIELD_NAMES = tuple(ScopeFields.__dataclass_fields__)
UNSET = ScopeFields()


def ref_of(scope: Scope) -> ScopeRef:
    """Returns the scope as commands and queries name it."""
    return ScopeRef(scope_id=scope.scope_id, revision=scope.revision)


def new_scope(scope_id: ScopeId, fields: ScopeFields, *, organisation_id: str, owner: str) -> Scope:
    """Returns the first revision of a scope."""
    scope = Scope(scope_id=scope_id, organisation_id=organisation_id, owner=owner, revision=1)
    return with_fields(scope, fields, FIELD_NAMES)


def with_fields(scope: Scope, fields: ScopeFields, names: Sequence[str]) -> Scope:
    """Returns a scope with the named fields taken over; the revision stays.

    Rules that are not given are kept but for those that the boundary wrote: `checked_scope`
    writes them anew.
    """
    values = {name: getattr(fields, name) for name in names if name != "display_name"}
    if "display_name" in names:
        # Explanations show the name, so a scope always has one.
        values["name"] = fields.display_name.strip() or scope.scope_id
    if "rules" not in names:
        written = boundary_rules(scope.boundary, scope.seeds)
        values["rules"] = tuple(rule for rule in scope.rules if rule not in written)
    return replace(scope, **values)


def masked_fields(mask: Sequence[str], fields: ScopeFields) -> tuple[str, ...]:
    """Returns the names of the fields that an update sets (AIP-134).

    Args:
        mask: paths of the update mask; empty takes the fields that are set, `*` all of them.

    Raises:
        InvalidInput: a path names no field that can be set.
    """
    if not mask:
        return tuple(name for name in FIELD_NAMES if getattr(fields, name) != getattr(UNSET, name))
    if tuple(mask) == (MASK_ALL,):
        return FIELD_NAMES
    for path in mask:
        if path not in FIELD_NAMES:
            raise InvalidInput(
                f"The update_mask names {path[:80]!r}, which cannot be set. "
                f"It may name {', '.join(FIELD_NAMES)}, or * alone for all of them.",
                reason="UPDATE_MASK_INVALID",
                field="update_mask",
            )
    return tuple(name for name in FIELD_NAMES if name in mask)


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
