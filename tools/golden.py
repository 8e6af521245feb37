"""Keeps the bytes of every message and blob as this version writes them: `make golden`.

`tests/golden/<matter>/<Name>.jsonl` holds a line for each form that a message had: its bytes, and
the values that they mean. A line is added where a message has gained fields; none is ever changed
or removed, because such bytes lie in archives, outboxes and buckets. `tests/unit/common/contract/
test_golden.py` reads them all.
"""

import base64
import dataclasses
import importlib
import inspect
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from scops.common.contract import wire

FOLDER = Path(__file__).parent.parent / "tests" / "golden"
FIRST = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
# Messages that hold themselves end here.
DEPTH_MAX = 4


def kinds() -> dict[str, Any]:
    """Returns every message type by `<matter>/<Name>`."""
    found: dict[str, Any] = {}
    for matter in wire.PROTO_MODULES:
        module = importlib.import_module(f"scops.common.contract.messages.{matter}")
        for name, kind in inspect.getmembers(module, dataclasses.is_dataclass):
            if inspect.isclass(kind) and kind.__module__ == module.__name__:
                found[f"{matter}/{name}"] = kind
    return found


def filled(kind: Any, depth: int = 0) -> Any:
    """Returns a message whose every field says something of its own, the same at each call."""
    hints = get_type_hints(kind, vars(sys.modules[kind.__module__]))
    fields = dataclasses.fields(kind)
    return kind(
        **{
            field.name: _value(hints[field.name], f"{kind.__name__}.{field.name}", n, depth)
            for n, field in enumerate(fields, start=1)
        }
    )


def _value(hint: Any, name: str, number: int, depth: int) -> Any:
    if isinstance(hint, UnionType):
        hint = next(one for one in get_args(hint) if one is not NoneType)
        if depth >= DEPTH_MAX:
            return None
    hint = getattr(hint, "__supertype__", hint)
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        return () if depth >= DEPTH_MAX else (_value(inner, name, number, depth + 1),)
    if get_origin(hint) is dict:
        key, value = get_args(hint)
        return {_value(key, name, number, depth): _value(value, name, number, depth)}
    if dataclasses.is_dataclass(hint):
        return filled(hint, depth + 1)
    if hint is datetime:
        return FIRST + timedelta(days=number)
    if inspect.isclass(hint) and issubclass(hint, StrEnum):
        return list(hint)[-1]
    plain = {str: name, int: number, float: number / 2, bool: True, bytes: name.encode()}
    return plain[hint]


def plain(value: Any) -> Any:
    """Returns a message as JSON has it; bytes as base64."""
    if dataclasses.is_dataclass(value):
        found = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return plain(found)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(one) for one in value]
    return value


def forms(path: Path) -> list[dict[str, Any]]:
    """Returns the lines of a golden file: `bytes` and `values`."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def form_of(kind: Any) -> dict[str, Any]:
    """Returns how this version writes a message, as a line has it."""
    message = filled(kind)
    return {"bytes": base64.b64encode(wire.encode(message)).decode(), "values": plain(message)}


def main() -> None:
    """Adds what is missing."""
    for name, kind in kinds().items():
        path = FOLDER / f"{name}.jsonl"
        form = form_of(kind)
        if form["bytes"] not in [each["bytes"] for each in forms(path)]:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as file:
                file.write(json.dumps(form) + "\n")
            print(f"added a form of {name}")


if __name__ == "__main__":
    main()
