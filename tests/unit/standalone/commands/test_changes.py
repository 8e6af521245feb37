"""`scops changes` and the HTML of a difference."""

from datetime import UTC, datetime

import pytest

from scops.standalone.commands.changes import since_instant
from scops.standalone.terminal.exits import CommandError

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("36h", "2026-03-09T00:00:00"),
        ("7d", "2026-03-03T12:00:00"),
        ("2w", "2026-02-24T12:00:00"),
        ("2026-03-01", "2026-03-01T00:00:00"),
        ("2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00"),
    ],
)
def test_since_is_a_span_a_day_or_an_instant(words: str, expected: str) -> None:
    """A day means its beginning: what changed since then includes it."""
    assert expected == since_instant(words, now=NOW).ToDatetime().isoformat()


@pytest.mark.parametrize("words", ["soon", "7y", "2026-13-01", "2026-03-01T10:00:00"])
def test_other_words_are_no_instant(words: str) -> None:
    """A time without a zone is nobody's."""
    with pytest.raises(CommandError):
        since_instant(words, now=NOW)
