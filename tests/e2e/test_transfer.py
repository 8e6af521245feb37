"""A scope goes from one installation to another: the same versions, citations and answers."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from warcio.archiveiterator import ArchiveIterator

from examples.site_server import SiteServer
from scops.client import Anchor, Answer, Boundary, Scops
from scops.standalone.commands.transfer import export as export_command
from scops.standalone.commands.transfer import writing
from tests.e2e.system import System

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/transfer.md").read_text()
FENCE = re.compile(r"^```(bash|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUESTIONS = (
    "How much does the River plan cost?",
    "How often is the sensor calibrated?",
    "Who may cancel a contract?",
)
CRAWL_SECONDS = 120.0


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    server = SiteServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, site: SiteServer) -> Iterator[System]:
    """An installation that has seen both editions of the example site, and the first one again."""
    with System(tmp_path_factory.mktemp("first")) as system, Scops(system.address) as scops:
        scops.create_scope("tarn", seeds=[f"{site.origin}/"], boundary=Boundary.HOST)
        for edition in (1, 2, 1, 2):
            site.edition = edition
            scops.wait_job(scops.crawl("tarn"), seconds=CRAWL_SECONDS)
        yield system


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """An installation that knows nothing."""
    with System(tmp_path_factory.mktemp("second")) as system:
        yield system


@pytest.fixture(scope="module")
def folder(first: System, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `scops export` writes."""
    target = tmp_path_factory.mktemp("files") / "tarn-export"
    done = first.run("export", "tarn", str(target))
    assert 0 == done.code, done.err
    return target


@pytest.fixture(scope="module")
def report(second: System, folder: Path) -> dict[str, Any]:
    """What `scops import` says."""
    done = second.run("import", str(folder))
    assert 0 == done.code, done.err + done.out
    said: dict[str, Any] = done.json
    return said


