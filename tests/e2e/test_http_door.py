"""The HTTP door of `scops up`, as curl and strangers' tools use it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import requests
import schemathesis
from google.protobuf import descriptor_pb2
from hypothesis import given, settings
from hypothesis.strategies import booleans

from scops.gateway.api.methods import METHODS
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
SCHEMATHESIS_SECONDS = 400
STREAM_EXAMPLES, STREAM_SECONDS = 25, 20
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


@pytest.mark.parametrize("protocol", ["connect", "grpc", "grpcweb"])
def test_buf_curl_reads_streams(system: System, protocol: str, job: str, schema: Path) -> None:
    """An answer part by part and a job until it ends; parts are JSON, one after the other."""
    question = {"query": "How much does the River plan cost?", "scopes": [f"scopes/{SCOPE}"]}
    answer = _by_buf(system, protocol, "SearchService/StreamAnswer", question, schema)
    watched = _by_buf(system, protocol, "JobService/WatchJob", {"name": job}, schema)

    _check_streams(answer, watched, job)


def test_grpcurl_reads_streams(system: System, job: str) -> None:
    """The same by gRPC, by what reflection says of the API; and changes until it has enough."""
    question = {"query": "How much does the River plan cost?", "scopes": [f"scopes/{SCOPE}"]}
    answer = _by_grpcurl(system, "SearchService/StreamAnswer", question)
    watched = _by_grpcurl(system, "JobService/WatchJob", {"name": job})
    since = {"scope": f"scopes/{SCOPE}", "since": "2026-01-01T00:00:00Z"}
    changes = _by_grpcurl(system, "PageService/WatchChanges", since, seconds=4)

    _check_streams(answer, watched, job)
    assert changes[0]["changes"][0]["uri"]
    assert changes[0]["cursor"]


def _check_streams(answer: list[Any], watched: list[Any], job: str) -> None:
    assert ["sources", "answer"] == [next(iter(answer[0])), next(iter(answer[-1]))]
    assert "statement" in answer[1]
    assert [job] == [part["job"]["name"] for part in watched]
    assert "STATE_COMPLETED" == watched[-1]["job"]["state"]


def _by_grpcurl(system: System, method: str, fields: Any, *, seconds: int = 60) -> list[Any]:
    """Calls a method; one that lasts is left after some seconds."""
    grpcurl = Path(os.environ.get("SCOPS_CACHE_DIR", Path.home() / ".cache/scops")) / "bin/grpcurl"
    assert grpcurl.exists(), "grpcurl is missing: run make setup-servers"
    command = [str(grpcurl), "-plaintext", "-max-time", str(seconds), "-d", json.dumps(fields)]
    done = subprocess.run(
        [*command, system.address, f"scops.api.v1alpha1.{method}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == done.returncode or "DeadlineExceeded" in done.stderr, done.stderr
    return list(_documents(done.stdout))


@pytest.fixture(scope="module")
def job(system: System, tarn: Origin) -> str:
    """A job that has ended."""
    return system.crawl(SCOPE, urls=[f"{tarn.url}/"]).name


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The API as a set of descriptors, as strangers' tools take it."""
    files: dict[str, bytes] = {}

    def add(file: Any) -> None:
        for one in file.dependencies:
            add(one)
        files[file.name] = file.serialized_pb

    for service in METHODS:
        add(service.file)
    described = descriptor_pb2.FileDescriptorSet()
    for content in files.values():
        described.file.add().ParseFromString(content)
    path = tmp_path_factory.mktemp("schema") / "api.binpb"
    path.write_bytes(described.SerializeToString())
    return path


def _by_buf(system: System, protocol: str, method: str, fields: Any, schema: Path) -> list[Any]:
    """Calls a method by buf; gRPC at its own port, by what its reflection says."""
    own = protocol == "grpc"
    url = f"http://{system.address}" if own else system.http_url
    how = ["--http2-prior-knowledge"] if own else ["--schema", str(schema)]
    buf = str(Path(sys.executable).parent / "buf")
    command = [buf, "curl", "--protocol", protocol, *how, "--data", json.dumps(fields)]
    done = subprocess.run(
        [*command, f"{url}/scops.api.v1alpha1.{method}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert 0 == done.returncode, done.stderr
    return list(_documents(done.stdout))


def _documents(text: str) -> Iterator[Any]:
    """Yields JSON documents that stand one after the other."""
    decoder = json.JSONDecoder()
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        yield value
        text = text[end:]


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
        # What lasts does not end by itself while anybody waits for it: see below.
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


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("/v1/jobs/{job}:watch", "WatchJobResponse"),
        ("/v1/scopes/{scope}/changes:watch", "WatchChangesResponse"),
    ],
)
def test_streams_that_last_keep_to_the_description(
    system: System, job: str, path: str, part: str
) -> None:
    """Whatever they are asked with: their first event is such a part, and a refusal a Problem."""
    described = schemathesis.openapi.from_url(f"{system.http_url}/openapi.json")
    operation = described[path]["GET"]
    real = {"job": job.removeprefix("jobs/"), "scope": SCOPE}
    met: set[int] = set()

    @settings(max_examples=STREAM_EXAMPLES, deadline=None, derandomize=True, database=None)
    @given(case=operation.as_strategy(), is_real=booleans())
    def keeps_to_it(case: schemathesis.Case, is_real: bool) -> None:
        if is_real:
            case.path_parameters |= {
                name: real[name] for name in case.path_parameters.keys() & real.keys()
            }
        met.add(_first_event_of(case, system.http_url, described, part))

    keeps_to_it()

    assert 200 in met
    assert met - {200}


def _first_event_of(case: Any, url: str, described: Any, part: str) -> int:
    """Asks, checks the first thing that is said, and leaves; returns the status."""
    asked = case.as_transport_kwargs(base_url=url)
    with requests.request(**asked, stream=True, timeout=STREAM_SECONDS) as response:
        kind = response.headers["content-type"].partition(";")[0]
        if response.status_code != 200:
            assert (True, "application/problem+json") == (response.status_code < 500, kind)
            _check(json.loads(response.content), "Problem", described)
            return response.status_code
        assert "text/event-stream" == kind
        name = ""
        for line in response.iter_lines(chunk_size=1, decode_unicode=True):
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                told = "Problem" if name == "problem" else part
                _check(json.loads(value), told, described)
                return 200
    raise AssertionError("the stream said nothing")


def _check(value: Any, name: str, described: Any) -> None:
    """Validates a value by a schema of the description."""
    document = {**described.raw_schema, "$ref": f"#/components/schemas/{name}"}
    jsonschema.Draft202012Validator(document).validate(value)
