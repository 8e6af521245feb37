"""A folder of files is a part of a scope: added, asked, edited, and told of what is gone."""

import json
import os
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import docx
import pytest
from fpdf import FPDF
from odfdo import Document, Header, Paragraph

from scops.client import Scops
from tests.e2e.system import Ended, System

WAIT_SECONDS = 60.0
SCOPE = "handbook"
# What each file says, by its name: a question that names the animal finds no other file.
RATES = {
    "rates/heron.pdf": ("Heron", 11),
    "rates/otter.docx": ("Otter", 12),
    "rates/beaver.odt": ("Beaver", 13),
    "books/badger.epub": ("Badger", 14),
    "site/marten.html": ("Marten", 15),
    "notes/lynx.md": ("Lynx", 16),
    "notes/stoat.txt": ("Stoat", 17),
}
LINES = "archive/letters.jsonl"
WRITTEN, TOLD = datetime(2025, 5, 6, 7, tzinfo=UTC), datetime(2024, 2, 3, tzinfo=UTC)


def sentence(animal: str, price: int) -> str:
    return f"The {animal} tariff costs {price} euros a month and is billed at the end of a quarter."


def pdf(animal: str, price: int) -> bytes:
    document = FPDF()
    document.add_page()
    document.set_font("helvetica", size=12)
    document.multi_cell(0, 8, f"{animal} rates\n\n{sentence(animal, price)}")
    return bytes(document.output())


def word(animal: str, price: int) -> bytes:
    document, file = docx.Document(), BytesIO()
    document.add_heading(f"{animal} rates", 1)
    document.add_paragraph(sentence(animal, price))
    document.save(file)
    return file.getvalue()


def odt(animal: str, price: int) -> bytes:
    document, file = Document("text"), BytesIO()
    document.body.clear()
    document.body.append(Header(1, f"{animal} rates"))
    document.body.append(Paragraph(sentence(animal, price)))
    document.save(file)
    return file.getvalue()


def epub(animal: str, price: int) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
            '<rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
        )
        archive.writestr(
            "book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Rates</dc:title></metadata>'
            '<manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/>'
            '</manifest><spine><itemref idref="one"/></spine></package>',
        )
        archive.writestr(
            "one.xhtml",
            '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Rates</title></head><body>'
            f"<h1>{animal} rates</h1><p>{sentence(animal, price)}</p></body></html>",
        )
    return file.getvalue()


def html(animal: str, price: int) -> bytes:
    body = f"<h1>{animal} rates</h1><p>{sentence(animal, price)}</p>"
    return f"<html><title>{animal} rates</title><body>{body}</body></html>".encode()


def text(animal: str, price: int) -> bytes:
    return f"# {animal} rates\n\n{sentence(animal, price)}\n".encode()


MAKERS = {
    ".pdf": pdf,
    ".docx": word,
    ".odt": odt,
    ".epub": epub,
    ".html": html,
    ".md": text,
    ".txt": text,
}


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system with a scope that has no page of the web."""
    with System(tmp_path_factory.mktemp("files")) as running:
        made = running.run("scope", "create", SCOPE, "--include", f"file://{SCOPE}")
        assert 0 == made.code, made.err
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of each kind, what is no file of it, and what cannot be read."""
    at = tmp_path_factory.mktemp("papers-of-ann")
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_bytes(text("Wolf", 99))
    for name, (animal, price) in RATES.items():
        file = at / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(MAKERS[file.suffix](animal, price))
        os.utime(file, (WRITTEN.timestamp(), WRITTEN.timestamp()))
    (at / LINES).parent.mkdir()
    (at / LINES).write_text(
        "\n".join(
            json.dumps(
                {
                    "id": animal,
                    "title": f"{animal} rates",
                    "text": sentence(animal, price),
                    "time": TOLD.isoformat(),
                }
            )
            for animal, price in (("Weasel", 18), ("Vole", 19))
        )
        + "\nno json\n"
    )
    (at / ".env").write_text("PASSWORD=swordfish")
    (at / "photo.png").write_bytes(b"\x89PNG")
    (at / "link.md").symlink_to(outside)
    (at / "up").symlink_to(outside.parent)
    (at / "broken.docx").write_bytes(b"PK\x03\x04 no archive")
    return at


