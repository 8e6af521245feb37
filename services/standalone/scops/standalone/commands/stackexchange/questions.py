"""Takes up questions with their answers, each as a document of its last activity."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from html import escape, unescape

from scops.standalone.commands.apis.documents import conversation
from scops.standalone.commands.apis.memory import ImportMemory
from scops.standalone.commands.apis.taking import ApiImport, Showed, Sighting
from scops.standalone.commands.stackexchange.api import Post, StackExchangeApi
from scops.standalone.commands.warc.served import Moved

LINKS = "links"


class Questions:
    """The questions of a site.

    Args:
        site: as the API calls it.
        since: only what was active from then on; None for what was since it was read last.
    """

    def __init__(
        self,
        api: StackExchangeApi,
        taking: ApiImport,
        memory: ImportMemory,
        *,
        site: str,
        since: datetime | None,
    ) -> None:
        self._api, self._taking, self._memory = api, taking, memory
        self._site, self._since = site, since
        self._links: dict[str, str] = dict(memory.get(LINKS) or {})

    def take(self, tag: str) -> None:
        """Takes up the questions with a tag that were active.

        Raises:
            InvalidInput, OSError: as of `StackExchangeApi`.
        """
        mark = f"questions of {tag} since"
        kept = self._memory.get(mark)
        since = self._since or (_instant(kept) if kept else None)
        newest = kept or 0
        for part in self._api.questions(tag, since=since):
            newest = max([newest, *self._take(part)])
            if not self._taking.settle():
                return
        if not self._since:
            self._memory.note(mark, newest)
        self._taking.settle()

    def _take(self, part: Sequence[Post]) -> list[int]:
        """Takes questions up; returns when each was last active."""
        read = self._taking.readable(part, lambda one: _sighting(one, self._site))
        seen = dict(read)
        new = self._taking.new_ones(seen)
        answers = self._api.answers([int(one["question_id"]) for _, one in new])
        for seen_now, question in new:
            number = str(question["question_id"])
            was = self._links.get(number, seen_now.url)
            if was != seen_now.url:
                # Its title is a part of its URL.
                left = Sighting(was, seen_now.at, seen_now.came_by)
                self._taking.take(left, partial(Moved, seen_now.url))
            said = answers[int(number)]
            self._taking.take(seen_now, partial(_shown, question, said))
            self._links[number] = seen_now.url
        self._memory.note(LINKS, dict(self._links))
        return [int(one.at.timestamp()) for one in seen]


def _sighting(question: Post, site: str) -> Sighting:
    at = _instant(question["last_activity_date"])
    return Sighting(
        str(question["link"]), at, f"stackexchange:{site}/{int(question['question_id'])}"
    )


def _shown(question: Post, answers: Sequence[Post]) -> Showed:
    tags = ", ".join(map(str, question.get("tags", ())))
    parts = [f"<p>{escape(f'Question about {tags}')}</p>", *_said("Asked", question)]
    # The others in the order in which they came: votes would move them.
    for answer in sorted(answers, key=lambda one: not one.get("is_accepted")):
        how = "Accepted answer" if answer.get("is_accepted") else "Answer"
        parts += ["<section>", *_said(how, answer), "</section>"]
    return conversation(unescape(str(question["title"])), parts)


def _said(how: str, post: Post) -> tuple[str, str]:
    """Returns who said something when and under which licence, and what, as HTML."""
    who = unescape(str((post.get("owner") or {}).get("display_name") or "somebody"))
    days = [_day(post["creation_date"])]
    if post.get("last_edit_date"):
        days.append(f"edited {_day(post['last_edit_date'])}")
    licence = post.get("content_license")
    under = f" ({escape(str(licence))})" if licence else ""
    return f"<h2>{how} by {escape(who)}, {', '.join(days)}{under}</h2>", str(post.get("body", ""))


def _day(seconds: int) -> str:
    at = _instant(seconds)
    return f'<time datetime="{at.isoformat()}">{at.date().isoformat()}</time>'


def _instant(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
