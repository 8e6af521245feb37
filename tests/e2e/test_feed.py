"""Feeds that carry the full text are pages of their entries, whatever the site itself shows."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from scops.client import Scops
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

JANUARY, MARCH = (datetime(2025, month, 1, 12, tzinfo=UTC) for month in (1, 3))
RSS, ATOM = "/feed.xml", "/atom.xml"
QUESTION = "How much does the Heron tariff cost?"
STATED = (
    "Every gauge on the river is read twice a day, and its keeper writes down the level together "
    "with the weather, so that floods of other years can be compared with it."
)


def priced(euros: int) -> str:
    return (
        f"<p>The Heron tariff costs {euros} euros a month.</p>\n\n<p>{STATED} "
        '<a href="terms">Terms</a></p><script>document.write("no text")</script>'
    )


def item(link: str, content: str = "", *, title: str = "News", more: str = "") -> str:
    whole = f"<content:encoded><![CDATA[{content}]]></content:encoded>" if content else ""
    return (
        f"<item><title>{title}</title><link>{link}</link><guid isPermaLink='false'>{link}#id</guid>"
        f"<description>In short.</description>{whole}{more}</item>"
    )


def rss(*items: str) -> str:
    return (
        '<?xml version="1.0"?><rss version="2.0" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Gauges</title>'
        f"<link>/</link><language>en</language>{''.join(items)}</channel></rss>"
    )


def tariff(euros: int, more: str = "") -> str:
    dated = "<pubDate>Wed, 01 Jan 2025 13:00:00 +0100</pubDate><dc:creator>Ann Ash</dc:creator>"
    return item("/news/tariff", priced(euros), title="Tariff &amp;amp; terms", more=dated + more)


OUTSIDE = item("https://elsewhere.example/1", f"<p>{STATED}</p>")
SHORT = item("/news/short")
UNDATED = item("/news/undated", f"<p>The Plover ferry leaves at seven. {STATED}</p>")
NO_LINK = "<item><description>Nothing to see.</description></item>"
ENTRIES = (
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Pegel</title>'
    "<author><name>Bo</name></author><entry><id>urn:uuid:1</id><title>Fähre</title>"
    '<link href="news/ferry"/><published>2025-01-01T12:00:00Z</published>'
    '<updated>2025-03-01T12:00:00Z</updated><content type="xhtml"><div '
    'xmlns="http://www.w3.org/1999/xhtml"><p>Die Fähre nach Reiherwerder fährt jede Stunde und '
    "kostet drei Euro für jeden Fahrgast.</p></div></content></entry></feed>"
)


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    """A site that has feeds and no pages."""
    with running(Origin()) as site:
        site.replace(RSS, rss(tariff(12), OUTSIDE, SHORT, UNDATED, NO_LINK))
        site.replace(ATOM, ENTRIES)
        site.replace("/page", "<html><title>Gauges</title><body><p>No feed.</p></body></html>")
        yield site


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, origin: Origin) -> Iterator[System]:
    """A system with a scope of the site's news."""
    with System(tmp_path_factory.mktemp("feed")) as running_system:
        words = ("scope", "create", "news", "--include", f"prefix:{origin.url}/news")
        done = running_system.run(*words)
        assert 0 == done.code, done.err
        yield running_system


def taken(system: System, *urls: str, code: int = 0) -> dict[str, object]:
    """Takes feeds in; returns what the command says."""
    done = system.run("import", "feed", *urls, "--scope", "news", "--delay", "0")
    assert code == done.code, done.err
    return dict(done.json)


def test_entries_are_pages_of_their_time(system: System, origin: Origin) -> None:
    """With author and absolute links; what is no page of the scope is counted."""
    told = taken(system, f"{origin.url}{RSS}", f"{origin.url}{ATOM}")
    with Scops(system.address) as scops:
        (version,) = scops.page_history(f"{origin.url}/news/tariff").versions
        text = scops.read_page(f"{origin.url}/news/tariff").text
        (german,) = scops.page_history(f"{origin.url}/news/ferry").versions
        (first, *_) = scops.answer(QUESTION, "news").citations

    assert (6, 3) == (told["entries"], told["indexed"])
    assert {"outside of the scope": 1, "summaries alone": 1, "without a link": 1} == told[
        "left_out"
    ]
    assert (JANUARY, MARCH) == (version.observed_from_time, german.observed_from_time)
    assert all(part in text for part in ("Tariff & terms", "By Ann Ash", "2025-01-01", STATED))
    assert "no text" not in text
    assert f"feed:{origin.url}{RSS}" == first.captured_by
    assert "12 euros" in first.quote


def test_done_again_it_takes_what_is_new(system: System, origin: Origin) -> None:
    """A feed that did not change is not read; what was edited is new, though dated as before."""
    feeds = f"{origin.url}{RSS}", f"{origin.url}{ATOM}"
    same = taken(system, *feeds)
    origin.replace(RSS, rss(tariff(14), UNDATED))
    edited = taken(system, *feeds)
    with Scops(system.address) as scops:
        versions = scops.page_history(f"{origin.url}/news/tariff").versions
        then = scops.answer(QUESTION, "news", as_of=MARCH).text
        now = scops.answer(QUESTION, "news").text

    assert (2, 0) == (same["feeds_unchanged"], same["entries"])
    assert (1, 2, 1, 1) == tuple(
        edited[name] for name in ("feeds_unchanged", "entries", "indexed", "known")
    )
    assert 2 == len(versions)
    assert ("12 euros" in then, "14 euros" in now) == (True, True)


def test_summaries_are_taken_where_they_are_wanted(system: System, origin: Origin) -> None:
    """And say that they are such."""
    origin.replace("/short.xml", rss(item("/news/short", more=f"<!-- {STATED} -->")))
    words = ("import", "feed", f"{origin.url}/short.xml", "--scope", "news", "--summaries")
    done = system.run(*words)
    with Scops(system.address) as scops:
        text = scops.read_page(f"{origin.url}/news/short").text

    assert (0, 1) == (done.code, done.json["indexed"]), done.err
    assert "Summary from the feed" in text
    assert "In short." in text


@pytest.mark.parametrize(
    ("path", "said"), [("/page", "no RSS or Atom feed"), ("/nowhere", "answered 404")]
)
def test_what_is_no_feed_is_named(system: System, origin: Origin, path: str, said: str) -> None:
    """With what to give instead."""
    done = system.run("import", "feed", f"{origin.url}{path}", "--scope", "news")
    unwritten = system.run("import", "feed", "news.xml", "--scope", "news")

    assert 0 != done.code
    assert said in done.err
    assert "https://" in unwritten.err
