"""Whoever publishes a page says that it changed, and it is answered as it is now."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import requests

from scops.client import Boundary, InvalidRequest, Scops
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

WAIT_SECONDS = 60.0
QUESTION = "How much does the Heron tariff cost?"


def page(price: int) -> str:
    return (
        "<html><title>Tariffs</title><body><h1>Tariffs</h1><p>The Heron tariff costs "
        f"{price} euros a month and may be cancelled at the end of each quarter by a letter to "
        "the office in the old mill.</p></body></html>"
    )


def quoted(system: System) -> str:
    return " ".join(one.quote for one in system.ask(QUESTION, "tariffs").citations)


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    """A site of one page that is linked to, and of one that is not there yet."""
    with running(Origin()) as site:
        site.replace("/tariffs", page(77))
        yield site


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, origin: Origin) -> Iterator[System]:
    """A system that has crawled the site."""
    with System(tmp_path_factory.mktemp("signals")) as running_system:
        with Scops(running_system.address) as scops:
            scops.create_scope("tariffs", seeds=[f"{origin.url}/tariffs"], boundary=Boundary.HOST)
            scops.wait_job(scops.crawl("tariffs"), seconds=WAIT_SECONDS)
        yield running_system


def test_a_page_is_fetched_when_its_site_says_so(system: System, origin: Origin) -> None:
    """By HTTP; no crawl, and no wait for the page's due time."""
    url, elsewhere = f"{origin.url}/tariffs", "https://else.example/"
    origin.replace("/tariffs", page(88))
    told = requests.post(
        f"{system.http_url}/v1/pages:changed",
        json={"scope": "scopes/tariffs", "uris": [url, elsewhere, "no url"]},
        timeout=20,
    )
    system.until(lambda: "88 euros" in quoted(system))

    with Scops(system.address) as scops:
        (again,) = scops.signal_pages("tariffs", [url], send_time=datetime.now(UTC))
        with pytest.raises(InvalidRequest) as late:
            scops.signal_pages("tariffs", [url], send_time=datetime.now(UTC) - timedelta(hours=2))

    assert 200 == told.status_code, told.text
    assert ("due", "SEND_TIME_INVALID") == (again.state, late.value.reason)
    assert [("due", False), ("refused", True), ("refused", True)] == [
        (one["state"], "message" in one) for one in told.json()["pages"]
    ]
    assert 2 == len(system.history(url).versions)


def test_the_command_tells_of_a_new_page(system: System, origin: Origin) -> None:
    """It ends with code 6 where a page is not taken; the page's trace says what it came by."""
    url, trace = f"{origin.url}/fares", ("--output", "json", "page", "trace")
    origin.replace("/fares", page(99).replace("Tariffs", "Fares"))
    done = system.run("--output", "json", "page", "changed", url, "--scope", "tariffs")
    refused = system.run("page", "changed", "https://else.example/", "--scope", "tariffs")
    system.wait_fetched(url)
    system.until(lambda: bool(system.history(url).versions))
    system.until(lambda: '"signal"' in system.run(*trace, url).out)

    assert (0, ["new"]) == (done.code, [one["state"] for one in json.loads(done.out)["pages"]])
    assert 6 == refused.code
    assert "lies outside the rules" in refused.out