def add(system: System, folder: Path, *words: str) -> Ended:
    return system.run("--output", "json", "add", str(folder), "--scope", SCOPE, *words)


@pytest.fixture(scope="module")
def added(system: System, folder: Path) -> Ended:
    return add(system, folder)


@pytest.fixture
def scops(system: System) -> Iterator[Scops]:
    with Scops(system.address) as client:
        yield client


def test_each_kind_of_file_is_answered_from(added: Ended, scops: Scops) -> None:
    """A citation names file and collection, and nothing of the machine."""
    cited = {}
    for name, (animal, price) in RATES.items():
        answer = scops.answer(f"How much does the {animal} tariff cost?", SCOPE)
        (cited[name],) = {
            one.uri for one in answer.citations if f"{animal} tariff costs {price}" in one.quote
        }
    line = scops.answer("How much does the Vole tariff cost?", SCOPE).citations[0].uri

    assert {name: f"file://{SCOPE}/{name}" for name in RATES} == cited
    assert f"file://{SCOPE}/{LINES}/Vole" == line


def test_what_was_not_taken_is_told(added: Ended, scops: Scops) -> None:
    """With why, and what is to be done; links, hidden files and other kinds are left out."""
    said = added.json
    unread = {one["uri"].removeprefix(f"file://{SCOPE}/"): one["why"] for one in said["unread"]}
    pages = {page.uri for page in scops.list_pages(SCOPE, prefix=f"file://{SCOPE}")}

    assert 6 == added.code
    assert (len(RATES) + 2, 0, 0) == (said["added"], said["changed"], said["on_their_way"])
    assert {"hidden": 1, "links": 2, "of other kinds": 1} == said["left_out"]
    assert {"broken.docx", f"{LINES}#line=3"} == set(unread)
    assert "save it anew" in unread["broken.docx"]
    assert "no JSON" in unread[f"{LINES}#line=3"]
    assert not any("secret" in uri or "ann" in uri for uri in pages)


def test_a_file_states_when_it_was_written(added: Ended, scops: Scops) -> None:
    """By its time of change, a line by its own; whoever added it and when is told beside."""
    lynx, vole = (scops.search(f"{one} tariff", SCOPE).passages[0] for one in ("Lynx", "Vole"))
    assert lynx.clocks is not None
    assert vole.clocks is not None

    assert (f"file://{SCOPE}/notes/lynx.md", "local") == (lynx.uri, lynx.captured_by)
    assert WRITTEN == lynx.clocks.stated_modified_time
    assert TOLD == vole.clocks.stated_modified_time
    assert lynx.clocks.observed_time is not None
    assert WRITTEN < lynx.clocks.observed_time


def test_unchanged_files_are_not_sent(added: Ended, system: System, folder: Path) -> None:
    """Nothing but what cannot be read is looked at again, whatever its time says."""
    (folder / "notes/lynx.md").touch()
    said = add(system, folder).json

    assert (0, 0, len(RATES) + 2) == (said["added"], said["changed"], said["unchanged"])


def test_an_edited_file_is_a_new_version(
    added: Ended, system: System, folder: Path, scops: Scops
) -> None:
    """It stands among what changed, with its edit."""
    (folder / "rates/otter.docx").write_bytes(word("Otter", 21))
    said = add(system, folder).json
    page = scops.get_page(f"file://{SCOPE}/rates/otter.docx")
    shown = system.run("--output", "text", "changes", SCOPE, "--since", "1h", "--all").out
    words = "".join(part.text for hunk in scops.diff_page(page).hunks for part in hunk.parts)

    assert (0, 1) == (said["added"], said["changed"])
    assert 2 == len(scops.page_history(page).versions)
    assert f"file://{SCOPE}/rates/otter.docx" in shown
    assert "12" in words
    assert "21" in words


