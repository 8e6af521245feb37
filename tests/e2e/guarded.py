"""A system that wants to know who calls, as its administrator calls it."""

import json
import re
import urllib.error
import urllib.request
from http import HTTPStatus
from typing import Any, NamedTuple

from tests.e2e.system import System

GRAFANA = "https://grafana.example/dashboards"
CALL_SECONDS = 60.0
TOKEN = re.compile(r"scops identity claim (\S+?)[\"\s\\]")


class Guarded(NamedTuple):
    """A running system, and the key of its first administrator."""

    system: System
    key: str

    @property
    def http_url(self) -> str:
        """Where its page and its HTTP API are."""
        return self.system.http_url

    def call(
        self, path: str, body: dict[str, Any] | None = None, *, method: str | None = None
    ) -> Any:
        """Returns what the API answers the administrator; without a body it is read."""
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        return _answered(self.http_url + path, body, headers, method)

    def end(self, made: dict[str, Any]) -> None:
        """Revokes a key, as it was answered when it was made; returns once it is refused.

        Keys are asked of the database every two seconds.
        """
        self.call(f"/v1/{made['key']['name']}:revoke", {})
        self.system.until(lambda: not _counts(self.http_url, made["secret"]))


def claimed(system: System) -> str:
    """Makes the first administrator by the token in the log; returns their key."""
    found = TOKEN.search(system.log.read_text())
    assert found is not None, system.log.read_text()[-2_000:]
    url = f"{system.http_url}/v1/installation:claim"
    headers = {"content-type": "application/json"}
    return str(_answered(url, {"token": found.group(1)}, headers)["key"])


def _counts(http_url: str, key: str) -> bool:
    headers = {"authorization": f"Bearer {key}"}
    try:
        _answered(f"{http_url}/v1/scopes", None, headers)
    except urllib.error.HTTPError as error:
        if error.code != HTTPStatus.UNAUTHORIZED:
            raise
        return False
    return True


def _answered(
    url: str, body: dict[str, Any] | None, headers: dict[str, str], method: str | None = None
) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=CALL_SECONDS) as answer:
        return json.load(answer)
