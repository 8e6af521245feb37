"""What a receiver is sent, whatever pages say."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import NewsPlace, TextEdit
from scops.gateway.watches.condition import Alert
from scops.gateway.watches.message import BODY_BYTES_MAX, AlertMessage
from scops.gateway.watches.watch import News, Watch, WatchId

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
EDIT = TextEdit(
    from_start=3, from_end=7, to_start=3, to_end=8, from_text="5 €", to_text="60 €", salience=0.9
)
ALERT = Alert(
    news=News.CHANGED,
    page_id=PageId("p-1"),
    url="https://docs.example.org/fees",
    title="Fees",
    from_version="v1",
    to_version="v2",
    observed_time=AT,
    edits=(EDIT,),
)
WATCH = Watch(
    watch_id=WatchId("w-1"),
    organisation_id="main",
    principal_id="user:ann",
    scope_id=ScopeId("docs"),
    shown_address="https://hooks.example/…",
    sealed=b"",
    created_time=AT,
    updated_time=AT,
    place=NewsPlace(recorded_time=AT),
)


def message(*alerts: Alert) -> AlertMessage:
    return AlertMessage(delivery_id="d-1", watch=WATCH, alerts=alerts, sent_time=AT)


def test_a_program_reads_both_spans_and_where_the_page_is() -> None:
    """As JSON of one form."""
    body = json.loads(message(ALERT).json_body())
    (change,) = body["data"]["changes"]
    (edit,) = change["edits"]

    assert ("changes", "2026-03-01T12:00:00.000Z") == (body["type"], body["timestamp"])
    assert ("watches/w-1", "scopes/docs") == (body["data"]["watch"], body["data"]["scope"])
    assert ("changed", "https://docs.example.org/fees", "pages/p-1", "v1", "v2") == (
        change["news"],
        change["uri"],
        change["page"],
        change["fromVersion"],
        change["toVersion"],
    )
    assert {"start": 3, "end": 7, "text": "5 €"} == edit["from"]
    assert {"start": 3, "end": 8, "text": "60 €"} == edit["to"]


def test_a_message_has_a_bound() -> None:
    """The lightest edits are left out, and it says so; the pages stay."""
    long = replace(EDIT, from_text="a" * 4000, to_text="ä" * 4000)
    body = message(*[replace(ALERT, edits=(long,) * 20)] * 30).json_body()
    changes = json.loads(body)["data"]["changes"]

    assert len(body) <= BODY_BYTES_MAX
    assert 30 == len(changes)
    assert all(change["truncated"] for change in changes)


def test_people_read_lines_that_a_page_cannot_break() -> None:
    """Neither the subject nor another line is written by a title."""
    title = "Fees\r\nBcc: eve@example.org\x1b[2J\u202e"
    told = message(replace(ALERT, title=title))

    assert "\n" not in told.subject()
    assert "\r" not in told.subject()
    assert "\nBcc" not in told.text()
    assert "\x1b" not in told.text() + told.subject()
    assert "  - 5 €\n  + 60 €" in told.text()


def test_a_test_says_that_nothing_has_changed() -> None:
    """To programs and to people."""
    assert "test" == json.loads(message().json_body())["type"]
    assert "Nothing has changed" in message().text()
