"""Fills protobuf messages of the API from values, field by field by name.

What a field is called differently in, a table says. A field that neither the names nor the table
find in a value is an error at the first translation, so nothing is left out unseen.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message

from scops.common.contract import wire
from scops.gateway.requests.names import job_name, page_name, purge_name, scope_name

TIMESTAMP = "google.protobuf.Timestamp"
NAMES_OF_RESOURCES: Mapping[str, Callable[[Any], str]] = {
    "page_id": page_name,
    "scope_id": scope_name,
    "job_id": job_name,
    "purge_id": purge_name,
}

M = TypeVar("M", bound=Message)
Read = Callable[[Any], Any]
Write = Callable[[Any, Any], None]
# The path of an attribute, or what computes a field from the value.
Source = str | Read
# In a table: the part of the value whose attributes are taken where the value has none.
OTHERS = "*"


class _Step(NamedTuple):
    """How one field is filled; `always` writes an empty value that is not None."""

    read: Read
    write: Write
    always: bool


class Translation:
    """Makes messages of one API.

    Args:
        sources: for each type of message the fields that no attribute is named like.
    """

    def __init__(self, sources: Mapping[type[Message], Mapping[str, Source]]) -> None:
        self._sources = sources
        self._steps: dict[tuple[type[Message], type], tuple[_Step, ...]] = {}

    def message(self, kind: type[M], value: object) -> M:
        """Returns the message of a value.

        Raises:
            LookupError: nothing in the value is named like a field.
        """
        filled = kind()
        self._fill(filled, value)
        return filled

    def _fill(self, proto: Any, value: object) -> None:
        kinds = (type(proto), type(value))
        steps = self._steps.get(kinds)
        if steps is None:
            steps = self._steps[kinds] = self._compiled(kinds[0], value)
        for read, write, always in steps:
            found = read(value)
            # Most fields are empty, and an empty one is not on the wire.
            if found or (always and found is not None):
                write(proto, found)

    def _compiled(self, kind: type[Message], value: object) -> tuple[_Step, ...]:
        sources = self._sources.get(kind, {})
        return tuple(
            _Step(
                _reader(sources.get(field.name) or _source(kind, field.name, value, sources)),
                self._writer(field),
                field.has_presence,
            )
            for field in kind.DESCRIPTOR.fields
        )

    def _writer(self, field: Any) -> Write:
        name = field.name
        if field.message_type is not None:
            if field.message_type.full_name == TIMESTAMP:
                return lambda proto, value: wire.write_instant(name, proto, value)
            return self._list_writer(name) if field.is_repeated else self._message_writer(name)
        if field.is_repeated and field.enum_type is not None:
            each = wire.enum_numbers(field.enum_type)
            return lambda proto, value: getattr(proto, name).extend(each[v.value] for v in value)
        if field.is_repeated:
            return lambda proto, value: getattr(proto, name).extend(value)
        if field.enum_type is not None:
            numbers = wire.enum_numbers(field.enum_type)
            return lambda proto, value: setattr(proto, name, numbers[value.value])
        return lambda proto, value: setattr(proto, name, value)

    def _message_writer(self, name: str) -> Write:
        def write(proto: Any, value: object) -> None:
            inner = getattr(proto, name)
            inner.SetInParent()
            self._fill(inner, value)

        return write

    def _list_writer(self, name: str) -> Write:
        def write(proto: Any, values: Any) -> None:
            add = getattr(proto, name).add
            for value in values:
                self._fill(add(), value)

        return write


def _source(
    kind: type[Message], field: str, value: object, sources: Mapping[str, Source]
) -> Source:
    """Returns the attribute that is named like a field, in the value or its part `OTHERS`."""
    url = field.replace("uri", "url")
    names = (field, f"{field}_id", url, f"canonical_{url}")
    for name in names:
        if hasattr(value, name):
            return name
    others = sources.get(OTHERS)
    for name in names:
        if isinstance(others, str) and hasattr(getattr(value, others), name):
            return f"{others}.{name}"
    raise LookupError(f"{type(value).__name__} has nothing for {kind.DESCRIPTOR.name}.{field}")


def _reader(source: str | Read) -> Read:
    if callable(source):
        return source
    outer, _, last = source.rpartition(".")
    return _inside(attrgetter(outer), _attribute(last)) if outer else _attribute(last)


def _attribute(name: str) -> Read:
    read: Read = attrgetter(name)
    name_of: Read | None = NAMES_OF_RESOURCES.get(name)
    return read if name_of is None else lambda value: name_of(read(value))


def _inside(outer: Read, read: Read) -> Read:
    """Reads from a part of a value; nothing where the part is unset."""

    def read_inside(value: Any) -> Any:
        part = outer(value)
        return None if part is None else read(part)

    return read_inside
