"""Translates between messages as values and protobuf bytes, by field name.

The dataclasses in `scops.common.messages` are generated from the same protos, so the two hold
the same fields by construction; this is the only module beside the gateway that imports
generated protobuf code.
"""

import dataclasses
import importlib
import sys
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from google.protobuf.message import DecodeError, EncodeError
from google.protobuf.message import Message as ProtoMessage

from scops.common.errors import InvalidInput, PermanentError

T = TypeVar("T")
PROTO_MODULES = {
    "types": ("types",),
    "crawl": ("crawl", "query"),
    "content": ("content",),
    "change": ("change", "query"),
    "index": ("index",),
    "retrieval": ("retrieval",),
    "explanation": ("explanation",),
}


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


def decode(message_type: type[T], data: bytes) -> T:
    """Returns the message value of protobuf bytes.

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
    return from_proto(message_type, proto)


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
    for name in _field_names(kind):
        _set_field(proto, name, getattr(message, name))
    return proto


def from_proto(message_type: type[T], proto: ProtoMessage) -> T:
    """Returns the value of a protobuf message.

    Raises:
        InvalidInput: a required field is not set.
    """
    target: Any = message_type
    values: dict[str, Any] = {}
    for name, (kind, optional) in _field_types(target).items():
        values[name] = _read_field(target, proto, name, kind, optional)
    return message_type(**values)


@cache
def _field_names(message_type: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(message_type))


@cache
def _field_types(message_type: Any) -> dict[str, tuple[Any, bool]]:
    """Returns for each field its type and whether it may be unset."""
    hints = get_type_hints(message_type, vars(sys.modules[message_type.__module__]))
    types = {}
    for name in _field_names(message_type):
        hint = hints[name]
        optional = isinstance(hint, UnionType)
        if optional:
            hint = next(kind for kind in get_args(hint) if kind is not NoneType)
        types[name] = (_bare(hint), optional)
    return types


def _bare(hint: Any) -> Any:
    return getattr(hint, "__supertype__", hint)


def _set_field(proto: Any, name: str, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, StrEnum):
        setattr(proto, name, _enum_number(proto, name, value))
    elif isinstance(value, datetime):
        getattr(proto, name).FromDatetime(value.astimezone(UTC).replace(tzinfo=None))
    elif isinstance(value, tuple):
        getattr(proto, name).extend([_element(item) for item in value])
    elif isinstance(value, dict):
        getattr(proto, name).update(value)
    elif dataclasses.is_dataclass(value):
        getattr(proto, name).CopyFrom(to_proto(value))
    else:
        setattr(proto, name, value)


def _element(item: Any) -> Any:
    return to_proto(item) if dataclasses.is_dataclass(item) else item


def _enum_number(proto: Any, name: str, value: StrEnum) -> int:
    enum = proto.DESCRIPTOR.fields_by_name[name].enum_type
    return _enum_values(enum)[value.value]


@cache
def _enum_values(enum: Any) -> dict[str, int]:
    common = enum.values[0].name.removesuffix("UNSPECIFIED")
    return {value.name.removeprefix(common).lower(): value.number for value in enum.values}


@cache
def _enum_names(enum: Any) -> dict[int, str]:
    return {number: name for name, number in _enum_values(enum).items()}


def _read_field(message_type: type, proto: Any, name: str, kind: Any, optional: bool) -> Any:
    origin = get_origin(kind)
    value: Any = getattr(proto, name)
    if origin is tuple:
        inner: Any = _bare(get_args(kind)[0])
        nested = dataclasses.is_dataclass(inner)
        return tuple(from_proto(inner, item) if nested else item for item in value)
    if origin is dict:
        return dict(value)
    if kind is datetime or dataclasses.is_dataclass(kind):
        if not proto.HasField(name):
            return _absent(message_type, name, optional)
        return value.ToDatetime(tzinfo=UTC) if kind is datetime else _nested(kind, value)
    if optional and not proto.HasField(name):
        return None
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        names = _enum_names(proto.DESCRIPTOR.fields_by_name[name].enum_type)
        return kind(names.get(value, "unspecified"))
    return value


def _nested(kind: Any, proto: Any) -> Any:
    return from_proto(kind, proto)


def _absent(message_type: type, name: str, optional: bool) -> None:
    if not optional:
        raise InvalidInput(
            f"{message_type.__name__} lacks its required field {name}.", reason="FIELD_MISSING"
        )
