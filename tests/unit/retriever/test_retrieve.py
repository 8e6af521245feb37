"""`Retrieve` on real rows, store and archive: what leaves, in what order, what is said of it."""

from datetime import timedelta

import pytest

from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.messages.retrieval import RetrieveResponse, Weights
from scops.libraries.index.ports import StoreHit, StoreQuery
from scops.retriever.candidates import search
from scops.retriever.shape import passages
from tests.fakes.clock import START
from tests.fakes.worlds.indexed_pages import page_of
from tests.fakes.worlds.retriever import Retrieving, url_of

DAY = timedelta(days=1)


async def test_best_passage_comes_first_with_its_offsets(world: Retrieving) -> None:
    """Evidence names the version, and its offsets are those of the text."""
    page = await world.show("a", "Owls eat mice at night.", "Trains leave at noon.")
    response = await world.ask("when do trains leave")

    first = response.evidence[0]
    assert "Trains leave at noon." == first.text == page.text[first.start : first.end]
    manifest = world.pages.manifests(page.url)[0]
    assert (manifest.version_id, manifest.text.digest) == (first.version_id, first.text_digest)
    assert not first.superseded


async def test_score_is_the_sum_of_the_parts_returned(world: Retrieving) -> None:
    """What is shown adds up."""
    await world.show("a", "Owls eat mice.", "Trains leave at noon.")
    response = await world.ask("owls")

    for passage in response.evidence:
        assert passage.score == pytest.approx(sum(part.weighted for part in passage.parts))


class _ReversedStore:
    """A store with another order of its hits."""

    def __init__(self, world: Retrieving) -> None:
        self._world = world

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        return (await self._world.pages.store.search(query))[::-1]


async def test_equal_scores_are_ordered_by_chunk(world: Retrieving) -> None:
    """Pages with the same words rank in a fixed order, whatever the store's is."""
    for path, mark in (("a", "+"), ("b", "<"), ("c", ">")):
        page = page_of(url_of(path), f"Owls eat mice {mark}", title="same")
        await world.pages.show(page, at=START)
    response = await world.with_ports(store=_ReversedStore(world)).ask("owls eat mice")

    chunks = [passage.chunk_id for passage in response.evidence]
    assert 3 == len(chunks)
    assert sorted(chunks) == chunks


async def test_text_repeated_on_a_page_is_one_passage(world: Retrieving) -> None:
    """Equal chunks are told once, with how often they stand there besides."""
    await world.show("a", "Ask the help desk.", "Ask the help desk.")
    response = await world.ask("help desk")

    assert [1] == [passage.near_duplicates for passage in response.evidence]


async def test_freshness_prefers_the_younger_text_when_asked(world: Retrieving) -> None:
    """delta > 0 weighs by age; by default age does not count."""
    await world.pages.show(page_of(url_of("old"), "Fees rise.", title="x"), at=START)
    await world.pages.show(page_of(url_of("new"), "Fees rise +", title="x"), at=START + 90 * DAY)
    world.clock.advance(90 * 86_400)
    response = await world.ask("fees", weights=Weights(delta=0.2))

    assert [url_of("new"), url_of("old")] == [p.canonical_url for p in response.evidence]
    fresh = [part.raw for p in response.evidence for part in p.parts if part.name == "fresh"]
    assert 1.0 == fresh[0] > fresh[1] > 0.5


async def _shortfall(world: Retrieving, **options: object) -> tuple[int, str]:
    response: RetrieveResponse = await world.ask("fee", **options)
    return len(response.evidence), response.shortfall_reason


async def test_full_reply_has_no_shortfall(world: Retrieving) -> None:
    """Nothing is missing when as many came as were asked."""
    await world.show("a", "The fee is 10 euros.", "Owls.")

    assert (1, "") == await _shortfall(world, limit=1)


async def test_fewer_passages_than_asked_are_explained(world: Retrieving) -> None:
    """The scope simply holds no more."""
    await world.show("a", "The fee is 10 euros.", "Owls.")

    assert (2, "Only 2 of 3 passages: these scopes hold no more.") == await _shortfall(
        world, limit=3
    )


async def test_shortfall_comes_in_codes_too(world: Retrieving) -> None:
    """With what its sentence names, so that it can be said in another language."""
    await world.show("a", "The fee is 10 euros.", "Owls.")
    (told,) = (await world.ask("fee", limit=3)).shortfall

    assert "no_more" == told.code
    assert {"returned": "2", "limit": "3"} == {one.name: one.value for one in told.arguments}
    assert () == (await world.ask("fee", limit=1)).shortfall


async def test_empty_index_says_what_to_do(world: Retrieving) -> None:
    """Nothing crawled yet is told apart from nothing at that time."""
    count, reason = await _shortfall(world, as_of_time=START)

    assert 0 == count
    assert "as of that instant; crawl them first" in reason


async def test_reply_stays_below_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit in one reply is left out, and said so."""
    monkeypatch.setattr(passages, "EVIDENCE_BYTES_MAX", 4096)
    world = await Retrieving.create()
    await world.show("a", *(f"The fee is {n} euros. " + "word " * 200 for n in range(5)))
    count, reason = await _shortfall(world, limit=5)

    assert 0 < count < 5
    assert "would not fit in one reply" in reason


@pytest.mark.parametrize(
    "query",
    [
        "🦉🦉",
        "谁在1990年领导俱乐部",
        "club " * 1500,
        "in the year 99999",
        '") OR *:* NEAR/2 -',
        "\x00club",
    ],
)
async def test_odd_question_gets_an_answer_from_its_scope(world: Retrieving, query: str) -> None:
    """No script, length or operator breaks a search or leads out of its scope."""
    await world.show("a", "Ann Ott led the club.")
    foreign = page_of("https://elsewhere.example.org/b", "Bea Orr led the club 🦉.")
    await world.pages.show(foreign, at=START)

    assert ["Ann Ott led the club."] == await world.texts(query)


class _AwayStore:
    """A store that does not answer."""

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        raise StoreUnavailable("The index did not answer.", reason="INDEX_UNAVAILABLE")


async def test_store_that_does_not_answer_is_an_error_not_an_empty_reply(
    world: Retrieving,
) -> None:
    """Nobody must take silence for absence."""
    await world.show("a", "The fee is 10 euros.")
    with pytest.raises(StoreUnavailable):
        await world.with_ports(store=_AwayStore()).ask("fee")


async def test_best_of_both_sides_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the hits of both sides together, as many are looked at as are asked of each."""
    monkeypatch.setattr(search, "CANDIDATES_MAX", 10)
    world = await Retrieving.create(candidates=10)
    for number in range(30):
        await world.show(f"blog/{number}", f"The owl of house {number} eats mice at night.")
    await world.show("code", "Error QX77 means that the owl has left.")
    response = await world.ask("what do owls eat QX77", limit=5)

    assert 10 == response.candidates
    assert "Error QX77 means that the owl has left." in [one.text for one in response.evidence]
