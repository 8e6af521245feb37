"""Asks the API of Stack Exchange about one of its sites.

Source: https://api.stackexchange.com/docs, version 2.3: its wrapper, paging, throttles, and the
built-in filter `withbody`.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import httpx

from scops.common.contract.errors import InvalidInput
from scops.fetcher.adapters.apis.asking import Busy, PoliteApi, Wait, busy_by_status

AT_ONCE = 100
SPENT, UNWELL = ("throttle_violation",), ("temporarily_unavailable", "internal_error")
MORE_SECONDS = re.compile(r"in (\d{1,7}) seconds")
MORE = "a key in STACKEXCHANGE_KEY has more requests a day"
Post = dict[str, Any]


class StackExchangeApi:
    """The API, of one site.

    Args:
        server: URL of the API with its version.
        site: as the API calls it, such as `stackoverflow`.
        key: of an application; empty for none.
        pause_seconds: between two requests.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        server: str,
        site: str,
        *,
        key: str,
        pause_seconds: float,
        sleep: Wait = time.sleep,
    ) -> None:
        self._api = PoliteApi(server, pause_seconds=pause_seconds, judge=busy, sleep=sleep)
        self._server = server.rstrip("/")
        self._fixed = {"site": site, "filter": "withbody", "pagesize": str(AT_ONCE)}
        self._fixed |= {"key": key} if key else {}
        self._left: int | None = None

    def close(self) -> None:
        """Closes the connection."""
        self._api.close()

    def questions(self, tag: str, *, since: datetime | None) -> Iterator[list[Post]]:
        """Yields the questions with a tag in parts, each question once, the last active first.

        Args:
            since: only those that were active from then on; None for all.

        Raises:
            InvalidInput: there is no such site, or the API refuses.
            OSError: it does not answer, or has no more requests for today.
        """
        asked = {"tagged": tag, "sort": "activity", "order": "desc"}
        asked |= {"min": str(int(since.timestamp()))} if since else {}
        seen: set[int | None] = set()
        page = 1
        while True:
            found = self._asked_for("questions", {**asked, "page": str(page)})
            items = found["items"]
            yield [one for one in items if _number(one, "question_id") not in seen]
            if not found.get("has_more") or not items:
                return
            seen |= {number for one in items if (number := _number(one, "question_id")) is not None}
            # What becomes active meanwhile moves the numbers of parts, and they end at 25.
            active = [_number(one, "last_activity_date") for one in items]
            told = [at for at in active if at is not None]
            oldest = str(min(told)) if told else asked.get("max", "")
            page = page + 1 if asked.get("max") == oldest else 1
            asked["max"] = oldest

    def answers(self, question_ids: Sequence[int]) -> dict[int, list[Post]]:
        """Returns the answers to questions, the oldest first.

        Args:
            question_ids: 100 at most.

        Raises:
            InvalidInput, OSError: as of `questions`.
        """
        answers: dict[int, list[Post]] = {one: [] for one in question_ids}
        ids = ";".join(map(str, question_ids))
        page, has_more = 1, bool(question_ids)
        while has_more:
            asked = {"sort": "creation", "order": "asc", "page": str(page)}
            found = self._asked_for(f"questions/{ids}/answers", asked)
            for one in found["items"]:
                if (number := _number(one, "question_id")) is not None:
                    answers.setdefault(number, []).append(one)
            page, has_more = page + 1, bool(found.get("has_more"))
        return answers

    def _asked_for(self, method: str, asked: Mapping[str, str]) -> dict[str, Any]:
        if self._left == 0:
            raise OSError(f"{self._server} has no more requests for today; {MORE}")
        answer = self._api.get(f"{self._server}/{method}", {**self._fixed, **asked})
        found = _read(answer)
        if answer.status_code != 200 or not isinstance(found.get("items"), list):
            said = found.get("error_message") or "no API of Stack Exchange"
            raise InvalidInput(
                f"{self._server} answered {answer.status_code} ({said}). Name a site as "
                "https://api.stackexchange.com/docs/sites does, such as stackoverflow."
            )
        self._left = found.get("quota_remaining")
        self._api.rest(float(found.get("backoff", 0)))
        return found


def busy(answer: httpx.Response) -> Busy | None:
    """Says whether the API asks to be left alone: by an error of its own, else by the status.

    Source: https://api.stackexchange.com/docs/error-handling and /docs/throttle.
    """
    found = _read(answer)
    name, said = found.get("error_name"), str(found.get("error_message", ""))
    if name in SPENT:
        seconds = MORE_SECONDS.search(said)
        return Busy(float(seconds[1]) if seconds else None, f"{said}; {MORE}")
    return Busy(None, said) if name in UNWELL else busy_by_status(answer)


def _number(post: Any, name: str) -> int | None:
    """Returns a number of a post; None where it has none, or is of another form."""
    found = post.get(name) if isinstance(post, dict) else None
    return found if isinstance(found, int) else None


def _read(answer: httpx.Response) -> dict[str, Any]:
    try:
        found = answer.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
