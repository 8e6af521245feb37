"""Sitemaps, well-formed and not."""

from datetime import UTC, datetime

import pytest

from scops.common.contract.errors import InvalidInput
from scops.fetcher.discovery.llms_txt import parse_llms_txt
from scops.fetcher.discovery.sitemap import SignalKind, Sitemap, SitemapEntry
from scops.fetcher.discovery.sitemap_parser import parse_sitemap

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def urlset(*entries: str) -> bytes:
    return f'<?xml version="1.0"?><urlset xmlns="{NAMESPACE}">{"".join(entries)}</urlset>'.encode()


def url(location: str, last_modified: str = "") -> str:
    return f"<url><loc>{location}</loc><lastmod>{last_modified}</lastmod></url>"


def test_urlset_gives_pages_in_their_order_once() -> None:
    """Each URL is listed canonically, the first time it occurs."""
    body = urlset(
        url("https://a.example/b"), url(" HTTPS://A.example/a "), url("https://a.example/b")
    )

    assert ["https://a.example/b", "https://a.example/a"] == [
        entry.url for entry in parse_sitemap(body).pages
    ]


def test_sitemapindex_gives_sitemaps() -> None:
    """An index names further sitemaps, not pages."""
    body = (
        f'<sitemapindex xmlns="{NAMESPACE}"><sitemap><loc>https://a.example/1.xml.gz</loc>'
        "<lastmod>2024-05-06</lastmod></sitemap></sitemapindex>"
    ).encode()

    expected = SitemapEntry("https://a.example/1.xml.gz", datetime(2024, 5, 6, tzinfo=UTC))
    assert Sitemap(sitemaps=(expected,)) == parse_sitemap(body)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("2024-05", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024-05-06", datetime(2024, 5, 6, tzinfo=UTC)),
        ("2024-05-06T07:08Z", datetime(2024, 5, 6, 7, 8, tzinfo=UTC)),
        ("2024-05-06T07:08:09.5+02:00", datetime(2024, 5, 6, 5, 8, 9, 500_000, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_lastmod_is_a_w3c_date(text: str, expected: datetime | None) -> None:
    """W3C note "Date and Time Formats"; anything else counts as not said."""
    assert expected == parse_sitemap(urlset(url("https://a.example/", text))).pages[0].last_modified


def test_extensions_and_their_locations_are_not_pages() -> None:
    """Only the `loc` directly in a `url` counts, not that of an image in it."""
    image = (
        "<image:image xmlns:image='i'><image:loc>https://a.example/i.png</image:loc></image:image>"
    )
    body = urlset(f"<url>{image}<loc>https://a.example/a</loc></url>")

    assert (SitemapEntry("https://a.example/a"),) == parse_sitemap(body).pages


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "http://u:p@a.example/", "/relative", "", "x" * 5000]
)
def test_entry_that_is_no_usable_url_is_skipped(location: str) -> None:
    """One bad entry does not spoil the others."""
    body = urlset(url(location), url("https://a.example/a"))

    assert ["https://a.example/a"] == [entry.url for entry in parse_sitemap(body).pages]


def test_plain_text_is_a_list_of_urls() -> None:
    """sitemaps.org: a text file with a URL a line, which may begin with a byte order mark."""
    body = b"\xef\xbb\xbfhttps://a.example/a\r\n\r\nnonsense\nhttps://a.example/b\n"

    assert ["https://a.example/a", "https://a.example/b"] == [
        entry.url for entry in parse_sitemap(body).pages
    ]


def test_list_is_cut_at_its_bound() -> None:
    """A site cannot name more than the bound in one file."""
    body = urlset(*(url(f"https://a.example/{number}") for number in range(20)))

    result = parse_sitemap(body, urls_max=5)

    assert (5, True) == (len(result.pages), result.truncated)


def test_junk_is_cut_at_its_bound() -> None:
    """Elements that list nothing are not read for ever."""
    body = urlset("<url/>" * 1000, url("https://a.example/a"))

    assert Sitemap(truncated=True) == parse_sitemap(body, urls_max=5)


def test_damaged_file_gives_what_stands_before_the_damage() -> None:
    """A truncated download is not worthless."""
    body = urlset(url("https://a.example/a"), url("https://a.example/b"))[:-30]

    result = parse_sitemap(body)

    assert (("https://a.example/a",), True) == (
        tuple(entry.url for entry in result.pages),
        result.truncated,
    )


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE urlset SYSTEM "http://127.0.0.1/evil.dtd">',
        '<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>',
    ],
)
def test_document_type_is_refused(doctype: str) -> None:
    """Without a document type there are no entities to expand or to load."""
    body = f"{doctype}<urlset><url><loc>https://a.example/&b;&x;</loc></url></urlset>".encode()

    with pytest.raises(InvalidInput, match="document type"):
        parse_sitemap(body)


