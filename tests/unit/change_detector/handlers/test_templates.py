"""What hosts repeat: learned from many pages, left out of chunks, never of texts."""

from typing import Any

import pytest

from scops.change_detector.handlers.rechunking import answer_rechunk, rechunk_asked
from scops.change_detector.handlers.templates import answer_templates, learn_templates
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import (
    Manifest,
    RechunkRequest,
    TemplatesRequest,
    VersionAdded,
    VersionUnchanged,
)
from scops.common.contract.messages.types import (
    ChangeClass,
    ScopeRef,
)
from tests.fakes.worlds.change import ChangeWorld, scope_of

MENU = ["Home and news", "All our products", "Write to the office", "Who we are"]
FOOTER = (
    "The office is open on weekdays and closed on all public holidays, and we use cookies so that "
    "whoever comes back can stay signed in here."
)
PAGES = 14
NEWEST = PAGES + 1


def page(number: int) -> PageId:
    """Returns the id of a page; ids rise with the numbers."""
    return PageId(f"00000000-0000-7000-8000-{number:012d}")


def url(number: int) -> str:
    """Returns the address of a page, all of one host."""
    return f"https://example.org/{number}"


def text_of(number: int, *, menu: list[str] | None = None, fact: str = "") -> str:
    """Returns a page: the host's menu, what only this page says, the host's footer."""
    own = [
        f"# Model {number}",
        f"Model {number} weighs {number + 3} kilos and was built by hand in workshop {number}.",
        fact or f"It is painted in colour {number} and sold with {number + 1} spare screws.",
        f"Its inventor number {number} wrote a long report about it in winter {number}.",
    ]
    return "\n".join([*(MENU if menu is None else menu), *own, FOOTER])


@pytest.fixture
def world(world: ChangeWorld) -> ChangeWorld:
    """A change-detector that knows a scope of example.org."""
    world.ports.scopes.apply(scope_of())
    return world


SCOPE = ScopeRef(scope_id=ScopeId("docs"), revision=1)


async def see(world: ChangeWorld, number: int, text: str, minutes: float) -> Any:
    """Shows a page."""
    name = f"{number}@{minutes}"
    return await world.see(name, text, minutes, page_id=page(number), url=url(number))


async def crawled(world: ChangeWorld) -> list[Any]:
    """Shows every page once, then learns."""
    verdicts = [await see(world, number, text_of(number), number) for number in range(1, NEWEST)]
    await learn_all(world)
    return verdicts


async def learn_all(world: ChangeWorld) -> None:
    """Learns until nothing is left to learn from."""
    while await learn_templates(world.ports):
        pass


def chunked(manifest: Manifest, text: str) -> str:
    """Returns all words that the chunks hold."""
    return words(" ".join(text[chunk.start : chunk.end] for chunk in manifest.chunks))


def words(text: str) -> str:
    """Returns a text in one line: chunks may end inside of a long block."""
    return " ".join(text.split())


async def test_a_new_page_is_chunked_without_what_its_host_repeats(world: ChangeWorld) -> None:
    """Menu and footer are left out; the text of the version holds them all the same."""
    await crawled(world)
    text = text_of(NEWEST)
    manifest = await world.manifest(await see(world, NEWEST, text, 100))

    assert words(text_of(NEWEST, menu=[]).removesuffix("\n" + FOOTER)) == chunked(manifest, text)
    assert text == (await world.archive.get(manifest.text)).decode()
    assert [*MENU, FOOTER] == [text[span.start : span.end] for span in manifest.left_out]
    assert 1 == manifest.template_epoch


async def test_one_page_goes_on_showing_what_the_host_repeats(world: ChangeWorld) -> None:
    """Every sentence stays findable: the page known for longest keeps the blocks."""
    await crawled(world)
    text = text_of(1, fact="It was recalled in May.")
    keeper = await world.manifest(await see(world, 1, text, 100))

    assert words(text) == chunked(keeper, text)
    assert () == keeper.left_out


async def test_a_new_mask_alone_touches_no_page(world: ChangeWorld) -> None:
    """The same text again is unchanged, under whatever epoch; asked for, it is a revision."""
    first = (await crawled(world))[4]
    again = await see(world, 5, text_of(5), 100)
    counted = await answer_rechunk(RechunkRequest(scope=SCOPE), world.ports)
    published: list[Any] = []

    async def publish(verdict: Any, _: object) -> None:
        published.append(verdict)

    await rechunk_asked(world.ports, publish)
    (anew,) = [v for v in published if v.verdict.page_id == page(5)]
    left = await answer_rechunk(RechunkRequest(scope=SCOPE, dry_run=True), world.ports)

    assert isinstance(again, VersionUnchanged)
    assert first.verdict.manifest == again.verdict.manifest
    assert not again.verdict.pipeline_changed
    assert PAGES == counted.outdated
    assert isinstance(anew, VersionUnchanged)
    assert anew.verdict.pipeline_changed
    assert (await world.manifest(anew)).left_out
    assert (await world.manifest(anew)).summary.change_class is ChangeClass.NONE
    assert 0 == left.outdated


