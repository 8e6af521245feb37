"""Translates between messages as values and protobuf bytes, by field name.

The dataclasses in `scops.common.contract.messages` are generated from the same protos, so the two
hold the same fields by construction; this is the only module beside the gateway that imports
generated protobuf code.
"""

import dataclasses
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache, partial
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

from google.protobuf.message import DecodeError, EncodeError
from google.protobuf.message import Message as ProtoMessage

from scops.common.contract.errors import InvalidInput, PermanentError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_SECONDS = 24 * 60 * 60
T = TypeVar("T")
Read = Callable[[Any], Any]
Write = Callable[[Any, Any], None]
PROTO_MODULES = {
    "types": ("types",),
    "crawl": ("crawl", "query"),
    "content": ("content",),
    "change": ("change", "query"),
    "index": ("index",),
    "retrieval": ("retrieval",),
    "explanation": ("explanation",),
    "purge": ("purge", "query"),
    "frame": ("frame",),
}


class _Field(NamedTuple):
    name: str
    kind: Any
    optional: bool


def encode(message: object) -> bytes:
    """Returns the protobuf bytes of a message value.

    Raises:
        PermanentError: a field does not fit its proto type (a bug upstream, or a text that is
            not valid Unicode).
    """
    try:
        return to_proto(message).SerializeToString(deterministic=True)
    except (EncodeError, ValueError, TypeError, OverflowError) as error:
        name = type(message).__name__
        raise PermanentError(f"Encoding {name} failed: {error}.", reason="ENCODE_FAILED") from error


def decode(message_type: type[T], data: bytes, *, without: Sequence[str] = ()) -> T:
    """Returns the message value of protobuf bytes.

    Args:
        without: fields that are left empty; a value for each of many parts takes long to make.

    Raises:
        InvalidInput: the bytes are no such message, or lack a required field.
    """
    kind: Any = message_type
    proto = proto_class(kind)()
    try:
        proto.ParseFromString(data)
    except DecodeError as error:
        name = message_type.__name__
        raise InvalidInput(f"The bytes are no {name}: {error}.", reason="DECODE_FAILED") from error
    for name in without:
        proto.ClearField(name)
    try:
        return from_proto(message_type, proto)
    except (OverflowError, ValueError) as error:
        name = message_type.__name__
        raise InvalidInput(f"The bytes are no {name}: {error}.", reason="DECODE_FAILED") from error


def full_name(message_type: Any) -> str:
    """Returns the proto name, such as `scops.crawl.v1.PageFetched`."""
    return proto_class(message_type).DESCRIPTOR.full_name


def matter_of(message_type: Any) -> str:
    """Returns the matter that a message belongs to, such as `crawl`."""
    return str(message_type.__module__).rsplit(".", 1)[-1]


@cache
def proto_class(message_type: Any) -> type[ProtoMessage]:
    matter = matter_of(message_type)
    for file in PROTO_MODULES[matter]:
        module = importlib.import_module(f"scops.{matter}.v1.{file}_pb2")
        if hasattr(module, message_type.__name__):
            return cast(type[ProtoMessage], getattr(module, message_type.__name__))
    raise LookupError(f"{message_type.__name__} has no proto in matter {matter}")


def to_proto(message: object) -> ProtoMessage:
    """Returns the protobuf message of a value."""
    kind: Any = type(message)
    proto = proto_class(kind)()
    _fill(proto, message)
    return proto


def from_proto(message_type: type[T], proto: ProtoMessage) -> T:
    """Returns the value of a protobuf message.

    Raises:
        InvalidInput: a required field is not set.
    """
    kind: Any = message_type
    return cast(T, _reader(kind)(proto))


def _fill(proto: Any, message: object) -> None:
    kind: Any = type(message)
    for name, write, always in _writers(kind):
        value = getattr(message, name)
        # Most fields of most messages are empty, and an empty one is not on the wire.
        if value or always:
            write(proto, value)


@cache
def _fields(message_type: Any) -> tuple[_Field, ...]:
    """Returns the fields of a message type, each with its type and whether it may be unset."""
    hints = get_type_hints(message_type, vars(sys.modules[message_type.__module__]))
    found = []
    for name in (field.name for field in dataclasses.fields(message_type)):
        hint = hints[name]
        optional = isinstance(hint, UnionType)
        if optional:
            hint = next(kind for kind in get_args(hint) if kind is not NoneType)
        found.append(_Field(name, _bare(hint), optional))
    return tuple(found)


def _bare(hint: Any) -> Any:
    return getattr(hint, "__supertype__", hint)


# Readers and writers are made once a type: looking at types again for every field of every
# message costs more than the work itself.


