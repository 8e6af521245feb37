"""Sites of documentation as the benchmark of research serves them."""

import urllib.error
import urllib.request
from pathlib import Path

import pytest

from benchmarks.expansion.sites import ServedSite, read_site
from tests.fakes.worlds.linked_site import PAGES, written


def _body(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=5) as response:
        return bytes(response.read())


def test_what_is_asked_for_is_logged_in_order(tmp_path: Path) -> None:
    """A page that is taken off is missing, and asking for it counts."""
    site = read_site(written(tmp_path))
    with ServedSite(site, gone={"/guide/backup.html"}).running() as served:
        assert site.pages["/index.html"] == _body(f"{served.url}/")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            _body(f"{served.url}/guide/backup.html")
        _body(f"{served.url}/guide/storage.html")

        asked = served.asked

    assert [("/", 200), ("/guide/backup.html", 404), ("/guide/storage.html", 200)] == [
        (one.path, one.status) for one in asked
    ]
    assert sorted(one.seconds for one in asked) == [one.seconds for one in asked]


def test_files_beside_pages_are_served(tmp_path: Path) -> None:
    """Scripts and the index of a site's search, but nothing outside of its folder."""
    folder = written(tmp_path / "site")
    (folder / "_static").mkdir()
    (folder / "searchindex.js").write_text("Search.setIndex({})")
    (folder / "_static" / "style.css").write_text("p {}")
    (tmp_path / "secret.js").write_text("private")
    (folder / "out.js").symlink_to(tmp_path / "secret.js")
    with ServedSite(read_site(folder)).running() as served:
        with urllib.request.urlopen(f"{served.url}/searchindex.js", timeout=5) as response:
            assert response.headers["Content-Type"].endswith("/javascript")
            assert b"Search.setIndex({})" == response.read()
        assert b"p {}" == _body(f"{served.url}/_static/style.css")
        for path in ("/out.js", "/%2e%2e/secret.js", "/_static", "/robots.txt"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                _body(f"{served.url}{path}")

        statuses = [one.status for one in served.asked]

    assert [200, 200, 404, 404, 404, 404] == statuses


def test_walks_begin_where_most_pages_are_reached(tmp_path: Path) -> None:
    """A folder without an index has a start as well."""
    folder = written(tmp_path)
    with_index = read_site(folder)
    (folder / "index.html").rename(folder / "welcome.html")

    assert "/index.html" == with_index.start
    assert len(PAGES) == len(with_index.graph.steps_from("/index.html"))
    assert "/welcome.html" == read_site(folder).start


def test_folder_without_pages_is_told(tmp_path: Path) -> None:
    """The error says what to name."""
    with pytest.raises(SystemExit, match=r"no HTML files in .*--data"):
        read_site(tmp_path)
