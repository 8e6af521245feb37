"""How Firecrawl's official client asks: as other imports do, patient, bounded, and led nowhere."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import httpx
import requests
from firecrawl.v2.utils.http_client import HttpClient

from scops.fetcher.adapters.apis.asking import Busy, PoliteApi, Wait, busy_by_status

# A page that Firecrawl cannot fetch is a 500: asking again would be paid for again.
BUSY = (429, 502, 503, 504)


class PatientHttp(HttpClient):  # type: ignore[misc]
    """What the client calls for each request.

    Args:
        key: of the API.
        server: URL of the API.
        origin: names who asks.
        read_seconds: without a byte.
        sleep: waits so many seconds.
    """

    def __init__(
        self, key: str, server: str, *, origin: str, read_seconds: float, sleep: Wait
    ) -> None:
        super().__init__(key, server, origin=origin)
        self._api = PoliteApi(
            server, pause_seconds=0, judge=busy, sleep=sleep, read_seconds=read_seconds
        )

    def post(
        self, endpoint: str, data: Mapping[str, Any], headers: Any = None, **_: Any
    ) -> requests.Response:
        """Sends JSON until the API is not busy.

        Raises:
            OSError: as of `PoliteApi`.
        """
        said = {**data, "origin": data.get("origin") or self.origin}
        named = headers or self._prepare_headers()
        return _as_requests(self._api.post(self._build_url(endpoint), said, named))

    def get(self, endpoint: str, headers: Any = None, **_: Any) -> requests.Response:
        """Asks until the API is not busy.

        Raises:
            OSError: as of `PoliteApi`.
        """
        named = headers or self._prepare_headers()
        return _as_requests(self._api.get(self._build_url(endpoint), headers=named))


def busy(answer: httpx.Response) -> Busy | None:
    """Says whether the API asks to be left alone, and for how long."""
    return busy_by_status(answer) if answer.status_code in BUSY else None


def _as_requests(answer: httpx.Response) -> requests.Response:
    found = requests.Response()
    found.status_code, found.url = answer.status_code, str(answer.url)
    found.headers.update(answer.headers)
    found.raw, found.encoding = BytesIO(answer.content), "utf-8"
    return found
