"""A scanned PDF is added, asked, and cited by the page on which OCR read the words."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system import System
from tests.e2e.test_pdf import ANSWER, ASKED, PAGES
from tests.fakes.files.pdf import pdf
from tests.fakes.files.scans import joined, scan

SCOPE = "reports"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report whose last chapter alone is scanned, and notes beside it."""
    at = tmp_path_factory.mktemp("reports")
    (at / "herons.pdf").write_bytes(joined(pdf(PAGES[:2]), scan(PAGES[2:])))
    (at / "bitterns.md").write_text("# Bitterns\n\nBitterns boom at dusk over the mill pond.\n")
    return at


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system whose extractor reads English scans, with a scope of files."""
    data = tmp_path_factory.mktemp("ocr")
    with System(data, SCOPS_EXTRACTOR_OCR_LANGUAGES="eng") as running:
        running.run("scope", "create", SCOPE, "--include", f"file://{SCOPE}")
        yield running


def test_scanned_page_is_cited_as_read_by_ocr(system: System, folder: Path) -> None:
    """The quote stands on its page with the mark; one from a page with text has none."""
    added = system.run("--output", "json", "add", str(folder), "--scope", SCOPE)
    scanned = system.run("ask", ASKED, "--scope", SCOPE).json["citations"][0]
    written = system.run("ask", "Where do grey herons nest?", "--scope", SCOPE).json
    shown = system.run("--output", "text", "ask", ASKED, "--scope", SCOPE).out
    found = system.run("search", f"{ASKED} bitterns", "--scope", SCOPE).json["passages"]
    listed = system.run("--output", "text", "search", ASKED, "--scope", SCOPE, "--limit", "1").out

    assert (0, 2) == (added.code, added.json["added"])
    assert ANSWER in scanned["quote"]
    assert (3, True) == (scanned["page_number"], scanned["read_by_ocr"])
    assert (1, False) == tuple(
        written["citations"][0][name] for name in ("page_number", "read_by_ocr")
    )
    assert "read by OCR" in shown
    assert {(True, False), (False, True)} == {
        (one["read_by_ocr"], "Bitterns" in one["title"]) for one in found
    }
    assert "read by OCR" in listed


def test_scan_is_told_where_ocr_is_off(shared: System, tmp_path: Path) -> None:
    """It is not taken, and the command says how scanned pages are read."""
    (tmp_path / "scan.pdf").write_bytes(scan(PAGES[2:]))
    shared.run("scope", "create", "scans", "--include", "file://scans")
    added = shared.run("--output", "json", "add", str(tmp_path), "--scope", "scans")

    assert (6, 0) == (added.code, added.json["added"])
    assert "SCOPS_EXTRACTOR_OCR_LANGUAGES" in added.json["unread"][0]["why"]
