"""What a recrawl looks at, and what it takes for unchanged."""

from dataclasses import replace

from scops.common.contract.messages.crawl import PageFetched, PagesVerified
from scops.common.contract.messages.types import RuleKind, ScopeRule
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
CHILD = "https://a.test/child"
PICKED = "https://b.test/picked"


async def crawled(world: FetcherWorld, job_id: str) -> list[object]:
    """Crawls to the end and returns the events."""
    await world.crawl(job_id)
    return list(await world.run())


async def test_a_known_page_is_visited_though_nothing_links_to_it_any_more(
    world: FetcherWorld,
) -> None:
    """It may have changed or vanished all the same."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    world.source.serve(ROOT, page_answer("root"))
    world.source.serve(CHILD, page_answer("child"))
    world.links[ROOT] = (CHILD,)
    await crawled(world, "first")
    world.links[ROOT] = ()
    world.source.serve(ROOT, page_answer("root without links"))
    await crawled(world, "second")

    assert {ROOT: "indexed", CHILD: "unchanged"} == await world.outcomes("second")


async def test_a_known_page_outside_the_new_rules_is_left_out(world: FetcherWorld) -> None:
    """A recrawl keeps to the rules as they are now."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    world.source.serve(ROOT, page_answer("root"))
    world.source.serve(CHILD, page_answer("child"))
    world.links[ROOT] = (CHILD,)
    await crawled(world, "first")
    world.scopes.apply(scope("a.test", "!a.test/child", seeds=[ROOT], revision=2))
    await crawled(world, "second")

    assert {ROOT: "unchanged"} == await world.outcomes("second")


async def test_the_same_body_without_validators_counts_as_a_304(world: FetcherWorld) -> None:
    """Equal bytes of a confirmed fetch are confirmed, not extracted again."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    world.source.serve(ROOT, page_answer("root"))
    first = await crawled(world, "first")
    second = await crawled(world, "second")
    fetched = next(event for event in first if isinstance(event, PageFetched))
    (confirmed,) = next(event for event in second if isinstance(event, PagesVerified)).pages

    assert fetched.fetch_id == confirmed.confirmed_fetch_id
    assert not [event for event in second if isinstance(event, PageFetched)]
    assert {ROOT: "unchanged"} == await world.outcomes("second")


async def test_the_same_body_in_another_charset_is_a_new_observation(
    world: FetcherWorld,
) -> None:
    """The bytes are equal, the text need not be."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    world.source.serve(ROOT, page_answer("root"))
    await crawled(world, "first")
    world.source.serve(ROOT, replace(page_answer("root"), charset="latin-1"))
    second = await crawled(world, "second")

    assert [event for event in second if isinstance(event, PageFetched)]


async def test_a_hand_picked_page_is_fetched_without_being_a_seed(world: FetcherWorld) -> None:
    """Whoever picks a page wants it fetched."""
    picked = ScopeRule(kind=RuleKind.PAGE, pattern=PICKED)
    world.scopes.apply(replace(scope("a.test"), rules=(picked,)))
    world.source.serve(PICKED, page_answer("picked"))
    await crawled(world, "first")

    assert {PICKED: "indexed"} == await world.outcomes("first")
