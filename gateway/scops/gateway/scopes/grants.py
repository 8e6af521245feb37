"""With whom a scope is shared: grants as a caller sends them, checked and put into a scope."""

import re
from dataclasses import replace

from scops.common.access.permissions import GRANTABLE
from scops.common.access.principal import GROUP, LOCAL, SERVICE, USER
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import Grant, Scope, ScopeRole

GRANTS_MAX = 500
SUBJECT_CHARACTERS_MAX = 320
_NAME = re.compile(r"[^\s:*/][^\s*]{0,319}")


def checked_subject(text: str, *, field: str, groups: bool = True) -> str:
    """Returns a subject as it is stored: e-mail addresses in lower case.

    Raises:
        InvalidInput: it names nobody.
    """
    kinds = (USER, SERVICE, GROUP) if groups else (USER, SERVICE)
    kind = next((kind for kind in kinds if text.startswith(kind)), None)
    if text == LOCAL and not groups:
        return text
    if kind is None or not _NAME.fullmatch(text.removeprefix(kind)):
        wanted = ", ".join(f"{kind}…" for kind in kinds)
        raise InvalidInput(
            f"The subject {text[:80]!r} names nobody: write {wanted}, such as "
            "user:ann@example.org.",
            reason="SUBJECT_INVALID",
            field=field,
        )
    return text.lower() if kind == USER and "@" in text else text


def checked_grant(grant: Grant) -> Grant:
    """Returns a grant as it is stored.

    Raises:
        InvalidInput: its subject names nobody, its role is to own, or a right is none.
    """
    subject = checked_subject(grant.subject, field="grant.subject")
    if grant.role is ScopeRole.OWNER:
        raise InvalidInput(
            "A scope has one owner. Transfer it, or share it as editor with the rights share, "
            "rechunk and purge.",
            reason="GRANT_OF_OWNERSHIP",
            field="grant.role",
        )
    unknown = sorted(set(grant.rights) - {right.value for right in GRANTABLE})
    if unknown or (grant.rights and grant.role is ScopeRole.UNSPECIFIED):
        wanted = ", ".join(sorted(right.value for right in GRANTABLE))
        raise InvalidInput(
            f"The rights {', '.join(grant.rights)[:200]} cannot be granted so: name a role, and "
            f"beside it some of {wanted}.",
            reason="RIGHT_INVALID",
            field="grant.rights",
        )
    return replace(grant, subject=subject, rights=tuple(sorted(set(grant.rights))))


def with_grant(scope: Scope, grant: Grant) -> Scope:
    """Returns a scope in which a subject has this grant alone; without a role, none.

    Raises:
        InvalidInput: the scope has as many as it may have.
    """
    others = tuple(one for one in scope.grants if one.subject != grant.subject)
    if grant.role is ScopeRole.UNSPECIFIED:
        return replace(scope, grants=others)
    if len(others) >= GRANTS_MAX:
        raise InvalidInput(
            f"The scope is shared with {GRANTS_MAX} subjects already. Share it with a group.",
            reason="TOO_MANY_GRANTS",
            field="grant",
        )
    grants = sorted((*others, grant), key=lambda one: one.subject)
    return replace(scope, grants=tuple(grants))


def with_owner(scope: Scope, owner: str) -> Scope:
    """Returns a scope of another owner; the one before it becomes an editor."""
    if owner == scope.owner:
        return scope
    before = Grant(subject=scope.owner, role=ScopeRole.EDITOR)
    kept = with_grant(scope, Grant(subject=owner))
    if scope.owner != LOCAL:
        kept = with_grant(kept, before)
    return replace(kept, owner=owner)
