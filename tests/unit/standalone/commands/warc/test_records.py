"""Records of WARC files say of pages what a live fetch would have said."""

import gzip
from base64 import b32encode
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from io import BytesIO

import brotli
import pytest
import zstandard

from scops.standalone.commands.warc.records import (
    OUTSIDE,
    Observed,
    Passed,
    Repeated,
    WarcReader,
)
from scops.standalone.commands.warc.served import Moved, Served, Vanished
from tests.fakes.files.warc_files import HTML, WHEN, WarcMaker

URL = "https://a.test/page"
BODY = b"<html><body><p>The River plan costs 7 euros.</p></body></html>"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = WHEN + timedelta(days=1)


@pytest.fixture
def warc() -> WarcMaker:
    return WarcMaker()


def read(data: bytes) -> list[Observed | Passed]:
    reader = WarcReader(lambda url: url.startswith("https://a.test/"), now=NOW)
    return list(reader.read(BytesIO(data)))


def whys(data: bytes) -> list[str]:
    return [one.why for one in read(data) if isinstance(one, Passed)]


def body(data: bytes) -> bytes:
    (one,) = read(data)
    assert isinstance(one, Observed)
    assert isinstance(one.showed, Served)
    return one.showed.body


def test_an_answer_is_a_page_of_its_date_with_the_headers_that_are_read(warc: WarcMaker) -> None:
    """Robots, language, charset and Last-Modified go the way they go in fetches."""
    headers = (
        *HTML,
        ("X-Robots-Tag", "noarchive"),
        ("X-Robots-Tag", "noai"),
        ("Content-Language", "en"),
        ("Last-Modified", "Fri, 01 Mar 2024 10:00:00 GMT"),
    )
    warc.response("https://a.test/page#part", BODY, headers=headers)
    (one,) = read(warc.data)

    expected = Served(
        body=BODY,
        media_type="text/html",
        charset="utf-8",
        content_language="en",
        robots_tag="noarchive, noai",
        last_modified_time=datetime(2024, 3, 1, 10, tzinfo=UTC),
    )
    assert Observed(URL, WHEN, expected) == one


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(BODY, mtime=0)),
        ("br", brotli.compress(BODY)),
        ("gzip", BODY),
        ("br", BODY),
    ],
)
def test_content_encodings_are_removed_where_they_are_there(
    warc: WarcMaker, encoding: str, packed: bytes
) -> None:
    """Many writers store bodies unpacked and leave the header."""
    warc.response(URL, packed, headers=(*HTML, ("Content-Encoding", encoding)))

    assert BODY == body(warc.data)


@pytest.mark.parametrize("sent", [b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY), BODY])
def test_chunks_are_joined_where_they_are_there(warc: WarcMaker, sent: bytes) -> None:
    """As above."""
    warc.response(URL, sent, headers=(*HTML, ("Transfer-Encoding", "chunked")))

    assert BODY == body(warc.data)


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        ("404 Not Found", (), Vanished("not_found")),
        ("410 Gone", (), Vanished("gone")),
        ("301 Moved", (("Location", "/new"),), Moved("https://a.test/new")),
        ("308 Moved", (("Location", "https://b.test/"),), Moved("https://b.test/")),
    ],
)
def test_statuses_say_what_they_say_live(
    warc: WarcMaker, status: str, headers: tuple[tuple[str, str], ...], expected: object
) -> None:
    """404 and 410 close a page; a permanent redirect gives another name."""
    warc.response(URL, b"", status=status, headers=headers)

    assert [Observed(URL, WHEN, expected)] == read(warc.data)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "headers", "sent", "why"),
    [
        ("302 Found", (("Location", "/login"),), b"", "temporary redirects"),
        ("301 Moved", (), b"", "redirects to nowhere"),
        ("503 Busy", HTML, BODY, "answered 503"),
        ("200 OK", HTML, b"", "empty bodies"),
        ("200 OK", (("Content-Type", "image/png"),), b"\x89PNG\r\n\x1a\n", "of a type that is not"),
        ("200 OK", HTML, b"<p>" + b"x" * 3_000_000, "bodies of more than"),
    ],
)
def test_what_says_nothing_is_counted_by_why(
    warc: WarcMaker, status: str, headers: tuple[tuple[str, str], ...], sent: bytes, why: str
) -> None:
    """And nothing of it is sent."""
    warc.response(URL, sent, status=status, headers=headers)
    (said,) = whys(warc.data)

    assert said.startswith(why)


