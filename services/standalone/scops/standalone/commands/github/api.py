"""Asks the REST API of GitHub about one repository.

Source: https://docs.github.com/en/rest: its best practices (one request after the other, a pause
as long as it says, conditional requests), links between the parts of lists, media types.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from scops.common.contract.errors import InvalidInput
from scops.fetcher.adapters.apis.asking import Busy, PoliteApi, Wait, busy_by_status
from scops.fetcher.adapters.http.headers import retry_after_seconds
from scops.standalone.commands.apis.memory import ImportMemory

API_VERSION = "2022-11-28"
# Bodies as GitHub renders them; other answers are as ever.
RENDERED = "application/vnd.github.html+json"
RAW = "application/vnd.github.raw+json"
AT_ONCE = "100"
# What GitHub asks for where a limit is met and nothing says how long it holds.
SECONDARY_SECONDS = 60.0
LIMITS = ("secondary rate limit", "rate limit exceeded", "abuse detection")
FORBIDDEN = (403, 429)
UNCHANGED, NO_CONTENT, GONE = 304, 409, (404, 410)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """What GitHub says of a repository.

    Attributes:
        url: where people see it.
        branch: the one that it shows.
    """

    url: str
    branch: str


class GithubApi:
    """The API, of one repository.

    Args:
        server: URL of the API.
        repository: `OWNER/NAME`.
        token: sent to the server alone; empty for none.
        memory: has the ETags of what was read to its end.
        pause_seconds: between two requests.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        server: str,
        repository: str,
        *,
        token: str,
        memory: ImportMemory,
        pause_seconds: float,
        sleep: Wait = time.sleep,
    ) -> None:
        headers = {"X-GitHub-Api-Version": API_VERSION, "Accept": RENDERED}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._api = PoliteApi(
            server, pause_seconds=pause_seconds, headers=headers, judge=busy, sleep=sleep
        )
        self._server = server.rstrip("/")
        self._base = f"{self._server}/repos/{quote(repository, safe='/')}"
        self._name, self._memory = repository, memory
        # Of what is being read.
        self._read_to_end: dict[str, list[Any]] = {}

    def close(self) -> None:
        """Closes the connection."""
        self._api.close()

    def repository(self) -> Repository:
        """Returns what GitHub says of it.

        Raises:
            InvalidInput: there is none, it is private, or the token is refused.
            OSError: GitHub does not answer.
        """
        found = self._read(self._answer(self._base), dict)
        if found.get("private", True):
            raise InvalidInput(
                f"{self._name} is private. What is taken in is read by whoever may read a scope "
                "that holds its URLs. Capture its pages for one scope alone, or fetch them with a "
                "credential of the scope (docs/sources.md)."
            )
        return Repository(url=str(found["html_url"]), branch=str(found["default_branch"]))

    def remember(self) -> None:
        """Has the marks say that what was asked with `mark` has been read to its end."""
        for mark, value in self._read_to_end.items():
            self._memory.note(mark, value)
        self._read_to_end.clear()

    def parts(self, path: str, params: Mapping[str, str], *, mark: str = "") -> Iterator[list[Any]]:
        """Yields the parts of a list.

        Args:
            mark: where the list is as it was when that was kept, there are none.

        Raises:
            InvalidInput, OSError: as of `repository`.
        """
        asked = {"per_page": AT_ONCE, **params}
        answer = self._changed(path, asked, mark)
        while answer is not None:
            yield self._read(answer, list)
            following = answer.links.get("next", {}).get("url", "")
            answer = self._answer(self._own(following)) if following else None

    def tree(self, ref: str, *, mark: str) -> list[dict[str, Any]] | None:
        """Returns the files of a ref; None where they are as they were when the mark was kept.

        Raises:
            InvalidInput, OSError: as of `repository`.
        """
        path = f"/git/trees/{quote(ref, safe='')}"
        answer = self._changed(path, {"recursive": "1"}, mark)
        if answer is None:
            return None
        found = self._read(answer, dict)
        return list(self._files(found)) if found.get("truncated") else _blobs(found)

    def _files(self, truncated: dict[str, Any], below: str = "") -> Iterator[dict[str, Any]]:
        """Yields the files of a tree that is told in part: folder by folder."""
        for entry in self.one(f"/git/trees/{truncated['sha']}").get("tree", ()):
            named = {**entry, "path": f"{below}{entry['path']}"}
            if entry["type"] == "blob":
                yield named
            elif entry["type"] == "tree":
                inside = self.one(f"/git/trees/{entry['sha']}", {"recursive": "1"})
                if inside.get("truncated"):
                    yield from self._files(inside, f"{named['path']}/")
                else:
                    for one in _blobs(inside):
                        yield {**one, "path": f"{named['path']}/{one['path']}"}

    def one(self, path: str, params: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Returns an object.

        Raises:
            InvalidInput, OSError: as of `repository`.
        """
        found: dict[str, Any] = self._read(self._answer(f"{self._base}{path}", params), dict)
        return found

    def content(self, path: str, *, commit: str, kind: str) -> bytes | None:
        """Returns a file as it was at a commit; None where there was none.

        Args:
            kind: RAW, or RENDERED for its HTML.

        Raises:
            InvalidInput, OSError: as of `repository`.
        """
        url = f"{self._base}/contents/{quote(path)}"
        answer = self._answer(url, {"ref": commit}, {"Accept": kind}, gone=True)
        return None if answer.status_code in GONE else answer.content

    def _changed(self, path: str, params: Mapping[str, str], mark: str) -> httpx.Response | None:
        """Returns an answer; None where it is the one that a mark stands for."""
        asked = [list(pair) for pair in sorted(params.items())]
        was, etag = self._memory.get(mark) or ([], "")
        known = {"If-None-Match": etag} if was == asked and etag else {}
        answer = self._answer(f"{self._base}{path}", params, known)
        if answer.status_code == UNCHANGED:
            return None
        if mark:
            self._read_to_end[mark] = [asked, answer.headers.get("ETag", "")]
        return answer

    def _answer(
        self,
        url: str,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        gone: bool = False,
    ) -> httpx.Response:
        answer = self._api.get(url, params, headers)
        if answer.status_code in (200, UNCHANGED) or (gone and answer.status_code in GONE):
            return answer
        raise InvalidInput(self._refusal(answer))

    def _refusal(self, answer: httpx.Response) -> str:
        status, said = answer.status_code, _said(answer)
        where = f"{self._server} answered {status} ({said}) about {self._name}. "
        if status == 401:
            return f"{where}Set GITHUB_TOKEN to a token that is valid, or to none."
        if status in GONE:
            return f"{where}Write it as OWNER/NAME, and see --ref and --server."
        if status == NO_CONTENT:
            return f"{where}The repository is empty."
        return f"{where}See --server, and what the token may read."

    def _own(self, url: str) -> str:
        """Returns the URL of a part that follows; a token is sent to nobody else."""
        own, other = urlsplit(self._server), urlsplit(url)
        if (own.scheme, own.netloc) != (other.scheme, other.netloc):
            raise InvalidInput(f"{self._server} leads on to {other.netloc}, which is not asked.")
        return url

    def _read(self, answer: httpx.Response, kind: type[Any]) -> Any:
        try:
            found = answer.json()
        except ValueError:
            found = None
        if not isinstance(found, kind):
            raise InvalidInput(f"{self._server} is no REST API of GitHub. See --server.")
        return found


def busy(answer: httpx.Response) -> Busy | None:
    """Says whether GitHub asks to be left alone, and for how long.

    Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api.
    """
    if answer.status_code not in FORBIDDEN:
        return busy_by_status(answer)
    stated = retry_after_seconds(answer.headers.get("retry-after", ""), datetime.now(UTC))
    said = _said(answer)
    if stated is not None:
        return Busy(stated, said)
    if answer.headers.get("x-ratelimit-remaining") == "0":
        reset = answer.headers.get("x-ratelimit-reset", "")
        left = float(reset) - time.time() if reset.isdecimal() else SECONDARY_SECONDS
        return Busy(max(left, 1.0), f"{said}; a token in GITHUB_TOKEN has more requests an hour")
    if answer.status_code == 429 or any(limit in said.lower() for limit in LIMITS):
        return Busy(SECONDARY_SECONDS, said)
    return None


def _said(answer: httpx.Response) -> str:
    try:
        found = answer.json()
    except ValueError:
        return ""
    return str(found.get("message", "")) if isinstance(found, dict) else ""


def _blobs(tree: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the files of a tree; what is none of its entries is left to who reads them."""
    return [
        entry
        for entry in tree.get("tree", ())
        if not isinstance(entry, dict) or entry.get("type", "blob") == "blob"
    ]


def instant(stated: str) -> datetime:
    """Returns an instant that GitHub states."""
    return datetime.fromisoformat(stated).astimezone(UTC)
