"""Asks an API for one thing after the other, and again where it is busy."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import httpx

from scops.fetcher.adapters.apis.guarded import GuardedTransport, refused_by_guard, sent
from scops.fetcher.adapters.http.body import BodyBounds, decoded
from scops.fetcher.adapters.http.failures import WebFailure
from scops.fetcher.adapters.http.headers import retry_after_seconds
from scops.fetcher.adapters.http.limits import HttpLimits

# Without a byte; what is asked for may have to be made.
READ_SECONDS = 60.0
ANSWER_BYTES_MAX = 20_000_000
TRIES_MAX = 5
PAUSE_SECONDS, PAUSE_SECONDS_MAX = 1.0, 120.0
# What reading a record of another form raises.
FORM_ERRORS = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
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


class Unbounded(OSError):
    """An answer that is longer than is read here, or packed so that it cannot be read."""


Judge = Callable[[httpx.Response], Busy | None]
LIMITS = HttpLimits()
BOUNDS = BodyBounds(wire_bytes_max=ANSWER_BYTES_MAX, decoded_bytes_max=ANSWER_BYTES_MAX)
# Of an answer whose encoding is taken off.
SPENT_HEADERS = ("content-encoding", "content-length", "transfer-encoding")


def busy_by_status(answer: httpx.Response) -> Busy | None:
    """Says whether an answer asks to be left alone by its status, and for how long."""
    if answer.status_code not in BUSY:
        return None
    return Busy(retry_after_seconds(answer.headers.get("Retry-After", ""), datetime.now(UTC)))


class PoliteApi:
    """An API that is asked by one request at a time, and led nowhere within (`guarded`).

    Args:
        url: of the API, as messages name it; it may lie in a network of one's own.
        pause_seconds: between two requests.
        headers: of each request.
        judge: says of each answer whether the API is busy.
        sleep: waits so many seconds.
        read_seconds: without a byte.
        proxy: through which it is asked; empty takes what the environment names.
    """

    def __init__(
        self,
        url: str,
        *,
        pause_seconds: float,
        headers: Mapping[str, str] | None = None,
        judge: Judge = busy_by_status,
        sleep: Wait = time.sleep,
        read_seconds: float = READ_SECONDS,
        proxy: str = "",
    ) -> None:
        agent = f"scops/{version('scops')} (https://pypi.org/project/scops)"
        said = {"User-Agent": agent, **(headers or {})}
        guard = GuardedTransport(proxy=proxy)
        guard.name(url)
        self._client = httpx.Client(headers=said, timeout=read_seconds, transport=guard)
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
            Unbounded: its answer is too long, an `OSError`.
            OSError: it does not answer, leads to an address that is refused, or stays busy for
                longer than is waited here.
        """
        return self.send(self._client.build_request("GET", url, params=params, headers=headers))

    def post(self, url: str, said: Any, headers: Mapping[str, str] | None = None) -> httpx.Response:
        """The same by POST, of what JSON can say."""
        return self.send(self._client.build_request("POST", url, json=said, headers=headers))

    def send(self, request: httpx.Request) -> httpx.Response:
        """Sends a request until the API is not busy, as `get` does."""
        answer: httpx.Response | None = None
        busy = Busy()
        for number in range(1, TRIES_MAX + 1):
            answer = self._answer(request, last=number == TRIES_MAX)
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

    def _answer(self, request: httpx.Request, *, last: bool) -> httpx.Response | None:
        """Sends a request; returns None where nothing answers, and another may be sent."""
        if self._next:
            self._sleep(self._next)
        self._next = self._pause
        try:
            answer = sent(self._client, request, between=self._rested)
            try:
                return _read(answer, self._url)
            finally:
                answer.close()
        except httpx.TransportError as error:
            if refused_by_guard(error):
                raise OSError(f"{self._url} {error}") from error
            if last:
                raise OSError(f"{self._url} does not answer: {error}") from error
            return None
        except httpx.TooManyRedirects as error:
            raise OSError(f"{self._url} leads on and on: {error}") from error

    def _rested(self) -> None:
        if self._pause:
            self._sleep(self._pause)

    def _busy(self, answer: httpx.Response | None, busy: Busy) -> str:
        status = answer.status_code if answer is not None else 0
        said = f" ({busy.said})" if busy.said else ""
        then = f"in {busy.seconds:.0f} s" if (busy.seconds or 0) > PAUSE_SECONDS_MAX else "later"
        return f"{self._url} is busy and answered {status}{said}; ask again {then}"


def _read(answer: httpx.Response, url: str) -> httpx.Response:
    """Returns an answer whose body is there, without its encoding."""
    packed = bytearray()
    for part in answer.iter_raw():
        packed += part
        if len(packed) > ANSWER_BYTES_MAX:
            raise Unbounded(f"{url} answered with more than {ANSWER_BYTES_MAX} bytes")
    encoding = answer.headers.get("content-encoding", "") if packed else ""
    try:
        body = decoded(bytes(packed), content_encoding=encoding, bounds=BOUNDS, limits=LIMITS)
    except WebFailure as failure:
        raise Unbounded(f"{url} answered what is not read: {failure.detail}") from failure
    kept = [
        (name, value)
        for name, value in answer.headers.multi_items()
        if name.lower() not in SPENT_HEADERS
    ]
    return httpx.Response(answer.status_code, headers=kept, content=body, request=answer.request)
