"""Resource names of the API (AIP-122): `scopes/{scope}`, `pages/{page}`, `jobs/{job}`."""

import re

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import JobId, PageId, ScopeId

SCOPE_ID = re.compile(r"[a-z][a-z0-9-]{0,62}")
OPAQUE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")


def scope_name(scope_id: ScopeId) -> str:
    """Returns `scopes/{scope}`."""
    return f"scopes/{scope_id}"


def page_name(page_id: PageId) -> str:
    """Returns `pages/{page}`, or nothing for no page."""
    return f"pages/{page_id}" if page_id else ""


def job_name(job_id: JobId) -> str:
    """Returns `jobs/{job}`."""
    return f"jobs/{job_id}"


def scope_of(name: str, field: str = "name") -> ScopeId:
    """Returns the id in `scopes/{scope}`.

    Raises:
        InvalidInput: the name has another form.
    """
    return ScopeId(_id_of(name, "scopes", SCOPE_ID, field))


def page_of(name: str, field: str = "name") -> PageId:
    """Returns the id in `pages/{page}`.

    Raises:
        InvalidInput: the name has another form.
    """
    return PageId(_id_of(name, "pages", OPAQUE_ID, field))


def job_of(name: str, field: str = "name") -> JobId:
    """Returns the id in `jobs/{job}`.

    Raises:
        InvalidInput: the name has another form.
    """
    return JobId(_id_of(name, "jobs", OPAQUE_ID, field))


def checked_scope_id(text: str) -> ScopeId:
    """Returns a scope id that a caller chose.

    Raises:
        InvalidInput: it is not 1 to 63 characters of a-z, 0-9 and -, beginning with a letter.
    """
    if not SCOPE_ID.fullmatch(text):
        raise InvalidInput(
            f"The scope id {text[:80]!r} cannot be used: it must be 1 to 63 characters of a-z, "
            "0-9 and -, and begin with a letter, such as team-docs.",
            reason="MALFORMED_SCOPE_ID",
            field="scope_id",
        )
    return ScopeId(text)


def _id_of(name: str, collection: str, pattern: re.Pattern[str], field: str) -> str:
    head, slash, tail = name.partition("/")
    if head != collection or not slash or not pattern.fullmatch(tail):
        raise InvalidInput(
            f"The name {name[:80]!r} cannot be used: it must be {collection}/ and an id.",
            reason="MALFORMED_NAME",
            field=field,
        )
    return tail