async def test_a_menu_that_changes_is_no_news_of_the_pages(world: ChangeWorld) -> None:
    """After some pages have shown the new counter, the rest has changed only in format."""
    counter = "Visitors until now: 1000 guests on all pages"
    for number in range(1, NEWEST):
        await see(world, number, text_of(number, menu=[*MENU, counter]), number)
    await learn_all(world)
    changed = [*MENU, counter.replace("1000", "2000")]
    for number in range(1, 7):
        await see(world, number, text_of(number, menu=changed), 100 + number)
    await learn_all(world)
    late = await see(world, 9, text_of(9, menu=changed), 200)

    assert isinstance(late, VersionAdded)
    assert late.verdict.summary is not None
    assert ChangeClass.FORMAT is late.verdict.summary.change_class
    assert ("template",) == late.verdict.summary.reasons
    assert not late.verdict.summary.semantic
    assert 0 == late.verdict.summary.added + late.verdict.summary.edited


async def test_a_real_change_keeps_every_other_chunk_under_a_new_mask(world: ChangeWorld) -> None:
    """The predecessor is chunked under the same mask in memory; the menu is no change."""
    await crawled(world)
    changed = await see(world, 5, text_of(5, fact="It is no longer sold in 12 countries."), 100)
    summary = changed.verdict.summary

    assert summary is not None
    assert summary.semantic
    assert (1, 1) == (summary.added + summary.edited, summary.removed + summary.edited)
    assert (await world.manifest(changed)).left_out


async def test_a_short_fact_that_many_pages_state_is_kept(world: ChangeWorld) -> None:
    """A lone line of few words may be what somebody asks for, wherever it stands."""
    for number in range(1, NEWEST):
        await see(world, number, "Withdrawn\n" + text_of(number, menu=[]), number)
    await learn_all(world)
    text = "Withdrawn\n" + text_of(NEWEST, menu=[])
    manifest = await world.manifest(await see(world, NEWEST, text, 100))

    assert "Withdrawn" in chunked(manifest, text)


async def test_a_page_that_shows_little_else_is_chunked_whole(world: ChangeWorld) -> None:
    """Nothing is left out where too little would be left."""
    await crawled(world)
    text = "\n".join([*MENU, "Sold out.", FOOTER])
    manifest = await world.manifest(await see(world, NEWEST, text, 100))

    assert words(text) == chunked(manifest, text)


async def test_a_heading_stays_with_what_it_heads(world: ChangeWorld) -> None:
    """However many pages have the heading, it goes only where its section goes."""
    for number in range(1, NEWEST):
        await see(world, number, text_of(number, menu=[*MENU, "# Details"]), number)
    await learn_all(world)
    text = text_of(NEWEST, menu=[*MENU, "# Details"])
    manifest = await world.manifest(await see(world, NEWEST, text, 100))

    assert chunked(manifest, text).startswith("# Details")


async def test_what_few_pages_show_is_no_template(world: ChangeWorld) -> None:
    """Nine pages teach nothing, whatever they share."""
    for number in range(1, 10):
        await see(world, number, text_of(number), number)
    await learn_all(world)
    manifest = await world.manifest(await see(world, NEWEST, text_of(NEWEST), 100))

    assert (0, ()) == (manifest.template_epoch, manifest.left_out)


async def test_what_is_left_out_can_be_inspected(world: ChangeWorld) -> None:
    """By host with counts and the page that keeps it, and by page."""
    await crawled(world)
    await see(world, NEWEST, text_of(NEWEST), 100)
    of_scope = await answer_templates(TemplatesRequest(scope=SCOPE), world.ports)
    of_page = await answer_templates(TemplatesRequest(page_id=page(NEWEST)), world.ports)
    (host,) = of_scope.hosts

    assert ("example.org", 1, PAGES) == (host.host, host.epoch, host.pages)
    assert {*MENU, FOOTER} == {block.text for block in host.blocks}
    assert {(PAGES, url(1))} == {(block.pages, block.keeper_url) for block in host.blocks}
    assert [*MENU, FOOTER] == [part.text for part in of_page.left_out]
    with pytest.raises(InvalidInput):
        await answer_templates(TemplatesRequest(), world.ports)


async def test_learning_again_changes_nothing(world: ChangeWorld) -> None:
    """Counts come from what pages show, so that nothing is counted twice."""
    await crawled(world)
    before = await answer_templates(TemplatesRequest(scope=SCOPE), world.ports)
    for number in range(1, NEWEST):
        await see(world, number, text_of(number), 100 + number)
    await learn_all(world)

    assert before == await answer_templates(TemplatesRequest(scope=SCOPE), world.ports)