@cache
def _reader(message_type: Any) -> Read:
    readers = [(field.name, _field_reader(message_type, field)) for field in _fields(message_type)]

    def read(proto: Any) -> Any:
        return message_type(**{name: read_field(proto) for name, read_field in readers})

    return read


def _field_reader(message_type: Any, field: _Field) -> Read:
    name, kind = field.name, field.kind
    get: Read = attrgetter(name)
    if get_origin(kind) is tuple:
        inner: Any = _bare(get_args(kind)[0])
        if dataclasses.is_dataclass(inner):
            return _list_reader(get, inner)
        return lambda proto: tuple(get(proto))
    if get_origin(kind) is dict:
        return lambda proto: dict(get(proto))
    if kind is datetime or dataclasses.is_dataclass(kind):
        return _message_reader(message_type, field)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return _enum_reader(message_type, field, kind)
    if field.optional:
        return lambda proto: get(proto) if proto.HasField(name) else None
    return get


def _list_reader(get: Read, inner: Any) -> Read:
    # Types may hold themselves: the inner reader is asked for when it is needed.
    return lambda proto: tuple(map(_reader(inner), get(proto)))


def _message_reader(message_type: Any, field: _Field) -> Read:
    name, kind, optional = field.name, field.kind, field.optional
    get: Read = attrgetter(name)

    def read(proto: Any) -> Any:
        if not proto.HasField(name):
            return _absent(message_type, name, optional)
        value = get(proto)
        if kind is datetime:
            return EPOCH + timedelta(seconds=value.seconds, microseconds=value.nanos // 1000)
        return _reader(kind)(value)

    return read


def _enum_reader(message_type: Any, field: _Field, kind: type[StrEnum]) -> Read:
    name, optional = field.name, field.optional
    enum = proto_class(message_type).DESCRIPTOR.fields_by_name[name].enum_type
    # What this version does not know is unspecified.
    values = {number: kind(value) for value, number in enum_numbers(enum).items()}
    unspecified = kind("unspecified")
    get: Read = attrgetter(name)

    def read(proto: Any) -> Any:
        if optional and not proto.HasField(name):
            return None
        return values.get(get(proto), unspecified)

    return read


@cache
def _writers(message_type: Any) -> tuple[tuple[str, Write, bool], ...]:
    """Returns for each field its name, what writes it, and whether its empty value is written."""
    return tuple(
        (field.name, _field_writer(message_type, field), field.optional)
        for field in _fields(message_type)
    )


def _field_writer(message_type: Any, field: _Field) -> Write:
    name, kind = field.name, field.kind
    if get_origin(kind) is tuple:
        return _tuple_writer(name, _bare(get_args(kind)[0]))
    if get_origin(kind) is dict:
        return lambda proto, value: getattr(proto, name).update(value)
    if kind is datetime:
        return partial(write_instant, name)
    if dataclasses.is_dataclass(kind):
        return partial(_write_message, name)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        enum = proto_class(message_type).DESCRIPTOR.fields_by_name[name].enum_type
        return partial(_write_enum, name, enum_numbers(enum))
    return partial(_write_scalar, name)


def _tuple_writer(name: str, inner: Any) -> Write:
    if not dataclasses.is_dataclass(inner):
        return lambda proto, value: getattr(proto, name).extend(value)

    def write(proto: Any, value: Sequence[Any]) -> None:
        add = getattr(proto, name).add
        for item in value:
            _fill(add(), item)

    return write


def write_instant(name: str, proto: Any, value: datetime | None) -> None:
    """Sets the timestamp field `name` of a protobuf message; None leaves it unset."""
    if value is not None:
        since = value - EPOCH
        inner = getattr(proto, name)
        inner.seconds = since.days * DAY_SECONDS + since.seconds
        inner.nanos = since.microseconds * 1000


def _write_message(name: str, proto: Any, value: object | None) -> None:
    if value is not None:
        inner = getattr(proto, name)
        inner.SetInParent()
        _fill(inner, value)


def _write_enum(name: str, numbers: Mapping[str, int], proto: Any, value: StrEnum | None) -> None:
    if value is not None:
        setattr(proto, name, numbers[value.value])


def _write_scalar(name: str, proto: Any, value: object | None) -> None:
    if value is not None:
        setattr(proto, name, value)


@cache
def enum_numbers(enum: Any) -> dict[str, int]:
    """Returns the number of each value of an enum descriptor, by its name without the prefix."""
    common = enum.values[0].name.removesuffix("UNSPECIFIED")
    return {value.name.removeprefix(common).lower(): value.number for value in enum.values}


def _absent(message_type: type, name: str, optional: bool) -> None:
    if not optional:
        raise InvalidInput(
            f"{message_type.__name__} lacks its required field {name}.", reason="FIELD_MISSING"
        )
