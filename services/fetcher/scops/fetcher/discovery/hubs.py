"""Hubs that listings name: who tells of their changes, and under which topic.

Source: WebSub (W3C Recommendation), section 4: `Link` headers (RFC 8288) with `rel=hub` and
`rel=self`, else link elements of the feed. Of several hubs the first that can be asked is taken.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.fetcher.discovery.listing import Listing
from scops.fetcher.ports.page_source import Fetched

HEADER_CHARACTERS_MAX = 8192
TOPIC_CHARACTERS_MAX = 2000

_LINK = re.compile(r'<([^<>]*+)>((?:\s*+;\s*+[^\s;,="]++\s*+(?:=\s*+(?:"[^"]*+"|[^\s;,"]*+))?+)*+)')
_PARAMETER = re.compile(r';\s*+([^\s;,="]++)\s*+(?:=\s*+(?:"([^"]*+)"|([^\s;,"]*+)))?+')
_TOPIC = re.compile(r"https?://[\x21-\x7e]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedHub:
    """A hub, canonical, and the topic that it knows a listing by, as the listing writes it."""

    hub_url: str
    topic_url: str


def named_hub(answer: Fetched, listing: Listing) -> NamedHub | None:
    """Returns the hub that a listing names, by its headers or else in itself; None for none."""
    links = tuple(_header_links(answer))
    hub = usable_hub(_of_relation("hub", links), answer.final_url) or listing.hub_url
    if not hub:
        return None
    topic = topic_of(_of_relation("self", links), answer.final_url) or listing.topic_url
    return NamedHub(hub_url=hub, topic_url=topic or answer.final_url)


def usable_hub(candidates: Iterable[str], base: str) -> str:
    """Returns the first of some addresses that can be asked, canonical; empty for none."""
    for candidate in candidates:
        try:
            return canonical_url(candidate, base or None)
        except InvalidInput:
            continue
    return ""


def topic_of(candidates: Iterable[str], base: str) -> str:
    """Returns the first of some addresses as it is written: a hub compares topics by characters."""
    for candidate in candidates:
        try:
            written = candidate.strip()
            # What is absolute already, joining would write anew.
            topic = written if _TOPIC.fullmatch(written) else urljoin(base, written)
        except ValueError:
            continue
        if len(topic) <= TOPIC_CHARACTERS_MAX and _TOPIC.fullmatch(topic):
            return topic
    return ""


def _header_links(answer: Fetched) -> Iterator[tuple[str, tuple[str, ...]]]:
    headers = answer.exchange.response_headers if answer.exchange is not None else ()
    for name, value in headers:
        if name.lower() == "link":
            for link in _LINK.finditer(value[:HEADER_CHARACTERS_MAX]):
                yield link[1], _relations(link[2])


def _relations(parameters: str) -> tuple[str, ...]:
    """Returns what the first `rel` of a link names; others do not count (RFC 8288, 3.3)."""
    for name, quoted, plain in _PARAMETER.findall(parameters):
        if name.lower() == "rel":
            return tuple((quoted or plain).lower().split())
    return ()


def _of_relation(relation: str, links: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    return tuple(target for target, relations in links if relation in relations)
