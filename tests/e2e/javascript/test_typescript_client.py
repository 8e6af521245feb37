"""The TypeScript client: generated from the protos, and its guide before a running system."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scops.gateway.api.methods import METHODS
from tests.e2e.system import System
from tests.fakes.servers.node import NODE
from tests.fakes.servers.origin import Origin

ROOT = Path(__file__).resolve().parents[3]
CLIENTS = ROOT / "clients"
GUIDE = (ROOT / "docs/api/typescript.md").read_text()
FENCE = re.compile(r"^```ts\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCRIPT_SECONDS = 120

Run = Callable[[str], list[str]]


@pytest.fixture
def run(shared: System, tmp_path: Path) -> Run:
    """Runs a program with the client; returns the lines that it printed."""
    (tmp_path / "node_modules").symlink_to(CLIENTS / "node_modules")

    def run(program: str) -> list[str]:
        path = tmp_path / "program.mts"
        path.write_text(program.replace("http://127.0.0.1:7301", shared.http_url))
        done = subprocess.run(
            [str(NODE), "--disable-warning=ExperimentalWarning", str(path)],
            capture_output=True,
            text=True,
            timeout=SCRIPT_SECONDS,
            check=False,
        )
        assert 0 == done.returncode, done.stdout[-2000:] + done.stderr[-3000:]
        return done.stdout.splitlines()

    return run


def test_what_is_generated_is_what_the_protos_give(tmp_path: Path) -> None:
    """`make clients` was run since the last change of a proto."""
    target = tmp_path / "gen"
    subprocess.run([sys.executable, "proto/typescript.py", "--out", str(target)], check=True)

    assert _files(target) == _files(CLIENTS / "typescript" / "src" / "gen")


def test_every_service_of_the_api_is_there() -> None:
    """With its messages; a new one is given a name by hand."""
    source = CLIENTS / "typescript" / "src"
    client, index = (source / "client.ts").read_text(), (source / "index.ts").read_text()

    for service in METHODS:
        file = service.file.name.removesuffix(".proto")
        assert f"createClient({service.name}, transport)" in client
        assert f'export * from "./gen/{file}_pb.js";' in index


def test_the_guide_is_what_works(run: Run, tarn: Origin) -> None:
    """From nothing to an answer part by part, as it is written, one piece after the other."""
    program = "\n".join(FENCE.findall(GUIDE)).replace("https://docs.example.org/", f"{tarn.url}/")
    said = run(program)
    kinds = [line.split()[0] for line in said]

    assert "COMPLETED" == [kind for kind in kinds if kind in ("RUNNING", "COMPLETED")][-1]
    found, *statements, cited = [
        line for line in said if line.split()[0] in ("found", "said", "cited")
    ]
    assert int(found.split()[1]) > 0
    assert any("14 euros" in line for line in statements)
    assert "/policies/prices.html" in cited
    assert "14 euros" in said[-2]
    assert "SCOPE_NOT_FOUND" == said[-1]


def test_changes_are_told_as_they_are_recorded(run: Run, shared: System, tarn: Origin) -> None:
    """Each with its edits; the stream goes on from its cursor until its reader has enough."""
    program = """
        import { Scops } from "@scops/client";
        const scops = new Scops({ baseUrl: "http://127.0.0.1:7301" });
        const enough = new AbortController();
        const since = { seconds: 1n, nanos: 0 };
        for await (const { changes, cursor } of scops.watchChanges(
          { scope: "scopes/tarn", since }, enough.signal)) {
          console.log(changes.length > 0, changes[0].news, cursor !== "");
          break;
        }
    """

    assert ["true added true"] == run(program)


def test_a_gateway_that_is_not_there_is_asked_again_and_then_told(run: Run) -> None:
    """By the policy: five attempts, then why."""
    program = """
        import { Scops } from "@scops/client";
        let tried = 0;
        const reach = (...given) => { tried++; return fetch(...given); };
        const scops = new Scops({ baseUrl: "http://127.0.0.1:9", fetch: reach });
        try { await scops.scopes.getScope({ name: "scopes/tarn" }); }
        catch (error) { console.log(tried, error.code); }
    """

    assert ["5 14"] == run(program)


def _files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }
