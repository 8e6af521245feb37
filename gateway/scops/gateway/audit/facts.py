"""What the audit keeps of a request: never page text, credentials or URLs of a purge.

Queries are kept only where an operator says so.
"""

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from scops.common.text.printable import printable
from scops.gateway.audit.entry import AuditFact

# Of anything else a request's fields are counted where they are lists, and left out.
KEPT = frozenset(
    {
        "before_time",
        "block",
        "days",
        "depth_limit",
        "display_name",
        "dry_run",
        "expire_time",
        "group",
        "keep_days",
        "loud",
        "origin",
        "owner",
        "page_limit",
        "paused",
        "principal",
        "public",
        "reason",
        "revalidate",
        "recrawl_per_day",
        "remove",
        "rendered_always",
        "rendered_per_day",
        "retention_days",
        "revision",
        "rights",
        "role",
        "scope_id",
        "scopes",
        "subject",
        "unpin",
        "update_mask",
        "version",
    }
)
# A request that names addresses to be forgotten says so in its reason too.
QUERY = "query"
FORGOTTEN, REASON = "uri_prefixes", "reason"
VALUE_CHARACTERS_MAX = 500
# Names of what a request or a response is about, in the order of what says more.
ABOUT = ("name", "scope", "page", "subject", "principal")
TEXTS = ("google.protobuf.Timestamp", "google.protobuf.FieldMask")


def facts_of(request: Message, *, queries: bool = False) -> tuple[AuditFact, ...]:
    """Returns what is kept of a request; the words of a question where an operator wants them."""
    facts = tuple(_facts(request, ""))
    asked: Any = getattr(request, QUERY, "")
    if queries and asked:
        facts = (AuditFact(QUERY, _text(asked)), *facts)
    if FORGOTTEN not in request.DESCRIPTOR.fields_by_name:
        return facts
    return tuple(fact for fact in facts if fact.name != REASON)


def resource_of(message: Message) -> str:
    """Returns the name of what a request or response is about; empty where it names nothing."""
    for name in ABOUT:
        value = getattr(message, name, "")
        if isinstance(value, str) and value:
            return _text(value)
    for field, value in message.ListFields():
        if field.message_type is not None and not field.is_repeated:
            found = resource_of(value)
            if found:
                return found
    return ""


def _facts(message: Message, path: str) -> Iterator[AuditFact]:
    for field, value in message.ListFields():
        name = f"{path}{field.name}"
        if field.message_type is not None and field.message_type.full_name in TEXTS:
            if field.name in KEPT:
                yield AuditFact(name, _text(_written(value)))
        elif field.name in KEPT and field.message_type is None:
            values = value if field.is_repeated else (value,)
            yield AuditFact(name, _text(", ".join(_said(field, one) for one in values)))
        elif field.is_repeated:
            yield AuditFact(f"{name}.count", str(len(value)))
        elif field.message_type is not None:
            yield from _facts(value, f"{name}.")


def _written(value: Any) -> str:
    """Returns an instant or a mask as JSON writes it, or what it holds where it is none."""
    try:
        return str(value.ToJsonString())
    except ValueError:
        return str(value)


def _said(field: Any, value: Any) -> str:
    if field.type == FieldDescriptor.TYPE_ENUM:
        known = field.enum_type.values_by_number.get(value)
        return str(value if known is None else known.name)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(value: str) -> str:
    return printable(value, lines=False)[:VALUE_CHARACTERS_MAX]
