"""A wiki that answers as MediaWiki's Action API does, from pages with their revisions.

The answers have the shape of those of https://www.mediawiki.org/w/api.php in formatversion 2.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aiohttp import web

from tests.fakes.servers.origin import Origin

PATH = "/w/api.php"


@dataclass(frozen=True)
class Saved:
    """A revision: its source is the HTML that it shows."""

    revision_id: int
    at: datetime
    source: str
    hidden: bool = False


@dataclass
class Wiki:
    """A wiki on an origin.

    Attributes:
        at_once: of a list in an answer; the rest is told by `continue`.
        busy: so many requests are answered by lag first.
        urls: of pages that lie elsewhere than the others, by title.
        noindex: titles of pages that ask to be left out.
        damaged: ids of revisions that are told without their time.
    """

    origin: Origin
    at_once: int = 2
    busy: int = 0
    pages: dict[str, list[Saved]] = field(default_factory=dict)
    urls: dict[str, str] = field(default_factory=dict)
    noindex: set[str] = field(default_factory=set)
    damaged: set[int] = field(default_factory=set)
    asked: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.origin.handle(PATH, self._answer)

    @property
    def url(self) -> str:
        """Of its API."""
        return f"{self.origin.url}{PATH}"

    def page_url(self, title: str) -> str:
        """Of a page as a reader sees it."""
        return self.urls.get(title) or f"{self.origin.url}/wiki/{title.replace(' ', '_')}"

    def save(self, title: str, at: datetime, source: str, *, hidden: bool = False) -> int:
        """Saves a revision of a page; returns its id."""
        number = 1000 + sum(len(saved) for saved in self.pages.values())
        self.pages.setdefault(title, []).append(Saved(number, at, source, hidden))
        return number

    def rendered(self) -> int:
        """How many revisions were asked for as HTML."""
        return sum(one.get("action") == "parse" for one in self.asked)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        asked = dict(request.query)
        self.asked.append(asked)
        assert {"json", "2"} == {asked["format"], asked["formatversion"]}
        if self.busy:
            self.busy -= 1
            lag = {"error": {"code": "maxlag", "info": "Waiting for a server: 6 seconds lagged"}}
            return web.json_response(lag, headers={"Retry-After": "1"})
        if asked["action"] == "parse":
            return web.json_response(self._parsed(int(asked["oldid"])))
        for name, answer in self._queries().items():
            if name in (asked.get("meta"), asked.get("list"), *asked.get("prop", "").split("|")):
                return web.json_response({"batchcomplete": True, **answer(asked)})
        return web.json_response({"error": {"code": "unknown_action", "info": "Unrecognized"}})

    def _queries(self) -> dict[str, Callable[[dict[str, str]], dict[str, Any]]]:
        return {
            "siteinfo": self._siteinfo,
            "allpages": self._allpages,
            "info": self._info,
            "revisions": self._revisions,
        }

    def _siteinfo(self, asked: dict[str, str]) -> dict[str, Any]:
        general = {"sitename": "Gauges", "server": self.origin.url, "lang": "en"}
        return {"query": {"general": general}}

    def _allpages(self, asked: dict[str, str]) -> dict[str, Any]:
        titles = sorted(one for one in self.pages if one.startswith(asked["apprefix"]))
        begin = titles.index(asked["apcontinue"]) if "apcontinue" in asked else 0
        left = titles[begin + self.at_once :]
        found = [{"ns": 0, "title": one} for one in titles[begin : begin + self.at_once]]
        more = {"continue": {"apcontinue": left[0], "continue": "-||"}} if left else {}
        return {**more, "query": {"allpages": found}}

    def _info(self, asked: dict[str, str]) -> dict[str, Any]:
        title = asked["titles"]
        if title not in self.pages:
            return {"query": {"pages": [{"title": title, "missing": True}]}}
        page: dict[str, Any] = {"ns": 0, "title": title, "canonicalurl": self.page_url(title)}
        if title in self.noindex and "pageprops" in asked["prop"]:
            page["pageprops"] = {"noindex": ""}
        return {"query": {"pages": [page]}}

    def _revisions(self, asked: dict[str, str]) -> dict[str, Any]:
        saved = self.pages[asked["titles"]][::-1]
        begin = int(asked.get("rvcontinue", 0))
        found = [self._revision(one) for one in saved[begin : begin + self.at_once]]
        end = begin + self.at_once
        more = {"continue": {"rvcontinue": str(end), "continue": "||"}} if saved[end:] else {}
        return {**more, "query": {"pages": [{"title": asked["titles"], "revisions": found}]}}

    def _parsed(self, revision_id: int) -> dict[str, Any]:
        for title, saved in self.pages.items():
            for one in saved:
                if one.revision_id == revision_id and not one.hidden:
                    return {"parse": {"title": title, "revid": revision_id, "text": one.source}}
        return {"error": {"code": "nosuchrevid", "info": "There is no such revision."}}

    def _revision(self, one: Saved) -> dict[str, Any]:
        if one.revision_id in self.damaged:
            return {"revid": one.revision_id}
        stated = {"revid": one.revision_id, "timestamp": one.at.strftime("%Y-%m-%dT%H:%M:%SZ")}
        if one.hidden:
            return {**stated, "sha1hidden": True}
        return {**stated, "sha1": hashlib.sha1(one.source.encode()).hexdigest()}
