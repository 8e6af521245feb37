"""Atom of changes: what strangers wrote stays text."""

from datetime import UTC, datetime
from typing import Any

import feedparser
import pytest
from lxml import etree, html

from scops.api.v1alpha1 import page_service_pb2 as pages
from scops.gateway.adapters.http.atom import changes_feed

SINCE = datetime(2026, 5, 1, tzinfo=UTC)
URL = "http://127.0.0.1:7301/v1/scopes/tarn/changes.atom?since=2026-05-01T00:00:00Z&pageSize=5"
HOSTILE = "</title><script>alert(1)</script> ]]> &lt;b&gt; &amp; \"'"


def change(seconds: int = 0, **said: Any) -> pages.PageChange:
    """Builds a change that was seen some seconds after noon."""
    values = {
        "name": "pages/p-1",
        "uri": "https://docs.example.org/a",
        "news": "changed",
        "from_version": "v1",
        "to_version": "v2",
    }
    made = pages.PageChange(**{**values, **said})
    made.observed_time.FromDatetime(datetime(2026, 5, 2, 12, 0, seconds, tzinfo=UTC))
    return made


def read(*changes: pages.PageChange, truncated: bool = False) -> Any:
    """Returns what a feed reader reads."""
    told = pages.WhatChangedResponse(changes=changes, truncated=truncated)
    # A reader is not to clean what we left unclean.
    written = changes_feed(told, about="scopes/tarn", url=URL, since=SINCE)
    parsed = feedparser.parse(written, sanitize_html=False)
    assert not parsed.bozo, parsed.get("bozo_exception")
    return parsed


def test_titles_and_texts_of_pages_stay_text() -> None:
    """Markup in them is shown as it was written."""
    edit = pages.TextEdit(from_text=HOSTILE, to_text=f"new {HOSTILE}", section_path=[HOSTILE])
    (entry,) = read(change(title=HOSTILE, edits=[edit])).entries
    shown = html.fromstring(f"<div>{entry.content[0].value}</div>")

    assert "text/html" == entry.content[0].type
    assert not shown.xpath("//script | //b | //title")
    assert [HOSTILE] == [one.text for one in shown.xpath("//del")]
    assert [f"new {HOSTILE}"] == [one.text for one in shown.xpath("//ins")]
    assert [HOSTILE] == [one.text for one in shown.xpath("//h3")]
    written = changes_feed(
        pages.WhatChangedResponse(changes=[change(title=HOSTILE)]),
        about="scopes/tarn",
        url=URL,
        since=SINCE,
    )
    title = etree.fromstring(written).find("{*}entry/{*}title")
    assert title is not None
    assert (f"changed: {HOSTILE}", 0) == (title.text, len(title))


@pytest.mark.parametrize("character", ["\x00", "\x08", "\x0b", "\x1b", "\x1f", "\ufffe", "\uffff"])
def test_characters_that_xml_cannot_hold_are_replaced(character: str) -> None:
    """A control character spoils one character, not the feed."""
    edit = pages.TextEdit(to_text=f"a{character}b")
    (entry,) = read(change(title=f"x{character}y", edits=[edit])).entries

    assert "changed: x\ufffdy" == entry.title
    assert "a\ufffdb" in entry.content[0].value


def test_entries_are_newest_first_and_named_by_their_versions() -> None:
    """The same comparison is the same entry, byte for byte; another version is another."""
    old, new = change(1), change(2, to_version="v3")
    feed = read(old, new)
    again = read(change(1))

    assert ["pages/p-1:changed:v1:v3", "pages/p-1:changed:v1:v2"] == [
        one.id.removeprefix("urn:scops:change:") for one in feed.entries
    ]
    assert feed.entries[1] == again.entries[0]
    assert "2026-05-02T12:00:02Z" == feed.feed.updated == feed.entries[0].published
    assert "https://docs.example.org/a" == feed.entries[0].link
    assert URL == next(one.href for one in feed.feed.links if one.rel == "self")


def test_a_feed_says_that_there_is_more_and_none_is_valid() -> None:
    """Nothing changed: a feed without entries, of the instant that was asked for."""
    empty = read()
    full = read(change(truncated=True), truncated=True)

    assert ([], "2026-05-01T00:00:00+00:00") == (empty.entries, empty.feed.updated)
    assert "subtitle" not in empty.feed
    assert "more changes" in full.feed.subtitle
    assert "more edits" in full.entries[0].content[0].value


def test_only_addresses_of_the_web_are_linked() -> None:
    """What a reader clicks is a page."""
    (entry,) = read(change(uri="javascript:alert(1)")).entries

    assert "links" not in entry
    assert "href" not in str(entry)
