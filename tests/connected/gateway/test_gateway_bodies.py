"""Bodies as they came, by the real HTTP server: who may have them, and how they come."""

from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.change import ReadVersionRequest, ReadVersionResponse
from scops.common.contract.messages.crawl import KnownPage, PagePlanRequest, PagePlanResponse
from scops.common.contract.messages.explanation import ResolveResponse
from scops.common.contract.messages.types import BodyRef, OrderKey
from scops.common.query.ports import PAGE_PLAN, READ_VERSION, RESOLVE
from scops.gateway.handlers.transfers.importing import MEDIA_TYPE
from tests.connected.gateway.http_calls import SCOPE_BODY, http_calls
from tests.fakes.worlds.gateway import ServedGateway, served_gateway

SEEN = datetime(2026, 5, 2, 12, tzinfo=UTC)
DOCS, ELSEWHERE = "https://docs.example.org/a", "https://elsewhere.example/a"
PDF = b"%PDF-1.7\n%a report"
HTML = b"<script>fetch('/v1/scopes')</script>"
TEXT = b"What the page says."


class Kept:
    """A page whose versions were taken out of what `bodies` holds, in the archive of a gateway."""

    def __init__(self, served: ServedGateway) -> None:
        self._served = served
        self.url = DOCS
        self.bodies: dict[str, BodyRef | None] = {}
        self.text_digest = ""
        served.answer(PAGE_PLAN, self._plan)
        served.answer(READ_VERSION, self._read)
        served.answer(RESOLVE, self._resolve)

    async def put(self, version: str, data: bytes, media_type: str) -> BodyRef:
        archive = self._served.archive
        self.text_digest = (await archive.put(TEXT, media_type="text/plain")).digest
        ref = await archive.put(data, media_type=media_type)
        self.bodies[version] = ref
        return ref

    async def _plan(self, request: PagePlanRequest) -> PagePlanResponse:
        page = KnownPage(page_id=PageId("p-1"), canonical_url=self.url, access_context="public")
        return PagePlanResponse(page=page)

    async def _read(self, request: ReadVersionRequest) -> ReadVersionResponse:
        version = request.version or "v-pdf"
        return ReadVersionResponse(
            version_id=VersionId(version),
            order_key=OrderKey(observed_from=SEEN),
            last_verified_time=SEEN,
            text_digest=self.text_digest,
            body=self.bodies[version],
        )

    async def _resolve(self, _: Any) -> ResolveResponse:
        return ResolveResponse()


def _cited(*versions: str) -> dict[str, Any]:
    return {"citations": [{"page": "pages/p-1", "version": version} for version in versions]}


async def test_only_a_pdf_is_shown_in_place(tmp_path: Path) -> None:
    """All else is a file in a sandbox, whatever it says that it is: it never runs as our page."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        kept = Kept(served)
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
        await kept.put("v-pdf", PDF, "application/pdf")
        await kept.put("v-html", HTML, "text/html")
        # A script that is sent as a PDF is none.
        await kept.put("v-false", HTML, "application/pdf")
        shown = await call("GET", "/v1/pages/p-1/body")
        files = [
            await call("GET", f"/v1/pages/p-1/body?version={one}") for one in ("v-html", "v-false")
        ]

    assert (200, PDF, "application/pdf", "inline") == (
        shown.status,
        shown.body,
        shown.headers["content-type"],
        shown.headers["content-disposition"],
    )
    for file in files:
        assert (200, HTML, "application/octet-stream") == (
            file.status,
            file.body,
            file.headers["content-type"],
        )
        assert file.headers["content-disposition"].startswith("attachment;")
    for answer in (shown, *files):
        assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
        assert "nosniff" == answer.headers["x-content-type-options"]
        assert "same-origin" == answer.headers["cross-origin-resource-policy"]


async def test_bodies_are_for_who_may_read_the_page(tmp_path: Path) -> None:
    """No scope of the caller holds it: neither the body nor the file of citations is given."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        kept = Kept(served)
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
        await kept.put("v-pdf", PDF, "application/pdf")
        kept.url = ELSEWHERE
        body = await call("GET", "/v1/pages/p-1/body")
        cited = await call("POST", "/v1/citations.warc", json=_cited("v-pdf"))
        odd = await call("GET", "/v1/pages/p-1/body?key=sk_secret")

    assert [(404, "PAGE_NOT_FOUND")] * 2 == [
        (one.status, one.json["reason"]) for one in (body, cited)
    ]
    assert (400, "FIELD_UNKNOWN") == (odd.status, odd.json["reason"])


async def test_what_is_cited_comes_as_a_warc_file(tmp_path: Path) -> None:
    """Bodies as they came, else the text, which says so; each version once, with its digest."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        kept = Kept(served)
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
        pdf = await kept.put("v-pdf", PDF, "application/pdf")
        await kept.put("v-imported", b"packed", MEDIA_TYPE)
        kept.bodies["v-old"] = None
        kept.bodies["v-dropped"] = replace(pdf, digest="0" * 64)
        asked = _cited("v-pdf", "v-imported", "v-old", "v-dropped", "v-pdf")
        file = await call("POST", "/v1/citations.warc", json=asked)
        none = await call("POST", "/v1/citations.warc", json={})
        missing = await call("GET", "/v1/pages/p-1/body?version=v-old")

    assert (200, "application/warc") == (file.status, file.headers["content-type"])
    records = [
        (record.rec_type, record.rec_headers, record.content_stream().read())
        for record in ArchiveIterator(BytesIO(file.body), check_digests="raise")
    ]
    held = [one for one in records if one[0] in ("resource", "conversion")]
    assert ["resource", *["conversion"] * 3] == [kind for kind, _, _ in held]
    assert [PDF, TEXT, TEXT, TEXT] == [data for _, _, data in held]
    head = held[0][1]
    assert (DOCS, "2026-05-02T12:00:00Z", "application/pdf", f"sha256:{pdf.digest}") == tuple(
        head.get_header(name)
        for name in ("WARC-Target-URI", "WARC-Date", "Content-Type", "WARC-Payload-Digest")
    )
    notes = [data.decode() for kind, _, data in records if kind == "metadata"]
    assert "content: the body as it came" in notes[0]
    assert all("content: the clean text" in note for note in notes[1:])
    assert (400, "CITATIONS_EMPTY") == (none.status, none.json["reason"])
    assert (404, "BODY_NOT_KEPT") == (missing.status, missing.json["reason"])


async def test_warcio_finds_nothing_wrong_with_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `warcio check` says."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        kept = Kept(served)
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
        await kept.put("v-pdf", PDF, "application/pdf")
        file = await call("POST", "/v1/citations.warc", json=_cited("v-pdf"))
    target = tmp_path / "cited.warc.gz"
    target.write_bytes(file.body)

    checker = Checker(type("Options", (), {"inputs": [str(target)], "verbose": True})())
    checker.process_all()

    assert 0 == checker.exit_value, capsys.readouterr().out
