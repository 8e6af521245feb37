"""What a shown page is made of is held to what holds for pages."""

import pytest

from tests.contract.ways_in.ways import Way

COUNT = """Promise.allSettled([PATHS].map(path => fetch(path)))
  .then(all => { root.textContent = all.map(one => one.value?.ok ? 'came' : 'left').join(' ') })"""
ROBOTS = "User-agent: *\nDisallow: /private/\n"


def asks(*paths: str) -> str:
    """The script of a page that asks for something and says what came."""
    return COUNT.replace("PATHS", ",".join(f"'{path}'" for path in paths))


@pytest.fixture
def site(shown: Way) -> Way:
    """Data that is free, and some that is not."""
    shown.origin.replace("/robots.txt", ROBOTS, type="text/plain")
    shown.origin.replace("/private/data", "secret", type="text/plain")
    shown.origin.replace("/data", "free", type="text/plain")
    return shown


async def test_robots_txt_holds_for_parts_and_where_they_lead(site: Way) -> None:
    """A redirect is no way around it."""
    site.origin.redirect("/round", "/private/data", 302)
    site.origin.redirect("/well", "/data", 302)
    url = site.put_app("/a", asks("/data", "/private/data", "/round", "/well"))
    (text,) = await site.fetched(url)

    assert "came left left came" in text
    assert 0 == site.origin.count(path="/private/data")


async def test_a_part_leads_to_nobody_else(site: Way) -> None:
    """Neither to another domain nor to a neighbour of its provider's."""
    for number, host in enumerate(("other.example.net", "two.github.io")):
        site.origin.redirect(f"/to/{number}", site.url("/data", host=host), 302)
    (text,) = await site.fetched(site.put_app("/a", asks("/to/0", "/to/1")))

    assert "left left" in text
    assert 0 == site.origin.count(path="/data")


@pytest.mark.parametrize("status", [404, 410])
async def test_a_part_that_is_gone_is_told(site: Way, status: int) -> None:
    """The page deals with it, and is read."""
    site.origin.remove("/lost", status)
    (text,) = await site.fetched(site.put_app("/a", asks("/lost", "/data")))

    assert "left came" in text
