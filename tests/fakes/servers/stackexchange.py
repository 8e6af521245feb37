"""A stand-in for the API of Stack Exchange, version 2.3, of one site.

Answers have the documented wrapper and the fields of the built-in filter `withbody`, packed by
gzip as all of its answers are; throttles and quota are told in its words.
"""

import gzip
import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aiohttp import web

from tests.fakes.servers.origin import Origin

SITE = "heronry"
# Where people see it.
URL = "https://heronry.example.com"
LICENCE = "CC BY-SA 4.0"
# Parts of a list that who has no key may ask for.
PAGES_MAX = 25


@dataclass
class StackExchange:
    """The API on an origin.

    Attributes:
        at_once: of a list in an answer, at most.
        quota: requests that are left today.
        backoff: seconds to wait that each answer tells; 0 tells none.
        throttled: requests that are refused first; each says for how many seconds.
    """

    origin: Origin
    at_once: int = 2
    quota: int = 300
    backoff: int = 0
    throttled: list[int] = field(default_factory=list)
    questions: dict[int, dict[str, Any]] = field(default_factory=dict)
    answers: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.origin.handle("/2.3/questions", self._questions)
        self.origin.handle_below("/2.3/questions/", self._answers)

    @property
    def url(self) -> str:
        """Of its API."""
        return f"{self.origin.url}/2.3"

    def link(self, number: int) -> str:
        """Returns the URL of a question as people see it."""
        return str(self.questions[number]["link"])

    def ask(self, number: int, title: str, at: datetime, html: str, *tags: str) -> None:
        """Asks a question, or edits one."""
        seconds = int(at.timestamp())
        there = self.questions.get(number)
        dates = {"creation_date": seconds}
        if there is not None:
            dates = {"creation_date": there["creation_date"], "last_edit_date": seconds}
        self.questions[number] = {
            **(there or {"tags": list(tags), "answer_count": 0, "score": 3}),
            **_post("Heron &amp; Sons", html),
            **dates,
            "question_id": number,
            "last_activity_date": seconds,
            "title": title,
            "link": f"{URL}/questions/{number}/{title.lower().replace(' ', '-')}",
        }

    def answer(self, number: int, at: datetime, html: str, *, accepted: bool = False) -> None:
        """Answers a question."""
        seconds = int(at.timestamp())
        said = self.answers.setdefault(number, [])
        said.append(
            {
                **_post("Grebe", html),
                "answer_id": 10 * number + len(said),
                "question_id": number,
                "is_accepted": accepted,
                "creation_date": seconds,
                "last_activity_date": seconds,
            }
        )
        question = self.questions[number]
        question |= {"last_activity_date": seconds, "answer_count": len(said)}

    async def _questions(self, request: web.Request) -> web.StreamResponse:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        query = request.query
        assert ("activity", "desc") == (query["sort"], query["order"])
        wanted = set(query["tagged"].split(";"))
        least, most = int(query.get("min", 0)), int(query.get("max", 2**40))
        found = [
            one
            for one in self.questions.values()
            if wanted <= set(one["tags"]) and least <= one["last_activity_date"] <= most
        ]
        found.sort(key=lambda one: int(one["last_activity_date"]), reverse=True)
        return self._part(request, found)

    async def _answers(self, request: web.Request) -> web.StreamResponse:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        ids = [int(one) for one in request.path.split("/")[-2].split(";")]
        found = [answer for one in ids for answer in self.answers.get(one, ())]
        found.sort(key=lambda one: int(one["creation_date"]))
        return self._part(request, found)

    def _refusal(self, request: web.Request) -> web.Response | None:
        self.asked.append(request.path_qs)
        if self.throttled:
            seconds = self.throttled.pop(0)
            said = f"too many requests from this IP, more requests available in {seconds} seconds"
            return _packed(_error(502, "throttle_violation", said), 400)
        if request.query.get("site") != SITE:
            said = f"No site found for name `{request.query.get('site')}`"
            return _packed(_error(400, "bad_parameter", said), 400)
        if int(request.query.get("page", 1)) > PAGES_MAX:
            said = "page above 25 requires access token or app key"
            return _packed(_error(403, "access_denied", said), 403)
        self.quota -= 1
        return None

    def _part(self, request: web.Request, found: list[dict[str, Any]]) -> web.Response:
        size = min(self.at_once, int(request.query["pagesize"]))
        begin = (int(request.query["page"]) - 1) * size
        part = found[begin : begin + size]
        assert "withbody" == request.query["filter"]
        told = {"items": part, "has_more": begin + size < len(found)}
        told |= {"quota_max": 300, "quota_remaining": self.quota}
        told |= {"backoff": self.backoff} if self.backoff else {}
        return _packed(told)


def _post(who: str, html: str) -> dict[str, Any]:
    owner = {"user_id": 7, "user_type": "registered", "display_name": who}
    return {"owner": owner, "body": html, "content_license": LICENCE}


def _error(number: int, name: str, said: str) -> dict[str, Any]:
    return {"error_id": number, "error_name": name, "error_message": said}


def _packed(said: dict[str, Any], status: int = 200) -> web.Response:
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json; charset=utf-8"}
    body = gzip.compress(json.dumps(said).encode())
    return web.Response(status=status, body=body, headers=headers)