def test_a_removed_file_is_closed_and_comes_back(
    added: Ended, system: System, folder: Path, scops: Scops
) -> None:
    """With --prune alone; a file that cannot be read now is not gone."""
    (folder / "notes/stoat.txt").rename(folder / "stoat.bak")
    kept = add(system, folder).json
    pruned = add(system, folder, "--prune").json
    page = scops.get_page(f"file://{SCOPE}/notes/stoat.txt")
    system.until(lambda: scops.page_history(page).closed, seconds=WAIT_SECONDS)
    found = scops.search("Stoat tariff", SCOPE).passages
    (folder / "stoat.bak").rename(folder / "notes/stoat.txt")
    again = add(system, folder, "--prune").json

    assert (0, 1, 0) == (kept["closed"], pruned["closed"], again["closed"])
    assert "gone" == page.status
    assert not any("Stoat" in one.text for one in found)
    assert 1 == again["added"]
    assert not scops.page_history(page).closed


def test_files_are_of_one_scope(added: Ended, system: System, scops: Scops) -> None:
    """Another scope over the same collection has none of them, and nobody crawls them."""
    made = system.run("scope", "create", "others", "--include", f"file://{SCOPE}")
    listed = list(scops.list_pages("others"))
    crawled = system.run("crawl", SCOPE)
    fetched = system.run("crawl", SCOPE, "--url", f"file://{SCOPE}/notes/lynx.md")

    assert 0 == made.code, made.err
    assert [] == listed
    assert 2 == crawled.code
    assert 2 == fetched.code
    assert "only http and https are crawled" in fetched.err


def test_a_collection_is_purged(system: System, tmp_path: Path, scops: Scops) -> None:
    """By its name alone; a host of that name is another place. The trace of a file is told."""
    (tmp_path / "one.md").write_bytes(text("Newt", 41))
    made = system.run("scope", "create", "purged", "--include", "file://purged")
    assert 0 == made.code, made.err
    added = system.run("--output", "json", "add", str(tmp_path), "--scope", "purged")
    trace = system.run("--output", "text", "page", "trace", "file://purged/one.md")
    before = scops.search("Newt", "purged").passages
    beside = system.run("purge", "--prefix", "https://purged", "--yes")
    still = scops.search("Newt", "purged").passages
    purged = system.run("purge", "--prefix", "file://purged/", "--yes")
    after = scops.search("Newt", "purged").passages
    page = scops.get_page("file://purged/one.md")
    system.until(lambda: not scops.get_page(page).content_digest, seconds=WAIT_SECONDS)
    again = system.run("--output", "json", "add", str(tmp_path), "--scope", "purged").json

    assert (1, 0) == (added.json["added"], trace.code)
    assert "captured by local" in trace.out
    assert (0, 0) == (beside.code, purged.code)
    assert [1, 1, 0] == [len(before), len(still), len(after)]
    assert 1 == again["added"] + again["changed"]


def test_a_watched_folder_is_followed(system: System, tmp_path: Path, scops: Scops) -> None:
    """A file that comes is found without anybody asking; one that goes is closed."""
    (tmp_path / "one.md").write_bytes(text("Crane", 31))
    made = system.run("scope", "create", "watched", "--include", "file://watched")
    assert 0 == made.code, made.err
    child = system.spawn("add", str(tmp_path), "--scope", "watched", "--watch", "--prune")
    try:
        system.until(lambda: _is_found(scops, "Crane"), seconds=WAIT_SECONDS)
        (tmp_path / "two.md").write_bytes(text("Ibis", 32))
        system.until(lambda: _is_found(scops, "Ibis"), seconds=WAIT_SECONDS)
        (tmp_path / "one.md").unlink()
        system.until(lambda: not _is_found(scops, "Crane"), seconds=WAIT_SECONDS)
    finally:
        child.terminate()
        child.wait(timeout=WAIT_SECONDS)


def _is_found(scops: Scops, animal: str) -> bool:
    return any(f"{animal} tariff" in one.text for one in scops.search(animal, "watched").passages)
