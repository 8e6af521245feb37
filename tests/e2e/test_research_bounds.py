"""How far a research goes: hosts and bytes that it is given, sites without end, what is known.

The site asks of ferries on one host and has their prices on another; a third is nobody's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from scops.client import Scops
from tests.e2e.research_site import (
    SITE_FILES,
    page,
    to,
)
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

QUESTION = "How much does the Heron tariff of the ferry to Plover Island cost?"
ANSWER = "The Heron tariff of the ferry to Plover Island costs 14 euros a month."
FIRST = "How is the lantern of the Avocet light cleaned?"
ENDLESS = "Which ferry sails to Plover Island in the night of the eclipse of month 777?"
UNKNOWN = "Which captain sank the lightship Godwit in the storm of 1911?"
# Of a page that is larger than others.
LONG = 40_000


@dataclass(frozen=True, slots=True)
class Sites:
    """Where links lead from `start`: to `prices`, and to `elsewhere`, which nobody may ask."""

    start: Origin
    prices: Origin
    elsewhere: Origin


@pytest.fixture(scope="module")
def sites() -> Iterator[Sites]:
    with running(Origin()) as start, running(Origin()) as prices, running(Origin()) as elsewhere:
        elsewhere.replace("/", page("Private", ANSWER))
        prices.replace("/heron", page("The Heron tariff", ANSWER))
        prices.replace("/", page("Prices", to("/heron", "The Heron tariff")))
        away = to(f"{elsewhere.url}/", "How much the Heron tariff to Plover Island costs")
        there = to(f"{prices.url}/heron", "The Heron tariff of the ferry to Plover Island")
        start.replace("/", page("Ferries", there, away))
        yield Sites(start, prices, elsewhere)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system that knows nothing yet."""
    with System(tmp_path_factory.mktemp("research-bounds")) as running_system:
        yield running_system


@pytest.fixture(scope="module")
def scops(system: System) -> Iterator[Scops]:
    with Scops(system.address) as client:
        yield client


def asked_of(origin: Origin) -> list[str]:
    """The pages that were asked for."""
    return [one.path for one in origin.requests if one.path not in SITE_FILES]


def test_links_to_other_hosts_are_not_followed(scops: Scops, sites: Sites) -> None:
    """Unless they are named."""
    done = scops.wait_research(scops.research(QUESTION, uri=f"{sites.start.url}/"))

    assert "nothing_left" == done.research.stop_reason
    assert [] == sites.prices.requests == sites.elsewhere.requests


def test_a_host_that_is_named_is_followed(system: System, sites: Sites) -> None:
    """And no other; by the command."""
    host = urlsplit(sites.prices.url).netloc
    asked = system.run("ask", QUESTION, "--url", f"{sites.start.url}/", "--host", host)

    assert 0 == asked.code, asked.err
    assert "14 euros" in str(asked.json["answer"])
    assert [host] == asked.json["research"]["hosts"]
    assert ["/heron"] == asked_of(sites.prices)
    assert [] == sites.elsewhere.requests


def test_a_redirect_leads_to_no_other_host(scops: Scops, sites: Sites) -> None:
    """Neither by a link of the site, nor from where the run starts."""
    sites.start.redirect("/moved", f"{sites.elsewhere.url}/", 302)
    sites.start.replace("/hub", page("Hub", to("/moved", "The Heron tariff to Plover Island")))
    for begin in ("/hub", "/moved"):
        done = scops.wait_research(scops.research(QUESTION, uri=f"{sites.start.url}{begin}"))
        (moved,) = (one for one in done.research.pages if one.uri.endswith("/moved"))
        assert "blocked" == moved.outcome
    assert [] == sites.elsewhere.requests


