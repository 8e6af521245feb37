"""A stand-in for GitHub's REST API (version 2022-11-28), of one repository.

Answers have the shapes of https://docs.github.com/en/rest, with the fields that say something of
the repository; lists come in parts, with links and ETags, and limits are told as GitHub tells them.
"""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from aiohttp import web

from tests.fakes.servers.origin import Origin

NAME = "heronry/gauges"
TOKEN = "ghp_5f3c9a7b1d2e4f60"
# Where people see it.
SITE = f"https://github.com/{NAME}"


@dataclass(frozen=True)
class Commit:
    """A commit of one file; None deletes it."""

    sha: str
    path: str
    body: str | None
    at: datetime


@dataclass
class Github:
    """The API on an origin.

    Attributes:
        at_once: of a list in an answer, at most.
        limits: answers that are given first, one a request: `primary`, `secondary`, `retry` or a
            status.
        private: it is seen by those alone who may.
        whole_trees: a tree with its subtrees is told in one answer.
    """

    origin: Origin
    at_once: int = 2
    limits: list[str] = field(default_factory=list)
    reset_seconds: float = 1.0
    private: bool = False
    whole_trees: bool = True
    commits: list[Commit] = field(default_factory=list)
    releases: list[dict[str, Any]] = field(default_factory=list)
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, list[dict[str, Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        base = f"/repos/{NAME}"
        self.origin.handle(base, self._answering(self._repository))
        self.origin.handle(f"{base}/releases", self._answering(self._releases))
        self.origin.handle(f"{base}/issues", self._answering(self._issues))
        self.origin.handle(f"{base}/commits", self._answering(self._commits))

    @property
    def url(self) -> str:
        """Of its API."""
        return self.origin.url

    def file_url(self, path: str) -> str:
        """Of a file as people see it."""
        return f"{SITE}/blob/main/{path}"

    def commit(self, path: str, body: str | None, at: datetime) -> str:
        """Commits a file, or its removal; returns the commit's id."""
        sha = hashlib.sha1(f"{path}{body}{at}{len(self.commits)}".encode()).hexdigest()
        self.commits.append(Commit(sha, path, body, at))
        self.origin.handle(f"/repos/{NAME}/contents/{path}", self._answering(self._content))
        self.origin.handle(f"/repos/{NAME}/git/trees/main", self._answering(self._tree))
        for folder in self._folders():
            tree = f"/repos/{NAME}/git/trees/{_tree_id(folder)}"
            self.origin.handle(tree, self._answering(self._tree))
        return sha

    def release(self, tag: str, at: datetime, html: str, **more: Any) -> None:
        """Publishes a release."""
        made = {
            "id": 1000 + len(self.releases),
            "html_url": f"{SITE}/releases/tag/{tag}",
            "tag_name": tag,
            "name": f"Gauges {tag}",
            "draft": False,
            "prerelease": False,
            "created_at": _stamp(at),
            "published_at": _stamp(at),
            "body_html": html,
        }
        self.releases.insert(0, {**made, **more})

    def issue(self, number: int, title: str, at: datetime, html: str, **more: Any) -> None:
        """Opens an issue, or changes one."""
        there = self.issues.get(number, {"created_at": _stamp(at), "comments": 0})
        said = {
            "number": number,
            "html_url": f"{SITE}/issues/{number}",
            "title": title,
            "state": "open",
            "state_reason": None,
            "body_html": html,
            "user": {"login": "heron"},
            "labels": [{"name": "price"}],
            "updated_at": _stamp(at),
        }
        self.issues[number] = {**there, **said, **more}
        self.origin.handle(
            f"/repos/{NAME}/issues/{number}/comments", self._answering(self._comments)
        )

    def comment(self, number: int, at: datetime, html: str) -> None:
        """Says something to an issue."""
        said = self.comments.setdefault(number, [])
        said.append({"user": {"login": "grebe"}, "created_at": _stamp(at), "body_html": html})
        issue = self.issues[number]
        self.issues[number] = {**issue, "comments": len(said), "updated_at": _stamp(at)}

    def asked(self, part: str, status: int = 200) -> int:
        """Counts requests of what was answered so."""
        return sum(part in one.path and one.status == status for one in list(self.origin.requests))

    def _answering(
        self, answer: Callable[[web.Request], web.Response]
    ) -> Callable[[web.Request], Any]:
        async def answered(request: web.Request) -> web.StreamResponse:
            if self.limits:
                return self._limited(self.limits.pop(0))
            if request.headers.get("Authorization", f"Bearer {TOKEN}") != f"Bearer {TOKEN}":
                return _refused(401, "Bad credentials")
            found = answer(request)
            etag = f'W/"{hashlib.sha256((found.text or "").encode()).hexdigest()}"'
            if found.status == 200 and request.headers.get("If-None-Match") == etag:
                return web.Response(status=304, headers={"ETag": etag})
            found.headers["ETag"] = etag
            found.headers["x-ratelimit-remaining"] = "4999"
            return found

        return answered

    def _limited(self, limit: str) -> web.Response:
        spent = "API rate limit exceeded for 203.0.113.7."
        if limit == "primary":
            reset = str(int(time.time() + self.reset_seconds))
            headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}
            return _refused(403, spent, **headers)
        if limit == "secondary":
            return _refused(403, "You have exceeded a secondary rate limit. Please wait.")
        if limit == "retry":
            return _refused(429, "Too many requests", **{"retry-after": "7"})
        return _refused(int(limit), "No server is available")

    def _repository(self, request: web.Request) -> web.Response:
        said = {"full_name": NAME, "html_url": SITE, "default_branch": "main"}
        return web.json_response({**said, "private": self.private})

    def _releases(self, request: web.Request) -> web.Response:
        return self._part(request, self.releases)

    def _issues(self, request: web.Request) -> web.Response:
        since = request.query.get("since", "")
        assert ("all", "updated", "desc") == tuple(
            request.query[name] for name in ("state", "sort", "direction")
        )
        found = [one for one in self.issues.values() if one["updated_at"] >= since]
        found.sort(key=lambda one: str(one["updated_at"]), reverse=True)
        return self._part(request, found)

    def _comments(self, request: web.Request) -> web.Response:
        return self._part(request, self.comments.get(int(request.path.split("/")[-2]), []))

    def _commits(self, request: web.Request) -> web.Response:
        path = request.query["path"]
        found = [one for one in reversed(self.commits) if one.path == path]
        told = [
            {"sha": one.sha, "commit": {"committer": {"date": _stamp(one.at)}}} for one in found
        ]
        return self._part(request, told)

    def _content(self, request: web.Request) -> web.Response:
        path = unquote(request.path.partition("/contents/")[2])
        before: list[Commit] = []
        for one in self.commits:
            before.append(one)
            if one.sha == request.query["ref"]:
                break
        body = next((one.body for one in reversed(before) if one.path == path), None)
        if body is None:
            return _refused(404, "Not Found")
        kind = request.headers["Accept"]
        if "html" in kind:
            html = f'<div id="file"><article><h1>Read</h1><p>{body}</p></article></div>'
            return web.Response(text=html, content_type="application/vnd.github.html")
        assert "raw" in kind
        return web.Response(text=body, content_type="application/vnd.github.raw")

    def _tree(self, request: web.Request) -> web.Response:
        named = request.path.rpartition("/")[2]
        below = next((one for one in self._folders() if _tree_id(one) == named), "")
        files = {
            path.removeprefix(below): body
            for path, body in self._files().items()
            if path.startswith(below)
        }
        is_whole = "recursive" in request.query and (self.whole_trees or bool(below))
        told = [
            {"path": path, "type": "blob", "sha": _blob_id(body), "size": len(body.encode())}
            for path, body in files.items()
            if is_whole or "/" not in path
        ]
        folders = {path.partition("/")[0] for path in files if "/" in path}
        told += [
            {"path": name, "type": "tree", "sha": _tree_id(f"{below}{name}/")}
            for name in sorted(folders)
        ]
        truncated = "recursive" in request.query and not is_whole
        return web.json_response({"sha": named, "tree": told, "truncated": truncated})

    def _files(self) -> dict[str, str]:
        files: dict[str, str] = {}
        for one in self.commits:
            files.pop(one.path, None)
            if one.body is not None:
                files[one.path] = one.body
        return files

    def _folders(self) -> set[str]:
        parts = [one.path.split("/")[:-1] for one in self.commits]
        return {"/".join(p[: n + 1]) + "/" for p in parts for n in range(len(p))}

    def _part(self, request: web.Request, found: list[Any]) -> web.Response:
        size = min(self.at_once, int(request.query.get("per_page", "30")))
        page = int(request.query.get("page", "1"))
        headers = {}
        if page * size < len(found):
            following = request.url.update_query(page=page + 1)
            headers["Link"] = f'<{self.url}{following.path_qs}>; rel="next"'
        return web.json_response(found[(page - 1) * size : page * size], headers=headers)


def _refused(status: int, message: str, **headers: str) -> web.Response:
    said = {"message": message, "documentation_url": "https://docs.github.com/rest"}
    return web.Response(
        status=status, text=json.dumps(said), headers=headers, content_type="application/json"
    )


def _blob_id(body: str) -> str:
    raw = body.encode()
    return hashlib.sha1(b"blob %d\0" % len(raw) + raw).hexdigest()


def _tree_id(folder: str) -> str:
    return hashlib.sha1(f"tree {folder}".encode()).hexdigest()


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