@pytest.mark.parametrize(
    "body", [b"<html><body>404</body></html>", b"<opml/>", b"no url at all", b"<", b"\x00\x01\x02"]
)
def test_anything_else_is_no_sitemap(body: bytes) -> None:
    """A soft 404 in place of a sitemap is told as such."""
    with pytest.raises(InvalidInput, match="sitemap cannot be read"):
        parse_sitemap(body)


def test_nesting_is_bounded() -> None:
    """libxml2 stops at a depth of 256; what stands before it counts."""
    deep = "<x>" * 5000 + "</x>" * 5000
    body = urlset(url("https://a.example/a"), f"<url>{deep}</url>", url("https://a.example/b"))

    result = parse_sitemap(body)

    assert (("https://a.example/a",), True) == (
        tuple(entry.url for entry in result.pages),
        result.truncated,
    )


def test_empty_urlset_lists_nothing() -> None:
    """A site without pages is no error."""
    assert Sitemap() == parse_sitemap(urlset())


def test_utf16_sitemap_is_read() -> None:
    """XML may come in UTF-16 with a byte order mark."""
    body = f'<?xml version="1.0" encoding="UTF-16"?><urlset>{url("https://a.example/a")}</urlset>'

    assert ["https://a.example/a"] == [
        entry.url for entry in parse_sitemap(body.encode("utf-16")).pages
    ]


RSS = """<rss version="2.0"><channel><link>https://a.example/</link>
<item><link>https://a.example/1</link><pubDate>Sun, 22 Nov 2026 05:00:00 +0100</pubDate></item>
<item><link>/2</link><pubDate>no date</pubDate></item></channel></rss>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><link>https://a.example/</link></channel>
<item><link>https://a.example/1</link><dc:date>2026-11-22T04:00:00Z</dc:date></item>
<item><link>/2</link></item></rdf:RDF>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.example/"/>
<entry><link rel="edit" href="/edit"/><link href="https://a.example/1"/>
<updated>2026-11-22T04:00:00Z</updated></entry>
<entry><link rel="alternate" href="/2"/></entry></feed>"""


@pytest.mark.parametrize("body", [RSS, RDF, ATOM], ids=["rss2", "rss1", "atom"])
def test_feed_lists_pages_and_when_they_changed(body: str) -> None:
    """RSS and Atom stand in for a sitemap; their times are a signal of another kind."""
    found = parse_sitemap(body.encode(), base="https://a.example/feed")
    stated = datetime(2026, 11, 22, 4, tzinfo=UTC)

    assert SignalKind.FEED is found.kind
    assert (
        SitemapEntry("https://a.example/1", stated),
        SitemapEntry("https://a.example/2"),
    ) == found.pages


def test_other_languages_of_a_page_are_pages() -> None:
    """`xhtml:link` with hreflang names further pages; their own entry has their time."""
    body = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>https://a.example/en</loc>
<xhtml:link rel="alternate" hreflang="de" href="https://a.example/de"/>
<xhtml:link rel="alternate" hreflang="fr" href="https://a.example/fr"/></url>
<url><loc>https://a.example/de</loc><lastmod>2026-11-22</lastmod></url></urlset>"""

    assert (
        SitemapEntry("https://a.example/en"),
        SitemapEntry("https://a.example/de", datetime(2026, 11, 22, tzinfo=UTC)),
        SitemapEntry("https://a.example/fr"),
    ) == parse_sitemap(body).pages


def test_llms_txt_recommends_pages() -> None:
    """Every Markdown link of an llms.txt is a page, resolved against it, once."""
    body = (
        "# Title\n> Words about [it](https://a.example/about)\n## Docs\n- [One](/one.md): first\n"
        "- [Again](/one.md)\n- [Mail](mailto:x@a.example)\n- [Broken](http://)\n"
    )
    found = parse_llms_txt(body.encode(), base="https://a.example/llms.txt")

    expected = ["https://a.example/about", "https://a.example/one.md"]
    assert expected == [entry.url for entry in found.pages]