def test_only_pages_of_the_scope_are_read(warc: WarcMaker) -> None:
    """Others are not unpacked; what is no page at all has no URL."""
    warc.response("https://b.test/", BODY)
    warc.other("resource", "urn:pageinfo:https://a.test/", b"{}", "application/json")
    warc.other("metadata", URL, b"x", "application/warc-fields")

    assert [OUTSIDE, "not of the web"] == whys(warc.data)


def test_a_resource_is_a_page_and_a_text_of_another_program_is_not(warc: WarcMaker) -> None:
    """A browser's page after its scripts is a resource; WET files are conversions."""
    warc.other("resource", URL, BODY, "text/html; charset=utf-8")
    warc.other("conversion", URL, b"The River plan", "text/plain")
    one, left = read(warc.data)

    served = Served(body=BODY, media_type="text/html", charset="utf-8")
    assert Observed(URL, WHEN, served) == one
    assert isinstance(left, Passed)
    assert "WET" in left.why


def test_a_revisit_names_what_was_said_before(warc: WarcMaker) -> None:
    """By URI and date where it has them, else by the digest of a record that was read."""
    digest = "sha1:" + b32encode(sha1(BODY).digest()).decode()
    warc.response(URL, BODY)
    warc.revisit(URL, of="https://a.test/other", first=WHEN, at=LATER)
    warc.other("revisit", URL, b"", "application/http", at=LATER, WARC_Payload_Digest=digest)
    warc.other("revisit", URL, b"", "application/http", at=LATER, WARC_Payload_Digest="sha1:CCCC")
    _, named, by_digest, unknown = read(warc.data)

    assert Observed(URL, LATER, Repeated("https://a.test/other", WHEN)) == named
    assert Observed(URL, LATER, Repeated(URL, WHEN)) == by_digest
    assert Passed("revisits of what was not read before") == unknown


@pytest.mark.parametrize("before", [True, False])
def test_what_was_fetched_with_a_credential_is_left_out(before: bool) -> None:
    """The request stands before its answer or after it."""
    warc = WarcMaker()
    secret, answer = (("Authorization", "Basic eA=="),), "<urn:uuid:1>"
    if before:
        warc.request(URL, answer, secret)
    warc.response(URL, BODY, WARC_Record_ID=answer)
    if not before:
        warc.request(URL, answer, secret)
    warc.response("https://a.test/open", BODY, WARC_Record_ID="<urn:uuid:2>")
    warc.request("https://a.test/open", "<urn:uuid:2>")
    private, public = read(warc.data)

    assert Passed("fetched with a credential") == private
    assert isinstance(public, Observed)


def test_truncated_and_cut_records_are_told(warc: WarcMaker) -> None:
    """Half a page is no version of it."""
    warc.response(URL, BODY, WARC_Truncated="length")
    plain = WarcMaker(packed=False)
    plain.response(URL, BODY)

    assert ["truncated when they were recorded"] == whys(warc.data)
    assert ["cut off at the end of a file"] == whys(plain.data[:-30])


def test_dates_of_the_future_are_refused(warc: WarcMaker) -> None:
    """The gateway would refuse the whole call."""
    warc.response(URL, BODY, at=NOW + timedelta(days=1))

    assert ["dated in the future"] == whys(warc.data)


def test_zstd_is_read_and_damage_is_an_error(warc: WarcMaker) -> None:
    """What stands before the damage was read."""
    plain = WarcMaker(packed=False)
    plain.response(URL, BODY)
    warc.response(URL, BODY)
    intact = len(warc.data)
    warc.response(URL, BODY, at=LATER)
    damaged = bytearray(warc.data)
    damaged[intact + 100] ^= 0xFF
    records = WarcReader(lambda _: True, now=NOW).read(BytesIO(bytes(damaged)))
    first = next(records)

    assert BODY == body(zstandard.ZstdCompressor().compress(plain.data))
    assert isinstance(first, Observed)
    with pytest.raises(OSError, match="data error"):
        next(records)
