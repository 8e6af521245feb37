"""http-cache-tests, conditional requests: the fetcher as the cache that the suite tests.

The suite drives a cache from both sides: a client asks twice, an origin answers, and what the cache
asked the origin is looked at. The fetcher is a cache without clients that validates each time: its
own second fetch takes the place of the client's. So a case in which a client states a condition
is ours where it is exactly the stored validator; where it is another, or the client sends a header
of its own, there is nobody to send it, and the case fails.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from aiohttp import web

from benchmarks.conformance.cases import Result
from benchmarks.conformance.mjs import read_suite
from scops.common.egress.address import AddressPolicy, parse_allowed_ranges
from scops.common.runtime.clock import SystemClock
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.page_source import HttpPageSource, user_agent
from scops.fetcher.ports.page_source import Fetched, FetchRequest, Unmodified
from tests.fakes.page_source import OpenGate

SUITES = ("conditional-etag.mjs", "conditional-lm.mjs")
CONDITIONS = {"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"}
VALIDATED = {"etag_validated": "If-None-Match", "lm_validated": "If-Modified-Since"}
DATES = ("Last-Modified", "Date", "Expires", "If-Modified-Since")
BODY = "A text that stays as it is."


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What one request of a case states and expects; header names as the suite writes them."""

    request: Mapping[str, str]
    response: Mapping[str, str]
    expected: Mapping[str, str]
    expected_status: int
    expected_type: str


async def http_results(folder: Path) -> Sequence[Result]:
    """Runs every case of the suites about conditional requests."""
    cases = [case for name in SUITES for case in read_suite(folder / name)]
    async with _Origin() as origin:
        return [await _result(case, origin) for case in cases]


async def _result(case: Mapping[str, Any], origin: "_Origin") -> Result:
    now = datetime.now(UTC)
    exchanges = [_exchange(stated, now) for stated in case["requests"]]
    try:
        await _run(exchanges, origin)
    except AssertionError as error:
        return Result(case["id"], False, str(error))
    return Result(case["id"], True)


async def _run(exchanges: Sequence[_Exchange], origin: "_Origin") -> None:
    assert len(exchanges) == 2, "there is no client whose request could be passed on"
    first, second = exchanges
    origin.headers = first.response
    source = _source()
    try:
        stored = await source.fetch(FetchRequest(url=origin.url), OpenGate())
        assert isinstance(stored, Fetched), f"the first fetch gave {stored}"
        _assert_ours(first.request, {})
        _assert_ours(second.request, first.response)
        again = await source.fetch(
            FetchRequest(url=origin.url, etag=stored.etag, last_modified=stored.last_modified),
            OpenGate(),
        )
    finally:
        await source.close()
    for name, value in second.expected.items():
        assert origin.asked.get(name) == value, f"{name}: {origin.asked.get(name)} was sent"
    if second.expected_type in VALIDATED:
        assert VALIDATED[second.expected_type] in origin.asked, "no validator was sent"
    if second.expected_type or second.expected_status:
        assert isinstance(again, Unmodified), f"the second fetch gave {type(again).__name__}"


def _assert_ours(request: Mapping[str, str], stored: Mapping[str, str]) -> None:
    for name, value in request.items():
        ours = stored.get(CONDITIONS.get(name, ""))
        assert value == ours, f"there is no client that would send {name}: {value}"


def _exchange(stated: Mapping[str, Any], now: datetime) -> _Exchange:
    def headers(field: str) -> dict[str, str]:
        return {name: _value(name, value, now) for name, value in stated.get(field, ())}

    request = headers("request_headers")
    for name in stated.get("rfc850date", ()):
        date = next(key for key in request if key.lower() == name)
        request[date] = f"in the form of RFC 850: {request[date]}"
    return _Exchange(
        request=request,
        response=headers("response_headers"),
        expected=headers("expected_request_headers"),
        expected_status=stated.get("expected_status", 0),
        expected_type=stated.get("expected_type", ""),
    )


def _value(name: str, value: object, now: datetime) -> str:
    if isinstance(value, int) and name in DATES:
        return format_datetime(now + timedelta(seconds=value), usegmt=True)
    return str(value)


class _Origin:
    """Answers one page, with 304 where a request carries its validators, as the suite's does."""

    def __init__(self) -> None:
        self.headers: Mapping[str, str] = {}
        self.asked: Mapping[str, str] = {}
        self.url = ""

    async def __aenter__(self) -> "_Origin":
        app = web.Application()
        app.router.add_get("/page", self._answer)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/page"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        self.asked = request.headers
        for condition, validator in CONDITIONS.items():
            if condition in request.headers:
                if request.headers[condition] == self.headers.get(validator):
                    return web.Response(status=304, headers=self.headers)
                # RFC 9110 section 13.2.2: If-None-Match decides where it is there.
                break
        return web.Response(text=BODY, headers=self.headers)


def _source() -> HttpPageSource:
    return HttpPageSource(
        limits=HttpLimits(),
        addresses=AddressPolicy(allowed=parse_allowed_ranges("127.0.0.1/32:*")),
        clock=SystemClock(),
        user_agent=user_agent("0", ""),
    )
