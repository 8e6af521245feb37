"""The history of a scope: what it was, who changed it, when and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import Grant, Scope, ScopeRule
from scops.common.text.printable import printable
from scops.gateway.scopes.stored_scope import SETTABLE

REASON_CHARACTERS_MAX = 500
# Kept of a scope; older ones go as newer ones come.
REVISIONS_KEPT = 500
# Lines of one difference that are shown.
DIFFERENCES_MAX = 200
LISTS = ("seeds", "sitemaps", "counted_reasons", "ignored_reasons", "paper_services")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeChange:
    """Who changes a scope, and why."""

    principal: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRevision:
    """What a scope was from one change to the next.

    Attributes:
        before: the scope as the change found it; None for the first revision that is kept.
    """

    scope: Scope
    changed_time: datetime
    change: ScopeChange
    before: Scope | None = None

    @property
    def differences(self) -> tuple[str, ...]:
        """What differs from the revision before, a line each."""
        lines = list(_differences(self.before, self.scope)) if self.before is not None else []
        if len(lines) > DIFFERENCES_MAX:
            more = len(lines) - DIFFERENCES_MAX
            return (*lines[:DIFFERENCES_MAX], f"and {more} more differences")
        return tuple(lines)


def check_reason(reason: str) -> str:
    """Returns the reason that a caller gives for a change.

    Raises:
        InvalidInput: it is too long.
    """
    if len(reason) > REASON_CHARACTERS_MAX:
        raise InvalidInput(
            f"The reason has {len(reason)} characters; at most {REASON_CHARACTERS_MAX} are kept.",
            reason="REASON_TOO_LONG",
            field="reason",
        )
    return reason


def _differences(before: Scope, after: Scope) -> Iterator[str]:
    yield from _list_differences("rules", _rules(before.rules), _rules(after.rules))
    for name in LISTS:
        yield from _list_differences(name, getattr(before, name), getattr(after, name))
    for field, name in SETTABLE.items():
        old, new = getattr(before, name), getattr(after, name)
        if name != "rules" and name not in LISTS and old != new:
            yield printable(f"{field}: {old} -> {new}")
    if before.owner != after.owner:
        yield f"owner: {before.owner} -> {after.owner}"
    yield from _list_differences("shared", _grants(before.grants), _grants(after.grants))
    if after.deleted:
        yield "deleted"


def _list_differences(name: str, before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    old, new = frozenset(before), frozenset(after)
    yield from (printable(f"{name}: - {item}") for item in before if item not in new)
    yield from (printable(f"{name}: + {item}") for item in after if item not in old)


def _rules(rules: Sequence[ScopeRule]) -> tuple[str, ...]:
    return tuple(
        f"{'exclude ' if rule.exclude else ''}{rule.kind.value} {rule.pattern}" for rule in rules
    )


def _grants(grants: Sequence[Grant]) -> tuple[str, ...]:
    return tuple(
        " ".join((grant.subject, grant.role.value, *sorted(grant.rights))) for grant in grants
    )
