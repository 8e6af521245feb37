"""The HTTP door of `scops up`, as curl and strangers' tools use it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

ROOT = Path(__file__).resolve().parents[2]
# What each guide prints, and how many blocks it has at least.
GUIDES = {
    "http.md": ("River", 3),
    "feeds.md": ("http://www.w3.org/2005/Atom", 1),
    "watches.md": ("STATE_PAUSED", 1),
}
FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCOPE = "tarn"
SCHEMATHESIS_SECONDS = 200
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, tarn: Origin) -> Iterator[System]:
    """A system of its own that knows the example site: its scopes are changed at random."""
    with System(tmp_path_factory.mktemp("http")) as system:
        system.create_scope(SCOPE, seeds=[f"{tarn.url}/"])
        system.crawl(SCOPE)
        yield system


def curl(*arguments: str) -> Any:
    """Runs curl and returns the JSON that it prints."""
    command = ["curl", "--silent", "--show-error", "--max-time", "20", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def test_curl_asks_by_readable_routes(system: System) -> None:
    """Scopes, pages, a search by GET and an answer by POST, as the guide writes them."""
    url = system.http_url
    scope = curl(f"{url}/v1/scopes/{SCOPE}")["scope"]
    pages = curl(f"{url}/v1/scopes/{SCOPE}/pages?pageSize=10")["pages"]
    found = curl(
        "--get",
        f"{url}/v1/search",
        "--data-urlencode",
        "query=depth of the tarn",
        "-d",
        f"scopes=scopes/{SCOPE}",
    )
    question = {"query": "How much does the River plan cost?", "scopes": [f"scopes/{SCOPE}"]}
    answer = curl(f"{url}/v1/answer", "--json", json.dumps(question))
    page = curl("--get", f"{url}/v1/pages:lookup", "--data-urlencode", f"uri={pages[0]['uri']}")

    assert f"scopes/{SCOPE}" == scope["name"]
    assert pages
    assert found["passages"][0]["text"]
    assert answer["answered"]
    assert "River" in answer["citations"][0]["quote"]
    assert page["page"]["name"] == pages[0]["name"]


@pytest.mark.parametrize("guide", GUIDES)
def test_the_guide_runs_as_it_is_written(system: System, guide: str) -> None:
    """Every command of the guides in docs/api, one after the other, in a shell."""
    blocks = FENCE.findall((ROOT / "docs/api" / guide).read_text())
    printed, blocks_min = GUIDES[guide]
    script = "".join(blocks).replace("http://127.0.0.1:7301", system.http_url)
    script = script.replace("curl ", "curl --silent --show-error --fail-with-body ")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, check=False
    )

    assert 0 == done.returncode, done.stdout[-3000:] + done.stderr
    assert blocks_min <= len(blocks)
    assert printed in done.stdout


def test_buf_curl_calls_by_connect_and_grpc_web(system: System) -> None:
    """A stranger's client reads a scope over both protocols, by our schema."""
    buf = Path(sys.executable).parent / "buf"
    for protocol in ("connect", "grpcweb"):
        command = [
            str(buf),
            "curl",
            "--protocol",
            protocol,
            "--schema",
            str(ROOT / "proto/image.binpb"),
            "--data",
            json.dumps({"name": f"scopes/{SCOPE}"}),
            f"{system.http_url}/scops.api.v1alpha1.ScopeService/GetScope",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert 0 == done.returncode, done.stderr
        assert f"scopes/{SCOPE}" == json.loads(done.stdout)["scope"]["name"]


def test_the_description_is_kept_to(system: System, tmp_path: Path) -> None:
    """Whatever is sent along the description, answers are as it says, and never a 5xx."""
    described = tmp_path / "openapi.json"
    described.write_text(json.dumps(curl(f"{system.http_url}/openapi.json")))
    # Hand-written regular expressions and globs of scopes may crawl strangers; none is made here.
    command = [
        str(Path(sys.executable).parent / "schemathesis"),
        "run",
        f"{system.http_url}/openapi.json",
        "--checks",
        ",".join(CHECKS),
        "--max-examples",
        "12",
        "--phases",
        "fuzzing",
        "--request-timeout",
        "30",
        "--generation-deterministic",
        "--exclude-operation-id",
        "CreateJob",
        "--exclude-operation-id",
        "CreateJob2",
        # What lasts does not end by itself while anybody waits for it.
        "--exclude-operation-id",
        "WatchJob",
        "--exclude-operation-id",
        "WatchChanges",
        "--workers",
        "1",
        "--no-color",
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=SCHEMATHESIS_SECONDS,
        env={**os.environ, "NO_COLOR": "1"},
    )

    assert 0 == done.returncode, done.stdout[-6000:] + done.stderr[-2000:]
