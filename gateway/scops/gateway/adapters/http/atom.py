"""Atom (RFC 4287) of the changes of a scope or a page: an entry is a change, its edits as HTML.

Titles and texts are of pages, so of strangers: they stay text, and characters that XML cannot
hold are replaced.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from html import escape
from typing import Any

from lxml import etree

ATOM_TYPE = "application/atom+xml; charset=utf-8"
NAMESPACE = "http://www.w3.org/2005/Atom"
CHANGE_NAMES = "urn:scops:change:"
TITLE_CHARACTERS_MAX = 300
# What is no Char of XML 1.0 (section 2.2).
NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def changes_feed(changes: Any, *, about: str, url: str, since: datetime) -> bytes:
    """Returns the feed of a WhatChangedResponse or ListPageChangesResponse, newest change first.

    Args:
        about: the name of the scope or the page.
        url: where the feed is read.
        since: the instant that the changes are counted from, in UTC.
    """
    names: Any = {None: NAMESPACE}
    feed = etree.Element(f"{{{NAMESPACE}}}feed", nsmap=names)
    _put(feed, "id", f"{CHANGE_NAMES}{about}")
    _put(feed, "title", f"Changes of {_title(about, changes)}")
    if changes.truncated:
        _put(feed, "subtitle", "There are more changes than these; name a later `since`.")
    newest = sorted(changes.changes, key=lambda one: (-one.observed_time.ToNanoseconds(), one.name))
    seen = newest[0].observed_time.ToJsonString() if newest else since.isoformat()
    _put(feed, "updated", seen)
    _link(feed, "self", url)
    _put(etree.SubElement(feed, f"{{{NAMESPACE}}}author"), "name", "Scops")
    for change in newest:
        _entry(feed, change)
    written: bytes = etree.tostring(feed, xml_declaration=True, encoding="UTF-8")
    return written


def _title(about: str, changes: Any) -> str:
    """Returns the scope's id, or what the page is called or where it is."""
    if about.startswith("scopes/") or not changes.changes:
        return about.removeprefix("scopes/")
    first = changes.changes[0]
    return str(first.title or first.uri)[:TITLE_CHARACTERS_MAX]


def _entry(feed: Any, change: Any) -> None:
    entry = etree.SubElement(feed, f"{{{NAMESPACE}}}entry")
    compared = f"{change.from_version or 'none'}:{change.to_version or 'none'}"
    _put(entry, "id", f"{CHANGE_NAMES}{change.name}:{change.news}:{compared}")
    title = (change.title or change.uri)[:TITLE_CHARACTERS_MAX]
    _put(entry, "title", f"{change.news}: {title}")
    seen = change.observed_time.ToJsonString()
    _put(entry, "updated", seen)
    _put(entry, "published", seen)
    if change.uri.startswith(("https://", "http://")):
        _link(entry, "alternate", change.uri)
    for reason in change.change_reasons:
        etree.SubElement(entry, f"{{{NAMESPACE}}}category").set("term", _clean(reason))
    _put(entry, "content", "".join(_edits(change))).set("type", "html")


def _edits(change: Any) -> Iterator[str]:
    """Yields HTML of what a page said before and says now, the weightiest edit first."""
    for edit in change.edits:
        if edit.section_path:
            yield f"<h3>{escape(' › '.join(edit.section_path))}</h3>"
        if edit.from_text:
            yield f"<p>Before: <del>{escape(edit.from_text)}</del></p>"
        if edit.to_text:
            yield f"<p>After: <ins>{escape(edit.to_text)}</ins></p>"
        if edit.reasons:
            yield f"<p>{escape(', '.join(edit.reasons))}</p>"
    if change.truncated:
        yield "<p>There are more edits than these.</p>"


def _put(parent: Any, name: str, text: str) -> Any:
    element = etree.SubElement(parent, f"{{{NAMESPACE}}}{name}")
    element.text = _clean(text)
    return element


def _link(parent: Any, relation: str, address: str) -> None:
    link = etree.SubElement(parent, f"{{{NAMESPACE}}}link")
    link.set("rel", relation)
    link.set("href", _clean(address))


def _clean(text: str) -> str:
    return NO_XML.sub("\ufffd", text)