def rows(folder: Path, kind: str) -> list[dict[str, Any]]:
    """Returns the lines of all parts."""
    files = sorted(folder.glob(f"{kind}-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def histories(system: System, folder: Path) -> dict[str, Any]:
    """Returns every version of every exported page, by URL."""
    with Scops(system.address) as scops:
        return {
            row["uri"]: replace(
                scops.page_history(row["uri"]),
                # When it was made known here, and what was cited since, is another matter.
                versions=tuple(
                    replace(one, counts=True, chunk_count=0, pin="")
                    for one in scops.page_history(row["uri"]).versions
                ),
            )
            for row in rows(folder, "versions")
        }


def said(answer: Answer) -> tuple[Any, ...]:
    """Returns what an answer says and cites."""
    cited = [(one.uri, one.version, one.start, one.end, one.quote) for one in answer.citations]
    return answer.answered, answer.text, cited


def test_every_version_is_there_under_its_id(
    report: dict[str, Any], folder: Path, first: System, second: System
) -> None:
    """With its interval, title, class of change and what it restores; nothing is left over."""
    kept = [row for row in rows(folder, "versions") if not row["left_out_reason"]]

    assert len(kept) > 10
    assert (len(kept), len(kept)) == (report["versions"], report["same"])
    assert [0, 0, 0, 0, 0] == [
        report[name] for name in ("renamed", "missing", "outside", "taken", "left_out")
    ]
    assert histories(first, folder) == histories(second, folder)
    assert any(row["restored_version"] for row in kept)


def test_answers_and_citations_are_the_same(
    report: dict[str, Any], folder: Path, first: System, second: System
) -> None:
    """Now, and as of an instant between the editions; citations of the one resolve at the other."""
    changed = next(row for row in rows(folder, "versions") if row["observed_to_time"])
    then = datetime.fromisoformat(changed["last_verified_time"])
    with Scops(first.address) as ours, Scops(second.address) as theirs:
        answers = [ours.answer(question, "tarn") for question in QUESTIONS]
        again = [theirs.answer(question, "tarn") for question in QUESTIONS]
        past = [one.answer(QUESTIONS[0], "tarn", as_of=then) for one in (ours, theirs)]
        resolved = theirs.resolve_citations([c for one in answers for c in one.citations])

    assert any(one.answered for one in answers)
    assert [said(one) for one in answers] == [said(one) for one in again]
    assert said(past[0]) == said(past[1]) != said(answers[0])
    assert {Anchor.SAME} == {one.anchor for one in resolved}


def test_it_is_read_without_scops(folder: Path, first: System) -> None:
    """Texts by a WARC reader, passages and unit vectors by a Parquet reader, all as lines say."""
    texts: dict[str, str] = {}
    with (folder / "texts-00001.warc.gz").open("rb") as file:
        for record in ArchiveIterator(file, check_digests=True):
            if record.rec_type == "conversion":
                identity = record.rec_headers["WARC-Record-ID"]
                texts[identity[len("<urn:uuid:") : -1]] = record.content_stream().read().decode()
    chunks = pq.read_table(folder / "chunks-00001.parquet").to_pylist()
    versions = {row["version"]: row for row in rows(folder, "versions")}

    assert {name: first.archived_text(versions[name]["text_digest"]) for name in texts} == texts
    assert len(first.chunks_by_url()) == len(chunks)
    assert all(one["text"] == texts[one["version"]][one["start"] : one["end"]] for one in chunks)
    assert all(abs(np.linalg.norm(one["vector"]) - 1) < 1e-3 for one in chunks)
    assert all(versions[one["version"]]["observed_to_time"] is None for one in chunks)


def test_twice_changes_nothing(report: dict[str, Any], second: System, folder: Path) -> None:
    """What is known is not taken in again."""
    before = histories(second, folder)
    again = second.run("import", str(folder))

    assert (0, report) == (again.code, again.json)
    assert before == histories(second, folder)


def test_an_export_that_is_interrupted_goes_on(
    first: System, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole parts stay, the broken one is written again, and nothing is there twice."""
    target = tmp_path / "again"
    parts = [0]

    class Failing(writing.PartWriter):
        def __init__(self, *given: Any) -> None:
            parts[0] += 1
            super().__init__(*given)

        def add(self, page: Any) -> None:
            super().add(page)
            if parts[0] == 2:
                raise KeyboardInterrupt

    monkeypatch.setenv("SCOPS_COMMAND_ADDRESS", first.address)
    monkeypatch.setattr(writing, "PART_BYTES", 1)
    monkeypatch.setattr(writing, "PartWriter", Failing)
    monkeypatch.setattr(export_command, "PAGES_AT_ONCE", 3)
    with pytest.raises(KeyboardInterrupt):
        export_command.export("tarn", target, vectors=True)
    broken = sorted(path.name for path in target.iterdir())
    done = first.run("export", "tarn", str(target))
    over = first.run("export", "tarn", str(target))

    assert any(name.endswith(".unfinished") for name in broken)
    assert 0 == done.code, done.err
    assert 2 == over.code
    assert not list(target.glob("*.unfinished"))
    for kind in ("pages", "versions"):
        ours, theirs = rows(folder, kind), rows(target, kind)
        assert [_placeless(row) for row in ours] == [_placeless(row) for row in theirs]


def _placeless(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.startswith("warc_")}


def test_a_damaged_export_is_refused(second: System, folder: Path, tmp_path: Path) -> None:
    """Before anything of it is sent."""
    damaged = tmp_path / "damaged"
    shutil.copytree(folder, damaged)
    file = damaged / "texts-00001.warc.gz"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    refused = second.run("import", str(damaged))

    assert 2 == refused.code
    assert "EXPORT_UNUSABLE" == refused.json["error"]["reason"]


def test_both_are_in_the_audit(report: dict[str, Any], first: System, second: System) -> None:
    """Who took pages away, and who brought them."""
    out = first.run("audit", "list").json["entries"]
    taken = second.run("audit", "list").json["entries"]

    assert ("ExportPages", "scopes/tarn") in {(one["action"], one["resource"]) for one in out}
    assert ("ImportPages", "scopes/tarn") in {(one["action"], one["resource"]) for one in taken}


def test_the_guide_is_what_works(
    first: System, second: System, report: dict[str, Any], tmp_path: Path
) -> None:
    """Its commands and its code, as they are written."""
    (export, bring, code) = [text for _, text in FENCE.findall(GUIDE)]
    outputs = []
    for system, script in ((first, export), (second, bring)):
        scops = f'scops() {{ "{sys.executable}" -m scops.standalone "$@"; }}\n'
        outputs.append(
            subprocess.run(
                ["bash", "-ec", scops + script],
                cwd=tmp_path,
                env=system.environment,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout

    assert "17 euros" in outputs[1]
    assert "384 dimensions" in printed
    assert "/policies/prices.html" in printed
