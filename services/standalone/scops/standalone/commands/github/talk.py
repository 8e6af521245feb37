"""Takes up the releases and issues of a repository, each as a document of its last change."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from html import escape
from typing import Any

from scops.standalone.commands.apis.documents import conversation
from scops.standalone.commands.apis.memory import ImportMemory
from scops.standalone.commands.apis.taking import ApiImport, Showed, Sighting
from scops.standalone.commands.github.api import GithubApi, instant

ISSUES_SINCE = "issues since"
DRAFTS, PULL_REQUESTS, OLDER = "drafts", "pull requests", "older"


class GithubTalk:
    """The releases and issues.

    Args:
        since: only what changed from then on; None for what changed since it was read last.
    """

    def __init__(
        self,
        api: GithubApi,
        taking: ApiImport,
        memory: ImportMemory,
        *,
        since: datetime | None,
    ) -> None:
        self._api, self._taking, self._memory, self._since = api, taking, memory, since

    def take_releases(self) -> None:
        """Takes up releases that changed; a draft is none yet.

        Raises:
            InvalidInput, OSError: as of `GithubApi`.
        """
        mark = "" if self._since else "etag of releases"
        for part in self._api.parts("/releases", {}, mark=mark):
            releases = dict(self._taking.readable(self._published(part), _seen_release))
            for seen, one in self._taking.new_ones(releases):
                self._taking.take(seen, partial(_release, one))
            if not self._taking.settle():
                return
        self._api.remember()
        self._taking.settle()

    def take_issues(self) -> None:
        """Takes up issues that changed, with their comments; the last changed first.

        Raises:
            InvalidInput, OSError: as of `GithubApi`.
        """
        kept = self._memory.get(ISSUES_SINCE)
        since = self._since.isoformat().replace("+00:00", "Z") if self._since else kept
        asked = {"state": "all", "sort": "updated", "direction": "desc"}
        asked |= {"since": since} if since else {}
        newest = kept
        for part in self._api.parts("/issues", asked, mark="" if self._since else "etag of issues"):
            issues = dict(self._taking.readable(self._issues(part), _seen_issue))
            told = (str(one["updated_at"]) for one in issues.values())
            newest = max(filter(None, (newest, *told)), default=None)
            for seen, one in self._taking.new_ones(issues):
                self._taking.take(seen, partial(self._issue, one))
            if not self._taking.settle():
                return
        if not self._since:
            self._memory.note(ISSUES_SINCE, newest)
            self._api.remember()
        self._taking.settle()

    def _published(self, part: Sequence[Any]) -> Iterator[dict[str, Any]]:
        for released, one in self._taking.readable(part, _released_or_none):
            if released is None:
                self._taking.tally.leave_out(DRAFTS)
            elif self._since and released < self._since:
                self._taking.tally.leave_out(OLDER)
            else:
                yield one

    def _issues(self, part: Sequence[Any]) -> Iterator[dict[str, Any]]:
        for one in part:
            if isinstance(one, dict) and "pull_request" in one:
                self._taking.tally.leave_out(PULL_REQUESTS)
            else:
                yield one

    def _issue(self, issue: dict[str, Any]) -> Showed:
        labels = ", ".join(str(one["name"]) for one in issue.get("labels", ()))
        state = " as ".join(filter(None, (issue["state"], issue.get("state_reason"))))
        said = f"Issue {issue['number']}, {state.replace('_', ' ')}"
        head = f"<p>{escape(f'{said}: {labels}' if labels else said)}</p>"
        parts = [head, *_said(issue)]
        if issue.get("comments"):
            for some in self._api.parts(f"/issues/{issue['number']}/comments", {}):
                for comment in some:
                    parts += ["<section>", *_said(comment), "</section>"]
        return conversation(str(issue["title"]), parts)


def _sighting(one: dict[str, Any], at: datetime, name: str) -> Sighting:
    return Sighting(str(one["html_url"]), at, f"github:{name}")


def _seen_release(one: dict[str, Any]) -> Sighting:
    return _sighting(one, _released(one), f"releases/{int(one['id'])}")


def _seen_issue(one: dict[str, Any]) -> Sighting:
    return _sighting(one, instant(one["updated_at"]), f"issues/{int(one['number'])}")


def _released_or_none(release: dict[str, Any]) -> datetime | None:
    """Returns when a release was last changed; None where it is not out yet."""
    is_out = not release.get("draft") and release.get("published_at")
    return _released(release) if is_out else None


def _released(release: dict[str, Any]) -> datetime:
    """Returns when a release was last changed, where that is said, else when it came out."""
    return instant(max(filter(None, (release["published_at"], release.get("updated_at")))))


def _release(release: dict[str, Any]) -> Showed:
    tag, day = str(release["tag_name"]), str(release["published_at"])
    stated = f"<p>{escape(tag)}, released on {_time(day)}</p>"
    return conversation(str(release.get("name") or tag), [stated, _body(release)])


def _said(one: dict[str, Any]) -> tuple[str, str]:
    """Returns who said something when, and what, as HTML."""
    who, day = str((one.get("user") or {}).get("login", "ghost")), str(one["created_at"])
    return f"<h2>{escape(who)}, {_time(day)}</h2>", _body(one)


def _time(stated: str) -> str:
    return f'<time datetime="{escape(stated)}">{escape(stated[:10])}</time>'


def _body(one: dict[str, Any]) -> str:
    """Returns what somebody wrote, as GitHub renders it."""
    return str(one.get("body_html") or "") or f"<p>{escape(str(one.get('body') or ''))}</p>"
