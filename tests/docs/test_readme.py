"""The README's table of services says what the contract says."""

import re
from pathlib import Path

import pytest

from scops.common.contract.service_table import MESSAGES, MessageContract, Role

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()
ROW = re.compile(r"^\| \[([\w-]+)\]\([^)]+\) \|[^|]*\|([^|]*)\|([^|]*)\|", re.MULTILINE)
# What the table says in one word.
GROUPS = {
    "commands": {"CrawlScope", "FetchPage", "CancelJob"},
    "verdicts": {"VersionAdded", "VersionUnchanged", "VersionRestored", "VersionClosed"},
    "failures": {"ExtractionFailed", "IndexFailed", "PageDead"},
    "job progress": {"CrawlProgressed", "CrawlFinished"},
}
ROWS = {name: (consumed, published) for name, consumed, published in ROW.findall(README)}


def named(cell: str) -> set[str]:
    """Returns the messages that a cell names."""
    words = [word.strip(" `") for word in cell.split(",") if word.strip() != "–"]
    return set().union(*(GROUPS.get(word, {word}) for word in words))


def names(messages: list[MessageContract]) -> set[str]:
    """Returns the names of messages."""
    return {message.message.__name__ for message in messages}


@pytest.mark.parametrize("role", Role)
def test_the_table_names_what_a_service_consumes_and_publishes(role: Role) -> None:
    """What any role may publish is left out."""
    consumed, published = ROWS[role]
    expected = (
        names([message for message in MESSAGES if role in message.consumers]),
        names([message for message in MESSAGES if role in message.producers]),
    )

    assert expected == (named(consumed), named(published))
