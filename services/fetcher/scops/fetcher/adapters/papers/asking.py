"""Asks a scholarly service at its pace, and reads its records one by one."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx

from scops.fetcher.adapters.apis.asking import (
    FORM_ERRORS,
    PAUSE_SECONDS_MAX,
    Busy,
    PoliteApi,
    Wait,
    busy_by_status,
)
from scops.fetcher.adapters.papers.pace import SharedPace
from scops.fetcher.adapters.papers.rates import ToldRate, told_rate
from scops.libraries.papers.port import FoundPapers, SkippedPaper
from scops.libraries.papers.record import PaperRecord

NOT_FOUND = (404, 410)
WORDS_MAX = 120
Item = TypeVar("Item")


@dataclass
class ServiceUse:
    """How a service was asked.

    Attributes:
        requests: that were answered.
        busy: answers that asked to be left alone.
        waited_seconds: in all, for its pace and where it was busy.
        told: its rate, by its last answer that tells one.
    """

    requests: int = 0
    busy: int = 0
    waited_seconds: float = 0.0
    told: ToldRate = field(default_factory=ToldRate)

    def as_json(self) -> dict[str, Any]:
        """Returns it in words for programs."""
        waited = round(self.waited_seconds, 3)
        rate = str(self.told)
        said = {"requests": self.requests, "busy": self.busy, "waited_seconds": waited}
        return said | ({"rate": rate} if rate else {})


class ServiceApi:
    """The API of a service.

    Args:
        service: its name.
        server: URL of the API.
        pause_seconds: between two requests; more where the service says so.
        params: of each request.
        headers: of each request, such as a key.
        sleep: waits so many seconds.
        folder: of the paces that commands of this machine share; None shares none.
        proxy: as of `PoliteApi`.
    """

    def __init__(
        self,
        service: str,
        server: str,
        *,
        pause_seconds: float,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        sleep: Wait = time.sleep,
        folder: Path | None = None,
        proxy: str = "",
    ) -> None:
        self.service, self.use = service, ServiceUse()
        self._server, self._params = server.rstrip("/"), dict(params or {})
        self._sleep = sleep
        self._pace = SharedPace(folder, self._server, pause_seconds=pause_seconds, sleep=self._wait)
        self._api = PoliteApi(
            self._server,
            pause_seconds=pause_seconds,
            headers=headers,
            judge=self._judged,
            sleep=self._wait,
            proxy=proxy,
        )

    def close(self) -> None:
        """Closes the connection."""
        self._api.close()

    def get(self, path: str, params: Mapping[str, str] | None = None) -> httpx.Response | None:
        """Returns what is answered with 200; None where there is no such thing.

        Raises:
            OSError: it does not answer, refuses, or stays busy.
        """
        url = f"{self._server}/{path}" if path else self._server
        try:
            with self._pace.turn():
                answer = self._api.get(url, {**self._params, **(params or {})})
        except httpx.InvalidURL as error:
            raise OSError(f"{self._server} cannot be asked: {error}") from error
        self._mind(answer.headers)
        if answer.status_code == httpx.codes.OK:
            return answer
        if answer.status_code in NOT_FOUND:
            return None
        raise OSError(f"{self._server} answered {answer.status_code}: {_words(answer)}")

    def json(self, path: str, params: Mapping[str, str] | None = None) -> Any:
        """Returns what JSON an answer with 200 has; None where there is no such thing.

        Raises:
            OSError: as of `get`, and where it is no JSON.
        """
        answer = self.get(path, params)
        if answer is None:
            return None
        try:
            return answer.json()
        except (ValueError, RecursionError) as error:
            # What is nested too deep cannot be read either.
            raise OSError(f"{self._server} answered what is no JSON: {_words(answer)}") from error

    def read(
        self, items: Iterable[Item], reader: Callable[[Item, datetime], PaperRecord]
    ) -> FoundPapers:
        """Reads records; one that cannot be read is skipped with why."""
        asked = datetime.now(UTC).replace(microsecond=0)
        records, skipped = [], []
        for item in items:
            try:
                record = reader(item, asked)
                if not record.ids and not record.title:
                    raise ValueError("it has neither an id nor a title")
            except FORM_ERRORS as error:
                skipped.append(SkippedPaper(self.service, _what(item), _why(error)))
            else:
                records.append(record)
        return FoundPapers(tuple(records), tuple(skipped))

    def _judged(self, answer: httpx.Response) -> Busy | None:
        self.use.requests += 1
        busy = busy_by_status(answer)
        self.use.busy += busy is not None
        return busy

    def _wait(self, seconds: float) -> None:
        self.use.waited_seconds += seconds
        self._sleep(seconds)

    def _mind(self, headers: Mapping[str, str]) -> None:
        told = told_rate(headers)
        if str(told):
            self.use.told = told
        # What is spent for longer is answered by 429, where what is asked for costs something.
        rest = told.rest_seconds if told.rest_seconds <= PAUSE_SECONDS_MAX else 0.0
        pause = min(told.pause_seconds, PAUSE_SECONDS_MAX)
        self._api.rest(max(pause, rest))


def items_of(found: Any, *path: str) -> list[Any]:
    """Returns a list within JSON; an empty one where it is not there.

    Raises:
        OSError: there is something else in its place: this is not the service's API.
    """
    here = found
    for name in path:
        if not isinstance(here, dict):
            raise OSError(f"an answer has no {'.'.join(path)}: is that the URL of its API?")
        here = here.get(name)
        if here is None:
            return []
    if not isinstance(here, list):
        raise OSError(f"an answer has no list {'.'.join(path)}: is that the URL of its API?")
    return here


def _what(item: Any) -> str:
    names = ("doi", "DOI", "id", "paperId", "title")
    said = item if isinstance(item, dict) else {}
    found = next((said[name] for name in names if said.get(name)), "a record without a name")
    return " ".join(str(found).split())[:WORDS_MAX]


def _why(error: Exception) -> str:
    words = f"it has no {error}" if isinstance(error, KeyError) else str(error)
    return f"of another form than documented: {words}"[:WORDS_MAX]


def _words(answer: httpx.Response) -> str:
    return " ".join(answer.text.split())[:WORDS_MAX] or "nothing"