def test_bytes_are_counted_and_bounded(scops: Scops) -> None:
    """One page at a time where nothing is known of their size."""
    with running(Origin()) as origin:
        bodies = {
            "/": page(
                "Lamps",
                *(to(f"/lamp/{n}", f"Captain {n} of the lightship Godwit") for n in range(30)),
            )
        }
        for number in range(30):
            told = f"Lamp {number} is lit at dusk by its keeper. " * (LONG // 40)
            bodies[f"/lamp/{number}"] = page(f"Lamp {number}", told)
        for path, body in bodies.items():
            origin.replace(path, body)
        done = scops.wait_research(scops.research(UNKNOWN, uri=f"{origin.url}/", bytes=4 * LONG))
        sent = sum(len(bodies[path]) for path in asked_of(origin) if path in bodies)

    run = done.research
    assert "bytes" == run.stop_reason
    assert 4 * LONG <= run.fetched_bytes == run.steps[-1].fetched_bytes == sent
    assert 6 >= len(run.pages)


def test_a_site_without_end_is_left(scops: Scops) -> None:
    """Calendars and filters link to themselves for ever; what answers is found beside them."""
    with running(Origin()) as origin:
        origin.handle_below("/calendar/", calendar)
        origin.handle_below("/filter", filters)
        origin.replace(
            "/",
            page(
                "Harbour",
                to("/calendar/2026/1/", "Sailings of the ferry to Plover Island, January"),
                to("/filter?sort=price&page=1", "Tariffs of the ferry to Plover Island by price"),
                to("/tariffs", "Tariffs"),
            ),
        )
        origin.replace("/tariffs", page("Tariffs", to("/tariffs/heron", "Heron")))
        origin.replace("/tariffs/heron", page("Heron", ANSWER))
        start = f"{origin.url}/"
        found = scops.wait_research(scops.research(QUESTION, uri=start))
        lost = scops.wait_research(scops.research(ENDLESS, uri=start, pages=20))
        paths = asked_of(origin)

    assert found.answer is not None
    assert "14 euros" in found.answer.text
    assert lost.research.stop_reason in {"low_gain", "cost", "pages"}
    assert [one for one in lost.research.pages if "/calendar/" in one.uri]
    assert len(paths) == len(set(paths)) <= 25 + 20


async def calendar(request: web.Request) -> web.Response:
    """A month, with the next ones, each under several names."""
    _, _, year, month, *_ = request.path.split("/")
    number = int(year) * 12 + int(month)
    links = [
        to(
            f"/calendar/{after // 12}/{after % 12 + 1}/?view={view}",
            f"Ferries to Plover Island, {after}",
        )
        for after in range(number, number + 12)
        for view in ("day", "week", "month")
    ]
    body = page(f"Month {month}", "A table of the tides hangs at each pier.", *links)
    return web.Response(text=body, content_type="text/html")


async def filters(request: web.Request) -> web.Response:
    """A list that can be sorted and filtered without end."""
    place = int(request.query.get("page", "1"))
    links = [
        to(f"/filter?sort={sort}&page={after}&session={place}{after}", f"Ferry tariffs, {after}")
        for after in range(place + 1, place + 15)
        for sort in ("price", "name", "island")
    ]
    body = page(f"Tariffs, page {place}", "Choose a ferry by island.", *links)
    return web.Response(text=body, content_type="text/html")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which oil does the lantern of the Avocet light burn?", "rapeseed"),
        ("How many prisms has the lens of the Avocet light?", "392 prisms"),
    ],
)
def test_a_second_question_costs_a_share_of_the_first(
    scops: Scops, question: str, answer: str
) -> None:
    """At most three of ten: what the first one fetched is known, whether it needed it or not."""
    with running(Origin()) as origin:
        manual(origin)
        first = scops.wait_research(scops.research(FIRST, uri=f"{origin.url}/"))
        cost = len(asked_of(origin))
        second = scops.wait_research(scops.research(question, uri=f"{origin.url}/"))
        more = len(asked_of(origin)) - cost

    assert first.answer is not None
    assert second.answer is not None
    assert "methylated spirits" in first.answer.text
    assert answer in second.answer.text
    assert "covered" == second.research.stop_reason
    assert more <= 0.3 * cost
    assert cost > 4


def manual(origin: Origin) -> None:
    """A manual of lights, whose answers lie three links deep."""
    lights = ("Avocet", "Bittern", "Curlew", "Dunlin", "Egret", "Fulmar", "Gannet", "Heron")
    parts = ("Lantern", "Lens", "Tower", "Keeper")
    origin.replace(
        "/", page("Lights", *(to(f"/{one.lower()}", f"The {one} light") for one in lights))
    )
    for light in lights:
        path = f"/{light.lower()}"
        below = (to(f"{path}/{part.lower()}", f"{part} of the {light} light") for part in parts)
        origin.replace(path, page(f"The {light} light", *below))
        for part in parts:
            told = f"The {part.lower()} of the {light} light was renewed in the year 1888."
            origin.replace(f"{path}/{part.lower()}", page(f"{part} of the {light} light", told))
    prisms = "The lens of the Avocet light has 392 prisms in nine rings."
    origin.replace("/avocet/lens", page("Lens of the Avocet light", prisms))
    origin.replace(
        "/avocet/lantern",
        page(
            "Lantern of the Avocet light",
            "The lantern of the Avocet light is cleaned with methylated spirits each morning.",
            "The lantern of the Avocet light burns oil of rapeseed from dusk to dawn.",
        ),
    )
