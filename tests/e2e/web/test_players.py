"""What Scops gives as WARC and WACZ is opened by pywb and by ReplayWeb.page."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from scops.client import Boundary, Scops
from tests.e2e.system import System
from tests.e2e.web.players import Pywb, replay_web_page
from tests.fakes.files.warc_files import WarcMaker

URL, OTHER = "https://marten.test/Tariff?b=2&a=1", "https://marten.test/notes.txt"
TIMES = [datetime(2024, month, 1, 12, tzinfo=UTC) for month in (3, 4)]
BODIES = [
    f"<html><title>Tariff</title><body><p>The marten tariff is {cost} €.</p></body></html>".encode()
    for cost in (12, 14)
]
NOTE = b"The marten sleeps until nine."
ENDINGS = ("warc.gz", "wacz")
SHOWN = "The marten tariff is 14 €."
VISITS, VISIT_SECONDS = 3, 40.0


@pytest.fixture(scope="module")
def exported(system: System, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a scope of two pages is exported as, one of them with two versions."""
    folder = tmp_path_factory.mktemp("exported")
    warc = WarcMaker()
    for body, at in zip(BODIES, TIMES, strict=True):
        warc.response(URL, body, at=at)
    warc.response(OTHER, NOTE, headers=(("Content-Type", "text/plain"),), at=TIMES[0])
    warc.revisit(OTHER, of=OTHER, first=TIMES[0], at=TIMES[1])
    with Scops(system.address) as scops:
        scops.create_scope("marten", seeds=["https://marten.test/"], boundary=Boundary.HOST)
    taken = system.run(
        "import", "warc", str(warc.save(folder / "taken.warc.gz")), "--scope", "marten"
    )
    assert (0, 3) == (taken.code, taken.json["indexed"]), taken.err
    for ending in ENDINGS:
        path = str(folder / f"marten.{ending}")
        done = system.run("export", ending.partition(".")[0], path, "--scope", "marten")
        assert (0, 3) == (done.code, done.json["bodies"]), done.err
    asked = {"query": "How much is the marten tariff?", "scopes": ["scopes/marten"]}
    answer = httpx.post(f"{system.http_url}/v1/answer", json=asked, timeout=60)
    cited = {"citations": answer.json()["citations"]}
    file = httpx.post(f"{system.http_url}/v1/citations.warc", json=cited, timeout=60)
    (folder / "cited.warc.gz").write_bytes(file.raise_for_status().content)
    return folder


def test_pywb_plays_each_version_as_it_came(exported: Path, tmp_path: Path) -> None:
    """Bytes, types and times, also of a later look; nothing at a URL that is not held."""
    pywb = Pywb(tmp_path / "pywb")
    for ending in ENDINGS:
        pywb.add(exported / f"marten.{ending}", ending.partition(".")[0])
    pywb.add(exported / "cited.warc.gz", "cited")
    with pywb.running():
        for collection in ("warc", "wacz"):
            versions = [pywb.original(collection, f"{at:%Y%m%d%H%M%S}", URL) for at in TIMES]
            looks = [pywb.original(collection, f"{at:%Y%m%d%H%M%S}", OTHER) for at in TIMES]

            assert BODIES == [one.content for one in versions]
            assert {"text/html; charset=utf-8"} == {one.headers["content-type"] for one in versions}
            assert [NOTE, NOTE] == [one.content for one in looks]
            for found in (versions, looks):
                said = [one.headers["memento-datetime"] for one in found]
                assert [f"{at:%a, %d %b %Y %H:%M:%S} GMT" for at in TIMES] == said
        cited = pywb.original("cited", f"{TIMES[1]:%Y%m%d%H%M%S}", URL)
        missing = pywb.original("warc", "2024", "https://marten.test/nothing")

    assert BODIES[1] == cited.content
    assert 404 == missing.status_code


@pytest.mark.parametrize("ending", ENDINGS)
def test_replay_web_page_shows_the_page(
    exported: Path, chromium: Browser, tmp_path: Path, ending: str
) -> None:
    """In a browser, of the file alone: no server knows what lies where in it."""
    file = exported / f"marten.{ending}"
    with (
        replay_web_page(tmp_path / "site", file, URL) as address,
        chromium.new_context() as context,
    ):
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("requestfailed", lambda request: said.append(f"failed: {request.url}"))
        played = page.frame_locator("replay-web-page iframe").frame_locator("iframe")
        # Its frame stayed empty on a first visit once, under load: a person loads it again.
        for _ in range(VISITS):
            page.goto(address)
            with suppress(AssertionError):
                expect(played.locator("body")).to_have_text(SHOWN, timeout=VISIT_SECONDS * 1000)
                return

    pytest.fail(f"not shown in {VISITS} visits: {said}")
