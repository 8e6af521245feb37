"""Asks the Action API of a MediaWiki: which pages there are, their revisions, and what each showed.

Source: https://www.mediawiki.org/wiki/API:Main_page, with its etiquette: one request after the
other, `maxlag`, and a User-Agent that says who asks. Answers are read in formatversion 2.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

import httpx

from scops.common.contract.errors import InvalidInput
from scops.fetcher.adapters.apis.asking import FORM_ERRORS, Busy, PoliteApi, Wait, busy_by_status
from scops.fetcher.adapters.http.headers import retry_after_seconds

# The wiki asks to be left alone for a while.
BUSY_CODES = ("maxlag", "ratelimited", "readonly")
MAXLAG_SECONDS = 5
REVISION_GONE = ("nosuchrevid", "missingtitle", "permissiondenied", "missingcontent")
# What the wiki itself could not make, such as a revision of a model that is no longer known.
INTERNAL = "internal_api_error"
# An error stands at the beginning of its answer.
SAID_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiki:
    """What a wiki says of itself.

    Attributes:
        base: a URL of it, with scheme.
        language: of its content, such as `en`.
    """

    name: str
    base: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WikiPage:
    """A page, by its title and its URL as the wiki gives them.

    Attributes:
        noindex: it asks search engines to leave it out (`__NOINDEX__`).
    """

    title: str
    url: str
    noindex: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A revision of a page.

    Attributes:
        at: when it was saved.
        digest: SHA-1 of its source in hexadecimal digits; empty where it is hidden.
    """

    revision_id: int
    at: datetime
    digest: str


