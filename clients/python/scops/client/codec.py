"""Values from messages and messages from values, by the names that both have.

The fields of a value are those of its message: there is no table between them. A message may have
more, from a newer gateway; they are left out.
"""

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, time
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Value = TypeVar("Value")
# What a field of a message becomes.
Reader = Callable[[Any, str], Any]
ZERO = "UNSPECIFIED"
TIMESTAMP = "google.protobuf.Timestamp"


def read(kind: type[Value], message: Any) -> Value:
    """Returns a message as a value of a kind."""
    # To mypy, a class of any kind is nothing that a cache can hold.
    cached: Any = kind
    return kind(**{name: reader(message, name) for name, reader in _readers(cached)})


def write(message: Any, values: Mapping[str, Any]) -> Any:
    """Fills a message by the names of its fields, and returns it; what is None stays unset.

    Raises:
        TypeError: a text stands where a list is wanted.
        ValueError: an instant names no time zone.
    """
    for name, value in values.items():
        if value is not None:
            _set(message, message.DESCRIPTOR.fields_by_name[name], value)
    return message


def instant(when: date | datetime) -> datetime:
    """Returns an instant; a bare date means its end in UTC.

    Raises:
        ValueError: it names no time zone.
    """
    if not isinstance(when, datetime):
        return datetime.combine(when, time.max, UTC)
    if when.tzinfo is None:
        raise ValueError(f"{when} names no time zone; add one, such as tzinfo=UTC.")
    return when.astimezone(UTC)


@cache
def _readers(kind: Any) -> tuple[tuple[str, Reader], ...]:
    hints = get_type_hints(kind)
    assert is_dataclass(kind)
    return tuple((field.name, _reader(hints[field.name])) for field in fields(kind))


def _reader(hint: Any) -> Reader:
    if get_origin(hint) is tuple:
        item = _item(get_args(hint)[0])
        return lambda message, name: tuple(
            item(one, message, name) for one in getattr(message, name)
        )
    if get_origin(hint) in (types.UnionType, Union):
        item = _item(get_args(hint)[0])
        return lambda message, name: (
            item(getattr(message, name), message, name) if message.HasField(name) else None
        )
    item = _item(hint)
    return lambda message, name: item(getattr(message, name), message, name)


def _item(hint: Any) -> Callable[[Any, Any, str], Any]:
    """Returns what makes one value of what a field holds."""
    if hint is datetime:
        return lambda found, message, name: found.ToDatetime(tzinfo=UTC)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lambda found, message, name: hint(_word(message, name, found))
    if is_dataclass(hint):
        return lambda found, message, name: read(hint, found)  # type: ignore[arg-type]
    return lambda found, message, name: found


def _word(message: Any, name: str, number: int) -> str:
    """Returns the word that a number of an enum stands for; empty for one that is not known."""
    kind = message.DESCRIPTOR.fields_by_name[name].enum_type
    found = kind.values_by_number.get(number)
    return found.name.removeprefix(_prefix(kind)).lower() if found is not None else ""


def _prefix(kind: Any) -> str:
    """Returns what the names of an enum begin with, such as `STATE_`."""
    return str(kind.values_by_number[0].name.removesuffix(ZERO))


def _set(message: Any, field: Any, value: Any) -> None:
    if field.is_repeated:
        _extend(getattr(message, field.name), field, value)
    elif field.message_type is not None:
        _fill(getattr(message, field.name), value)
    else:
        setattr(message, field.name, _plain(field, value))


def _extend(items: Any, field: Any, values: Iterable[Any]) -> None:
    if isinstance(values, str):
        raise TypeError(f"{field.name} is a list: write [{values!r}].")
    for value in values:
        if field.message_type is not None:
            _fill(items.add(), value)
        else:
            items.append(_plain(field, value))


def _fill(message: Any, value: Any) -> None:
    if message.DESCRIPTOR.full_name == TIMESTAMP:
        message.FromDatetime(instant(value))
        return
    # It is there, even where nothing in it is.
    message.SetInParent()
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    write(message, value)


def _plain(field: Any, value: Any) -> Any:
    if field.enum_type is None:
        return value
    return field.enum_type.values_by_name[f"{_prefix(field.enum_type)}{value.upper()}"].number
