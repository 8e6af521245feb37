"""Bytes that were ever stored decode for ever, to the values that they had.

`make golden` adds the forms that a change brings; whoever has to change or remove a line breaks
what lies in archives, outboxes and buckets, and the other version of a rolling upgrade.
"""

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from scops.common.contract import wire
from scops.common.contract.service_table import MESSAGES
from scops.common.db import outbox
from tools.golden import FOLDER, form_of, forms, kinds, plain

KINDS = kinds()
FILES = sorted(FOLDER.glob("*/*.jsonl"))
# A field that no version has had, with text in it: the newer of two versions may send one.
UNKNOWN_FIELD = bytes.fromhex("fa7f") + b"\x03new"


def names(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def differences(stored: Any, now: Any, where: str = "") -> list[str]:
    """Returns where what was stored is read as something else; fields may have come since."""
    if isinstance(stored, dict) and isinstance(now, dict):
        return [
            one
            for key in stored
            for one in (
                differences(stored[key], now[key], f"{where}.{key}")
                if key in now
                else [f"{where}.{key} is lost"]
            )
        ]
    if isinstance(stored, list) and isinstance(now, list) and len(stored) == len(now):
        pairs = enumerate(zip(stored, now, strict=True))
        return [one for n, (old, new) in pairs for one in differences(old, new, f"{where}[{n}]")]
    return [] if stored == now else [f"{where} was {stored!r} and is {now!r}"]


@pytest.mark.parametrize("path", FILES, ids=names)
def test_every_form_ever_stored_decodes_to_its_values(path: Path) -> None:
    """A message that the code knows no more fails here too: its bytes are still somewhere."""
    for form in forms(path):
        message = wire.decode(KINDS[names(path)], b64decode(form["bytes"]))
        assert [] == differences(form["values"], plain(message))


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_message_has_its_newest_form_among_the_golden_ones(name: str) -> None:
    """A message or field without golden bytes could change unseen: `make golden`."""
    assert form_of(KINDS[name])["bytes"] in [
        one["bytes"] for one in forms(FOLDER / f"{name}.jsonl")
    ]


@pytest.mark.parametrize("name", sorted(KINDS))
def test_what_a_newer_version_adds_is_left_out(name: str) -> None:
    """The older of two versions side by side reads what it knows."""
    newest = forms(FOLDER / f"{name}.jsonl")[-1]
    message = wire.decode(KINDS[name], b64decode(newest["bytes"]) + UNKNOWN_FIELD)

    assert [] == differences(newest["values"], plain(message))


@pytest.mark.parametrize("contract", MESSAGES, ids=lambda one: one.message.__name__)
def test_rows_of_outboxes_name_messages_that_have_golden_bytes(contract: Any) -> None:
    """An outbox row is the name and the bytes of a message."""
    kind = outbox._message_type(contract.message.__name__)

    assert kind in KINDS.values()


def test_the_comparison_sees_a_lost_and_a_changed_value() -> None:
    """Otherwise the tests above could not fail."""
    assert [".b is lost"] == differences({"a": 1, "b": 2}, {"a": 1, "c": 3})
    assert [".a[0] was 1 and is 2"] == differences({"a": [1]}, {"a": [2]})
    assert [".a was [1] and is []"] == differences({"a": [1]}, {"a": []})