class WikiApi:
    """The API of one wiki.

    Args:
        url: of its `api.php`.
        pause_seconds: between two requests.
        sleep: waits so many seconds.
    """

    def __init__(self, url: str, *, pause_seconds: float, sleep: Wait = time.sleep) -> None:
        self._api = PoliteApi(url, pause_seconds=pause_seconds, judge=_busy, sleep=sleep)
        self._url = url

    def close(self) -> None:
        """Closes the connection."""
        self._api.close()

    def wiki(self) -> Wiki:
        """Returns what the wiki says of itself.

        Raises:
            InvalidInput: there is no such API.
            OSError: it does not answer.
        """
        general = self._query({"meta": "siteinfo"}).get("general")
        if not isinstance(general, dict) or "server" not in general:
            raise InvalidInput(_no_api(self._url))
        return Wiki(
            name=str(general.get("sitename", "")),
            base=urljoin(self._url, str(general["server"])),
            language=str(general.get("lang", "")),
        )

    def titles(self, *, namespace: int, prefix: str) -> Iterator[str]:
        """Yields the titles of a namespace's pages that begin so, but of redirects.

        Raises:
            OSError: it does not answer.
        """
        asked = {
            "list": "allpages",
            "apnamespace": str(namespace),
            "apprefix": prefix,
            "apfilterredir": "nonredirects",
            "aplimit": "max",
        }
        for found in self._pages_of(asked):
            yield from (str(page.get("title", "")) for page in _dicts(found.get("allpages")))

    def page(self, title: str) -> WikiPage | None:
        """Returns a page by its title; None where the wiki has none.

        Raises:
            OSError: it does not answer.
        """
        asked = {"titles": title, "prop": "info|pageprops", "inprop": "url", "ppprop": "noindex"}
        found = next(_dicts(self._query(asked).get("pages")), dict[str, Any]())
        if found.get("missing") or found.get("invalid") or "canonicalurl" not in found:
            return None
        return WikiPage(
            title=str(found.get("title", title)),
            url=urljoin(self._url, str(found["canonicalurl"])),
            noindex="noindex" in dict(found.get("pageprops") or {}),
        )

    def revisions(self, title: str) -> Iterator[Revision | None]:
        """Yields the revisions of a page, the newest first; None for one of another form.

        Raises:
            OSError: it does not answer.
        """
        asked = {
            "titles": title,
            "prop": "revisions",
            "rvprop": "ids|timestamp|sha1",
            "rvlimit": "max",
            "rvdir": "older",
        }
        for found in self._pages_of(asked):
            for page in _dicts(found.get("pages")):
                yield from map(_revision, page.get("revisions", ()))

    def html(self, revision_id: int) -> str | None:
        """Returns what a revision showed, as HTML without what is around it; None where it is gone.

        Templates are those of today: the wiki keeps no page as it looked.

        Raises:
            OSError: it does not answer.
        """
        asked = {
            "action": "parse",
            "oldid": str(revision_id),
            "prop": "text",
            "disableeditsection": "1",
            "disablelimitreport": "1",
            "disabletoc": "1",
        }
        answer = self._asked_for(asked, gone=REVISION_GONE)
        parsed = answer.get("parse")
        return str(parsed["text"]) if isinstance(parsed, dict) and "text" in parsed else None

    def _query(self, asked: Mapping[str, str]) -> dict[str, Any]:
        found = self._asked_for({"action": "query", **asked}).get("query")
        return found if isinstance(found, dict) else {}

    def _pages_of(self, asked: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yields the answers to a query, one after the other, until there are no more."""
        go_on: dict[str, str] = {}
        while True:
            answer = self._asked_for({"action": "query", **asked, **go_on})
            yield answer.get("query") or {}
            go_on = {name: str(value) for name, value in (answer.get("continue") or {}).items()}
            if not go_on:
                return

    def _asked_for(self, asked: Mapping[str, str], *, gone: tuple[str, ...] = ()) -> dict[str, Any]:
        """Asks until the wiki is not busy.

        Args:
            gone: codes of errors that say that there is nothing.

        Raises:
            InvalidInput: what answers is no such API, or does not let everybody read.
            OSError: it does not answer.
        """
        fixed = {"format": "json", "formatversion": "2", "maxlag": str(MAXLAG_SECONDS)}
        answer = self._api.get(self._url, {**fixed, **asked})
        if answer.status_code != 200:
            raise InvalidInput(f"{_no_api(self._url)} It answered {answer.status_code}.")
        found = _read(answer, self._url)
        code = str((found.get("error") or {}).get("code", ""))
        if code in gone or (gone and code.startswith(INTERNAL)):
            return {}
        if code:
            raise InvalidInput(f"{self._url} refuses: {found['error'].get('info', code)}")
        return found


def _revision(each: Any) -> Revision | None:
    try:
        return Revision(
            revision_id=int(each["revid"]),
            at=datetime.fromisoformat(str(each["timestamp"])).astimezone(UTC),
            digest=str(each.get("sha1", "")),
        )
    except FORM_ERRORS:
        return None


def _dicts(found: Any) -> Iterator[dict[str, Any]]:
    return (one for one in found or () if isinstance(one, dict))


def _busy(answer: httpx.Response) -> Busy | None:
    """Says whether the wiki asks to be left alone: by its status, or by an error."""
    if answer.status_code == 200 and any(code in answer.text[:SAID_MAX] for code in BUSY_CODES):
        try:
            error = answer.json().get("error") or {}
        except (ValueError, AttributeError):
            return None
        if error.get("code") in BUSY_CODES:
            return Busy(
                retry_after_seconds(answer.headers.get("Retry-After", ""), datetime.now(UTC))
            )
        return None
    return busy_by_status(answer)


def _read(answer: httpx.Response, url: str) -> dict[str, Any]:
    try:
        found = answer.json()
    except ValueError as error:
        raise InvalidInput(_no_api(url)) from error
    if not isinstance(found, dict):
        raise InvalidInput(_no_api(url))
    return found


def _no_api(url: str) -> str:
    return (
        f"{url} is no API of a MediaWiki. Give the URL of its api.php, such as "
        "https://www.mediawiki.org/w/api.php; the page Special:Version of the wiki has it."
    )
