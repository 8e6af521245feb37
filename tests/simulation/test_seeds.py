"""A thousand worlds in which everything that can go wrong between two effects does."""

from tests.simulation.driver import Driver
from tests.simulation.seeds import live_each
from tests.simulation.site import HOSTS, SimSite
from tests.simulation.world import World

STEPS = 150


async def test_every_seed_keeps_the_invariants(seeds: range) -> None:
    """Crashes, duplicates, reordering, changes and cancellations break no invariant."""
    await live_each(seeds, live_through)


async def live_through(world: World) -> None:
    """A stormy time, then a calm one, then a last crawl that must see the site as it is."""
    await world.open()
    driver = Driver(world, mischief=world.rng.choice((0.02, 0.06, 0.12)))
    await world.crawl()
    for _ in range(STEPS):
        await driver.step()
    await driver.calm()
    await driver.invariants.all_is_done()
    world.parser.failing.clear()
    await world.crawl()
    await driver.calm()
    await driver.invariants.all_is_done()
    await driver.invariants.search_returns_what_heads_list()
    await driver.invariants.answered(await world.answer("What is the value of one?"))
    await driver.invariants.citations_resolve()
    await driver.invariants.index_is_sound()
    await heads_show_the_site(driver, world.site)


async def heads_show_the_site(driver: Driver, site: SimSite) -> None:
    """Of pages that never moved, the head says what the site says now."""
    texts = await driver.invariants.texts()
    rules = driver.world.book.get(driver.world.ref).rules
    excluded = any(rule.exclude for rule in rules)
    moved = {page.redirect.url for page in site.pages.values() if page.redirect}
    for url, page in site.pages.items():
        ordinary = page.redirect is None and not page.poison and url not in moved
        if not ordinary or url in site.ever_moved or (excluded and "/deep" in url):
            continue
        if url.startswith(tuple(f"{host}/private" for host in HOSTS)):
            continue
        shown = texts.get(url)
        if page.text is None:
            assert shown is None, f"{url} is gone, but its head says {shown!r}"
        else:
            assert shown is not None, f"{url} has no open head"
            assert f"is {page.text} and it" in shown, f"{url} shows {shown!r}"
