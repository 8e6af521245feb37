"""Every message survives the wire, and what is no message is refused."""

import dataclasses
import inspect
from datetime import UTC, datetime
from enum import StrEnum
from types import ModuleType, NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput, PermanentError
from scops.common.contract.messages import (
    change,
    content,
    crawl,
    explanation,
    index,
    retrieval,
    types,
)

MODULES: tuple[ModuleType, ...] = (
    types,
    crawl,
    content,
    change,
    index,
    retrieval,
    explanation,
)
MESSAGES = [
    kind
    for module in MODULES
    for _, kind in inspect.getmembers(module, inspect.isclass)
    if dataclasses.is_dataclass(kind) and kind.__module__ == module.__name__
]
AT = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


def filled(kind: Any, *, optional: bool) -> Any:
    """Builds a message with a value in every field, or only in the required ones."""
    hints = get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    return kind(**{name: value_of(hints[name], optional=optional) for name in names})


def value_of(hint: Any, *, optional: bool) -> Any:
    if isinstance(hint, UnionType):
        if not optional:
            return None
        hint = next(part for part in get_args(hint) if part is not NoneType)
    hint = getattr(hint, "__supertype__", hint)
    if get_origin(hint) is tuple:
        return (value_of(get_args(hint)[0], optional=optional),) * 2
    if get_origin(hint) is dict:
        return {"key": "wert"}
    if hint is datetime:
        return AT
    if issubclass(hint, StrEnum):
        return list(hint)[-1]
    if dataclasses.is_dataclass(hint):
        return filled(hint, optional=optional)
    return {str: "ä€𝄞", bytes: b"\x00\xff", bool: True, float: 0.25, int: 7}[hint]


@pytest.mark.parametrize("optional", [True, False])
@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
def test_every_message_survives_the_wire(kind: Any, optional: bool) -> None:
    """Decoding what was encoded gives an equal value, unset fields included."""
    message = filled(kind, optional=optional)

    assert message == wire.decode(kind, wire.encode(message))


def test_a_missing_required_field_is_refused() -> None:
    """A message field without `optional` must be there."""
    with pytest.raises(InvalidInput, match="observed_time"):
        wire.decode(crawl.PageGone, b"")


def test_bytes_that_are_no_message_are_refused() -> None:
    """Random bytes are an InvalidInput with a stable reason."""
    with pytest.raises(InvalidInput) as caught:
        wire.decode(crawl.PageGone, b"\xff\xff\xff\xff")

    assert caught.value.reason == "DECODE_FAILED"


def test_an_unknown_enum_number_reads_as_unspecified() -> None:
    """A newer producer's value does not stop an older consumer."""
    newer = types.ScopeRule(kind=types.RuleKind.PAGE, pattern="a")
    data = wire.encode(newer).replace(b"\x08\x04", b"\x08\x63")

    assert wire.decode(types.ScopeRule, data).kind is types.RuleKind.UNSPECIFIED


def test_a_text_that_is_no_unicode_is_a_permanent_error() -> None:
    """A lone surrogate cannot travel, and says so."""
    with pytest.raises(PermanentError) as caught:
        wire.encode(types.ScopeRule(kind=types.RuleKind.PAGE, pattern="\ud800"))

    assert caught.value.reason == "ENCODE_FAILED"
