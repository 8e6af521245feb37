"""Names of papers in a library of Zotero, by its API: on the web, or of the program itself.

Source: https://www.zotero.org/support/dev/web_api/v3/basics and …/v3/local_api. Items come as
CSL-JSON, a hundred at once, in the order in which they were added; where the library changes
between two parts (Last-Modified-Version), it is read from its begin again.
"""

import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from scops.common.contract.errors import InvalidInput
from scops.fetcher.adapters.apis.asking import PAUSE_SECONDS_MAX, PoliteApi, Wait
from scops.standalone.commands.papers.bibliography import Bibliography
from scops.standalone.commands.papers.csl_items import csl_items, name_items

SERVICE, SERVER, KEY = "zotero", "https://api.zotero.org", "ZOTERO_API_KEY"
OWN = "library"
FORMS = "library, users/ID or groups/ID, with /collections/KEY for a collection alone"
ITEMS_AT_ONCE = 100
PARTS_MAX = 500
READINGS_MAX = 3
WORDS_MAX = 120
# It asks for no more than four requests at once; one follows the other here.
PAUSE_SECONDS = 0.1
_PLACE = re.compile(r"(library|(?:users|groups)/[0-9]{1,12})(?:/collections/([0-9A-Z]{8}))?")
# As a browser shows a group, with its name and what is open.
_SHOWN = re.compile(
    r"https://www\.zotero\.org/(groups/[0-9]{1,12})(?:/(?!collections/)[^/?#]{1,200})?"
    r"(?:/collections/([0-9A-Z]{8}))?(?:[/?#]|$)"
)


class _Changed(Exception):
    """The library changed between two of its parts."""


class ZoteroLibrary:
    """A library, or a collection of it.

    Args:
        where: as `FORMS` says, or the URL of a group on zotero.org.
        server: of the API; `http://localhost:23119/api` is that of the program.
        key: of the API; empty reads public libraries and those of the program.
        sleep: waits so many seconds.

    Raises:
        InvalidInput: it names none.
    """

    def __init__(
        self, where: str, *, server: str = SERVER, key: str = "", sleep: Wait = time.sleep
    ) -> None:
        self._server, self._key = server.rstrip("/"), key
        self._where = where.strip().strip("/")
        self._place = _place(self._where)
        # Of the headers that may carry the key this one is left out where a redirect leads away.
        named = {"Authorization": f"Bearer {key}"} if key else {}
        self._api = PoliteApi(
            self._server,
            pause_seconds=PAUSE_SECONDS,
            headers={"Zotero-API-Version": "3"} | named,
            sleep=sleep,
        )

    def close(self) -> None:
        """Closes the connection."""
        self._api.close()

    def read(self) -> Bibliography:
        """Returns what its items name.

        Raises:
            InvalidInput: it needs a key, or there is no such library.
            OSError: the API does not answer, refuses, stays busy, or answers something else.
        """
        for _ in range(READINGS_MAX):
            found = Bibliography()
            try:
                for items in self._parts():
                    name_items(items, found)
            except _Changed:
                continue
            return found
        raise OSError(f"{self._server}: the library changes while it is read; ask again later")

    def _parts(self) -> Iterator[list[Any]]:
        params = {"format": "csljson", "limit": str(ITEMS_AT_ONCE)}
        params |= {"sort": "dateAdded", "direction": "asc"}
        url = f"{self._server}/{self._path()}/items/top"
        answer = self._answer(url, params)
        version = _version(answer)
        for _ in range(PARTS_MAX):
            yield list(self._items(answer))
            following = answer.links.get("next", {}).get("url", "")
            if not following:
                return
            answer = self._answer(self._within(following))
            if _version(answer) != version:
                raise _Changed
        raise OSError(f"{self._server}: the library has more than {PARTS_MAX} parts")

    def _path(self) -> str:
        library, collection = self._place
        if library == OWN:
            library = f"users/{self._own_id()}"
        return f"{library}/collections/{collection}" if collection else library

    def _own_id(self) -> str:
        """Returns the id of whose key it is; that of the program's own user is 0."""
        if not self._key:
            if self._server == SERVER:
                raise InvalidInput(f"Set {KEY}, or name a public library: {FORMS}.")
            return "0"
        said = self._json(self._answer(f"{self._server}/keys/current"))
        number = said.get("userID") if isinstance(said, dict) else None
        if not isinstance(number, int):
            raise OSError(f"{self._server} does not say whose key it is")
        return str(number)

    def _answer(self, url: str, params: Mapping[str, str] | None = None) -> httpx.Response:
        answer = self._api.get(url, params)
        if answer.status_code == httpx.codes.NOT_FOUND:
            raise InvalidInput(f"{self._server} knows no {self._where!r}. Name {FORMS}.")
        if answer.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            raise InvalidInput(
                f"{self._server} does not give {self._where!r}: {_words(answer)}. Set {KEY} to a "
                "key that may read it; the program has to allow other applications in its settings."
            )
        if answer.status_code != httpx.codes.OK:
            raise OSError(f"{self._server} answered {answer.status_code}: {_words(answer)}")
        self._mind(answer)
        return answer

    def _mind(self, answer: httpx.Response) -> None:
        """Has the next request wait where an answer asks for it, as any may."""
        said = answer.headers.get("Backoff", "").strip()
        seconds = float(said) if said.isdigit() else 0.0
        if seconds > PAUSE_SECONDS_MAX and "next" in answer.links:
            raise OSError(f"{self._server} asks to be left alone for {seconds:.0f} s; ask then")
        self._api.rest(min(seconds, PAUSE_SECONDS_MAX))

    def _items(self, answer: httpx.Response) -> Iterator[Any]:
        try:
            yield from csl_items(self._json(answer))
        except ValueError as error:
            raise OSError(f"{self._server} answered no CSL-JSON: {error}") from error

    def _json(self, answer: httpx.Response) -> Any:
        try:
            return answer.json()
        # JSON may be nested deeper than is read.
        except (ValueError, RecursionError) as error:
            raise OSError(f"{self._server} answered what is no JSON: {_words(answer)}") from error

    def _within(self, url: str) -> str:
        """Returns the URL of the next part, which would have the key."""
        if not url.startswith(f"{self._server}/"):
            raise OSError(f"{self._server} leads to another server: {url[:WORDS_MAX]}")
        return url


def _place(where: str) -> tuple[str, str]:
    """Returns a library and the key of its collection, or of none."""
    found = _PLACE.fullmatch(where) or _SHOWN.match(where)
    if found is None:
        raise InvalidInput(f"{where!r} is no library of Zotero. Name {FORMS}.")
    return found[1], found[2] or ""


def _version(answer: httpx.Response) -> str:
    return str(answer.headers.get("Last-Modified-Version", ""))


def _words(answer: httpx.Response) -> str:
    return " ".join(answer.text.split())[:WORDS_MAX] or "nothing"
