"""Requests that nobody would write, made from the descriptors of their messages."""

from collections.abc import Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

# Messages in messages; what lies deeper is left unset.
DEPTH_MAX = 4
HOSTILE = (
    "",
    "*",
    " ",
    "\x00",
    "a\x00b",
    "\u202ereversed",
    "\ud7ff\ufffd\U0010ffff",
    "e\u0301" * 300,
    "x" * 9000,
    "%00%ff%zz",
    "../../etc/passwd",
    "'; DROP TABLE scope; --",
    "${jndi:ldap://x}",
    "scopes/",
    "scopes/*",
    "scopes/a/b",
    "pages/",
    "jobs/00000000-0000-0000-0000-000000000000",
    "purges/\n",
    "keys/0123456789abcdef",
    "user:",
    "group:team",
    "service:robot",
    "latest",
    "(a+)+$",
    "https://[::1",
    "https://a.example:99999999/",
    "https://mk00mk.example/0",
    "https://xn--/",
    "javascript:alert(1)",
    "2026-13-45T99:99:99Z",
    "0.0.0.0/0",
)
NUMBERS = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
    FieldDescriptor.CPPTYPE_ENUM: (-(2**31), 2**31 - 1),
}
# A field of a number that no message has, of each form on the wire.
UNKNOWN = (b"", b"\xf8\xff\x7f\x01", b"\xfa\xff\x7f\x03abc", b"\xf9\xff\x7f12345678")


def requests(
    descriptor: Any, known: tuple[str, ...], usual: Sequence[Message]
) -> st.SearchStrategy[Message]:
    """Builds messages of a kind, some with fields that nobody knows.

    Args:
        usual: what is asked usually; some messages are one of these with more in them.
        known: texts that name something, so that more than the first check is reached.
    """
    texts = st.one_of(st.sampled_from(known), st.sampled_from(HOSTILE), st.text(max_size=12))
    kind = GetMessageClass(descriptor)

    def joined(first: Message, then: Message, unknown: bytes) -> Message:
        # On the wire a later field replaces an earlier one, and is merged into a message or list.
        return kind.FromString(first.SerializeToString() + then.SerializeToString() + unknown)

    return st.builds(
        joined,
        st.sampled_from((*usual, kind())),
        st.one_of(st.just(kind()), _messages(descriptor, texts, DEPTH_MAX)),
        st.sampled_from(UNKNOWN),
    )


def _messages(descriptor: Any, texts: st.SearchStrategy[str], depth: int) -> st.SearchStrategy[Any]:
    kind = GetMessageClass(descriptor)
    fields = [field for field in descriptor.fields if depth or field.message_type is None]
    values = {field.name: _values(field, texts, depth) for field in fields}

    def built(chosen: dict[str, Any]) -> Message:
        return kind(**chosen)

    return st.fixed_dictionaries({}, optional=values).map(built)


def _values(
    field: FieldDescriptor, texts: st.SearchStrategy[str], depth: int
) -> st.SearchStrategy[Any]:
    inner = field.message_type
    if inner is not None and inner.GetOptions().map_entry:
        key, value = inner.fields_by_name["key"], inner.fields_by_name["value"]
        return st.dictionaries(_values(key, texts, depth), _values(value, texts, depth), max_size=2)
    one = _one(field, texts, depth)
    return st.lists(one, max_size=3) if field.is_repeated else one


def _one(
    field: FieldDescriptor, texts: st.SearchStrategy[str], depth: int
) -> st.SearchStrategy[Any]:
    if field.message_type is not None:
        return _messages(field.message_type, texts, depth - 1)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return st.one_of(st.binary(max_size=40), st.just(b"\xff" * 5000))
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return texts
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return st.booleans()
    if field.cpp_type not in NUMBERS:
        return st.sampled_from((0.0, -1.0, 1e308, float("inf"), float("nan")))
    least, most = NUMBERS[field.cpp_type]
    usual = st.integers(max(least, -1), 12)
    return st.one_of(usual, st.sampled_from((least, most, 10**6)))
