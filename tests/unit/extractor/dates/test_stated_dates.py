"""Stated dates: where they are read, and which to believe."""

from datetime import UTC, datetime

import pytest

from scops.common.contract.messages.types import StatedKind, StatedSource, StatedTime
from tests.unit.extractor.pages import ARTICLE, OBSERVED, URL, extracted

PUBLISHED, MODIFIED = StatedKind.PUBLISHED, StatedKind.MODIFIED
DAY = datetime(2024, 5, 17, tzinfo=UTC)


def _first(stated: tuple[StatedTime, ...], kind: StatedKind) -> tuple[datetime, StatedSource]:
    entry = next(entry for entry in stated if entry.kind is kind)
    return entry.time, entry.source


def _json_ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


@pytest.mark.parametrize(
    "text",
    [
        '{"@type": "Article", "datePublished": "2024-05-17T02:00:00+02:00"}',
        '{"@graph": [{"@type": "WebSite"}, {"datePublished": "2024-05-17"}]}',
        '[{"comment": {"datePublished": "2020-01-01"}, "datePublished": "2024-05-17T00:00:00Z"}]',
    ],
)
def test_json_ld_date_is_read(text: str) -> None:
    """JSON-LD states the date of the page, not of what hangs on it."""
    found = extracted(ARTICLE, head=_json_ld(text))

    assert _first(found.document.stated, PUBLISHED) == (DAY, StatedSource.JSON_LD)


def test_meta_dates_are_read() -> None:
    """article:published_time and its relatives are read."""
    found = extracted(
        ARTICLE,
        head='<meta property="article:published_time" content="2024-05-17">'
        '<meta property="article:modified_time" content="2024-06-01T10:00:00Z">',
    )

    assert _first(found.document.stated, PUBLISHED) == (DAY, StatedSource.META)
    assert _first(found.document.stated, MODIFIED)[0] == datetime(2024, 6, 1, 10, tzinfo=UTC)


def test_date_in_the_page_is_found() -> None:
    """htmldate finds a date that only the page's text states."""
    found = extracted(
        f'<p class="date">Published <time datetime="2024-05-17">17 May</time></p>{ARTICLE}'
    )

    assert _first(found.document.stated, PUBLISHED) == (DAY, StatedSource.TEXT)


def test_date_in_the_url_is_found() -> None:
    """A date in the URL is the page's."""
    found = extracted(ARTICLE, url="https://docs.example.org/2024/05/17/owls.html")

    assert _first(found.document.stated, PUBLISHED) == (DAY, StatedSource.URL)


def test_server_date_is_least_sure() -> None:
    """Last-Modified is kept as what it is worth."""
    found = extracted(ARTICLE, last_modified_time=DAY)

    assert found.document.stated == (
        StatedTime(
            kind=MODIFIED,
            time=DAY,
            source=StatedSource.HTTP,
            confidence=0.3,
            day="2024-05-17",
        ),
    )


@pytest.mark.parametrize("media_type", ["text/html", "text/plain"])
def test_sitemap_date_is_surer_than_the_servers(media_type: str) -> None:
    """`lastmod` of the sitemap says when a page changed, whatever its format."""
    server = datetime(2025, 1, 2, tzinfo=UTC)
    found = extracted(
        ARTICLE, media_type=media_type, sitemap_time=DAY, last_modified_time=server
    ).document.stated

    assert [(entry.kind, entry.source, entry.time) for entry in found] == [
        (MODIFIED, StatedSource.SITEMAP, DAY),
        (MODIFIED, StatedSource.HTTP, server),
    ]
    assert found[0].confidence > found[1].confidence


def test_sitemap_date_is_less_sure_than_the_pages_own() -> None:
    """Plugins write the day of the last build into sitemaps."""
    meta = '<meta property="article:modified_time" content="2025-01-02">'
    found = extracted(ARTICLE, head=meta, sitemap_time=DAY).document.stated

    assert [entry.source for entry in found] == [StatedSource.META, StatedSource.SITEMAP]


@pytest.mark.parametrize(
    "value", ["2099-01-01", "0001-01-01", "9999-99-99", "yesterday", "2024-13-45T99:00", ""]
)
def test_impossible_date_is_ignored(value: str) -> None:
    """Dates in the future, before the web, or of no calendar are not stated."""
    found = extracted(ARTICLE, head=f'<meta property="article:published_time" content="{value}">')

    assert found.document.stated == ()


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"datePublished": 5}', "null", "1e999"])
def test_broken_json_ld_is_ignored(text: str) -> None:
    """Whatever stands in a script, the page is extracted."""
    found = extracted(ARTICLE, head=_json_ld(text))

    assert found.document.stated == ()
    assert found.text


def test_timestamp_in_an_example_is_no_date() -> None:
    """Dates inside code are examples."""
    found = extracted(f"{ARTICLE}<pre>2019-07-04 12:00:00 LOG: started</pre>", url=URL)

    assert found.document.stated == ()
    assert OBSERVED.year > 2019
