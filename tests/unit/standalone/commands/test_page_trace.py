"""`scops page trace`: a page through all services."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from scops.common.contract.ids import PageId
from scops.common.observe.page_trace import TraceEntry
from scops.standalone.commands import page_trace
from scops.standalone.process import page_trace as gathering
from scops.standalone.process.page_trace import PageTrace
from scops.standalone.terminal.output import Output, OutputFormat
from tests.unit.standalone.commands.test_index import scops

FOUND = PageTrace(
    page_id=PageId("page-1"),
    urls=("https://a.test/", "https://a.test/index"),
    status="fetched",
    entries=(
        TraceEntry(
            time=datetime(2026, 3, 1, 12, tzinfo=UTC),
            service="fetcher",
            what="PageFetched",
            fetch_id="fetch-1",
            facts={"reason": "", "attempt": 1},
            blobs={"body": "ab" * 32, "links": "cd" * 32},
        ),
    ),
    missing=frozenset({"cd" * 32}),
    bus_problem="",
)


def test_entries_are_told_with_what_they_refer_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Empty facts are left out, and a blob that the archive lacks is marked."""

    async def found(named: str) -> PageTrace:
        return FOUND

    monkeypatch.setattr(gathering, "trace_page", found)
    monkeypatch.setattr(Output, "format", OutputFormat.TEXT)
    page_trace.trace("https://a.test/")
    expected = [
        "https://a.test/",
        "  id page-1, fetched",
        "  also https://a.test/index",
        "2026-03-01 12:00:00.000Z  fetcher         PageFetched  fetch fetch-1",
        "    attempt 1",
        "    body abababababab, links cdcdcdcdcdcd MISSING",
    ]

    assert expected == capsys.readouterr().out.splitlines()


def test_an_unknown_page_is_an_error_that_says_where_to_look(tmp_path: Path) -> None:
    """It is told apart from a state that was never made."""
    never_made, first = scops(tmp_path, "page", "trace", "https://a.test/")
    assert 0 == scops(tmp_path, "provision")[0]
    unknown, second = scops(tmp_path, "page", "trace", "https://a.test/")

    assert (4, "STATE_NOT_PROVISIONED") == (never_made, first["error"]["reason"])
    assert (3, "PAGE_NOT_FOUND") == (unknown, second["error"]["reason"])
    assert "scops page list" in second["error"]["message"]
