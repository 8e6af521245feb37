"""A real Prometheus of the system's package, scraping the processes of a system."""

import json
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.servers.machine import free_port

DOCS = "https://docs.example.org"
READY_SECONDS = 30.0
STOP_SECONDS = 20.0
POLL_SECONDS = 0.1
EXEMPLARS_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Prometheus:
    """A running server."""

    url: str

    def query(self, expression: str) -> list[Any]:
        """Returns the series of an expression now; raises on one that does not parse."""
        return list(self._get("query", query=expression)["result"])

    def alerts(self) -> list[Any]:
        """Returns the alerts that are pending or fire, with labels and annotations."""
        return list(self._get("alerts")["alerts"])

    def exemplars(self, expression: str) -> list[Any]:
        """Returns what the series of an expression lead to, with labels and value, of late."""
        now = time.time()
        start, end = str(now - EXEMPLARS_SECONDS), str(now + 1)
        found = self._get("query_exemplars", query=expression, start=start, end=end)
        return [each for series in found for each in series["exemplars"]]

    def names(self) -> set[str]:
        """Returns the names of all metrics that were ever scraped."""
        return set(self._get("label/__name__/values"))

    def _get(self, path: str, **words: str) -> Any:
        address = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(words)}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            return json.load(answer)["data"]


@contextmanager
def scraping(
    folder: Path, targets: Sequence[tuple[str, str]], *, rules: Sequence[Path], seconds: float = 1.0
) -> Iterator[Prometheus]:
    """Runs a server that scrapes the job `scops` and evaluates rules.

    Args:
        targets: each `host:port` and its role, which is empty where one process has them all.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    config = folder / "prometheus.json"
    # JSON is YAML.
    static = [
        {"targets": [target], "labels": {"role": role} if role else {}} for target, role in targets
    ]
    interval = f"{round(seconds * 1000)}ms"
    settings = {
        "global": {
            "scrape_interval": interval,
            "evaluation_interval": interval,
            "external_labels": {"scops_docs": DOCS},
        },
        "rule_files": [str(file) for file in rules],
        "scrape_configs": [{"job_name": "scops", "static_configs": static}],
    }
    config.write_text(json.dumps(settings))
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={config}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address=127.0.0.1:{port}",
                "--enable-feature=exemplar-storage",
            ],
            stdout=log,
            stderr=log,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_ready(url, child, folder / "log")
        yield Prometheus(url)
    finally:
        child.terminate()
        child.wait(STOP_SECONDS)


def _wait_ready(url: str, child: "subprocess.Popen[bytes]", log: Path) -> None:
    limit = time.monotonic() + READY_SECONDS
    while True:
        assert child.poll() is None, f"prometheus ended:\n{log.read_text()[-2000:]}"
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < limit, "prometheus did not start"
        time.sleep(POLL_SECONDS)
