"""Asks an API for one thing after the other, and again where it is busy."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version

import httpx

from scops.fetcher.adapters.http.headers import retry_after_seconds

# Without a byte; what is asked for may have to be made.
READ_SECONDS = 60.0
TRIES_MAX = 5
PAUSE_SECONDS, PAUSE_SECONDS_MAX = 1.0, 120.0
BUSY = (429, 500, 502, 503, 504)
Wait = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Busy:
    """An API asks to be left alone.

    Attributes:
        seconds: for so long; None where it does not say.
        said: in its words, where it has some.
    """

    seconds: float | None = None
    said: str = ""


Judge = Callable[[httpx.Response], Busy | None]


def busy_by_status(answer: httpx.Response) -> Busy | None:
    """Says whether an answer asks to be left alone by its status, and for how long."""
    if answer.status_code not in BUSY:
        return None
    return Busy(retry_after_seconds(answer.headers.get("Retry-After", ""), datetime.now(UTC)))


class PoliteApi:
    """An API that is asked by one request at a time.

    Args:
        url: of the API, as messages name it.
        pause_seconds: between two requests.
        headers: of each request.
        judge: says of each answer whether the API is busy.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        pause_seconds: float,
        headers: Mapping[str, str] | None = None,
        judge: Judge = busy_by_status,
        sleep: Wait = time.sleep,
    ) -> None:
        agent = f"scops/{version('scops')} (https://pypi.org/project/scops)"
        self._client = httpx.Client(
            headers={"User-Agent": agent, **(headers or {})},
            timeout=READ_SECONDS,
            follow_redirects=True,
        )
        self._url, self._pause, self._judge, self._sleep = url, pause_seconds, judge, sleep
        self._next = 0.0

    def close(self) -> None:
        """Closes the connection."""
        self._client.close()

    def rest(self, seconds: float) -> None:
        """Has the next request wait so long, where that is longer than the usual pause."""
        self._next = max(self._next, seconds)

    def get(
        self,
        url: str,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Asks until the API is not busy; returns what it answered, whatever its status.

        Raises:
            OSError: it does not answer, or stays busy for longer than is waited here.
        """
        answer: httpx.Response | None = None
        busy = Busy()
        for number in range(1, TRIES_MAX + 1):
            answer = self._answer(url, params, headers, last=number == TRIES_MAX)
            found = self._judge(answer) if answer is not None else Busy()
            if found is None:
                assert answer is not None, "what is not there is judged busy"
                return answer
            busy = found
            if (busy.seconds or 0) > PAUSE_SECONDS_MAX:
                break
            if number < TRIES_MAX:
                self._sleep(
                    min(busy.seconds or PAUSE_SECONDS * 2 ** (number - 1), PAUSE_SECONDS_MAX)
                )
        raise OSError(self._busy(answer, busy))

    def _answer(
        self,
        url: str,
        params: Mapping[str, str] | None,
        headers: Mapping[str, str] | None,
        *,
        last: bool,
    ) -> httpx.Response | None:
        """Sends a request; returns None where nothing answers, and another may be sent."""
        if self._next:
            self._sleep(self._next)
        self._next = self._pause
        try:
            return self._client.get(url, params=params, headers=headers)
        except httpx.TransportError as error:
            if last:
                raise OSError(f"{self._url} does not answer: {error}") from error
            return None

    def _busy(self, answer: httpx.Response | None, busy: Busy) -> str:
        status = answer.status_code if answer is not None else 0
        said = f" ({busy.said})" if busy.said else ""
        then = f"in {busy.seconds:.0f} s" if (busy.seconds or 0) > PAUSE_SECONDS_MAX else "later"
        return f"{self._url} is busy and answered {status}{said}; ask again {then}"
