"""Which pages a benchmark serves, and how it edits them."""

from pathlib import Path

import pytest

from benchmarks.shared.system.html_pages import read_pages, sitemap, with_sentence, without_links

PARAGRAPH = "The first sentence tells what this is about. " * 3
PAGE = f"<html><head><title>One. Two.</title></head><body><p>{PARAGRAPH}</p></body></html>"


def _folder(root: Path, *names: str) -> Path:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE)
    return root


def test_nested_files_of_any_name_are_served_under_quoted_paths(tmp_path: Path) -> None:
    """A file's path is its name below the folder, percent-encoded."""
    folder = _folder(tmp_path, "a b.html", "sub/é.HTM", "notes.txt")

    assert {"/pages/a%20b.html", "/pages/sub/%C3%A9.HTM"} == set(read_pages(folder, limit=9))


def test_files_without_a_telling_name_are_known_by_their_beginning(tmp_path: Path) -> None:
    """Where no name says HTML, the content does."""
    folder = _folder(tmp_path, "page1", "page2.asp")
    (folder / "plain").write_text("no markup")

    assert {"/pages/page1", "/pages/page2.asp"} == set(read_pages(folder, limit=9))


def test_folder_without_pages_is_refused(tmp_path: Path) -> None:
    """The message says which option to set."""
    with pytest.raises(SystemExit, match="--data"):
        read_pages(tmp_path, limit=9)


def test_fewer_pages_are_a_beginning_of_more(tmp_path: Path) -> None:
    """Crawls of two sizes have pages in common, in one order."""
    folder = _folder(tmp_path, *(f"{number}.html" for number in range(20)))

    assert list(read_pages(folder, limit=20))[:5] == list(read_pages(folder, limit=5))


def test_links_to_left_out_pages_lead_out_of_the_prefix() -> None:
    """Other links stay as they are."""
    body = b'<a href="../x%20y.html#top">x</a> <a href="z.html">z</a>'

    changed = without_links(body, "/pages/sub/a.html", {"/pages/x%20y.html"})

    assert b'<a href="/left-out/x%20y.html#top">x</a> <a href="z.html">z</a>' == changed


def test_sentence_goes_into_the_longest_run_of_text() -> None:
    """Neither titles nor scripts nor short runs are edited."""
    noise = "<script>" + "var a = 1. Bb " * 50 + "</script><p>Short. One.</p>"
    body = f"<html><body>{noise}<p>{PARAGRAPH}</p></body></html>".encode()

    changed = with_sentence(body, "New.")

    assert changed is not None
    assert b"<p>The first sentence tells what this is about. New. The first" in changed


@pytest.mark.parametrize("encoding", ["latin-1", "shift_jis", "utf-8"])
def test_edited_body_keeps_its_encoding(encoding: str) -> None:
    """Bytes around the sentence are untouched."""
    word = "é" if encoding == "latin-1" else "語"
    body = PAGE.replace("this", word).encode(encoding)

    changed = with_sentence(body, "New.")

    assert changed is not None
    assert body.decode(encoding) == changed.decode(encoding).replace("New. ", "")


def test_text_without_latin_sentence_ends_gets_the_sentence_at_its_end() -> None:
    """Japanese ends its sentences otherwise."""
    text = "日本語の文章です。" * 9

    changed = with_sentence(f"<body><p>{text} </p></body>".encode(), "New.")

    assert f"<body><p>{text} New. </p></body>".encode() == changed


def test_wide_encodings_are_not_edited() -> None:
    """ASCII bytes would be other characters in UTF-16."""
    assert with_sentence(PAGE.encode("utf-16"), "New.") is None


def test_page_without_running_text_is_not_edited() -> None:
    """A sentence in a table of numbers would prove nothing."""
    assert with_sentence(b"<html><body><td>1</td></body></html>", "New.") is None


def test_sitemap_lists_every_page_escaped() -> None:
    """An ampersand in a name must not break the file."""
    listed = sitemap("http://h:1", {"/pages/a&b.html": b""})

    assert b"<loc>http://h:1/pages/a&amp;b.html</loc>" in listed
