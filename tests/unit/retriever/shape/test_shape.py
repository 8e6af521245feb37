"""Passages of chunks: copies, neighbours, bounds by page; pure, and through `Retrieve`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from scops.common.contract.errors import BlobMissing, InvalidInput
from scops.common.contract.ids import ChunkId, ObjectId, PageId, WordingId
from scops.common.contract.messages.change import ManifestChunk
from scops.common.contract.messages.types import BodyRef
from scops.libraries.index.ports import MirroredChunk, StoreHit
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.shape.near_duplicates import Fingerprint, same
from scops.retriever.shape.shaping import Bounds, ShapedPassages, shape_passages
from tests.fakes.worlds.retriever import HOST, Retrieving, listed_page, scope_of, url_of

BOUNDS = Bounds(limit=10, page_max=0, joined_characters_max=4000)
LONG = " ".join(f"word{'abcdefgh'[n % 8]}" for n in range(60))


def _chunk(
    *, page: str = "a", version: str = "", start: int, end: int, text: str = ""
) -> Candidate:
    chunk = ManifestChunk(chunk_id=ChunkId(f"{page}{start}"), start=start, end=end)
    hit = StoreHit(
        object_id=ObjectId(chunk.chunk_id),
        chunk_id=chunk.chunk_id,
        page_id=PageId(page),
        text=text or f"text {page} {start}",
        header="",
        similarity=0.0,
        bm25=None,
    )
    listed = listed_page(chunk, page=page, version=version or page)
    return Candidate(hit, listed.version, listed)


def _spans(result: ShapedPassages) -> list[tuple[str, int, int]]:
    return [(one.best.hit.page_id, one.start, one.end) for one in result.passages]


def test_neighbours_that_both_rank_are_one_passage() -> None:
    """They are joined in reading order, at the place of the better one."""
    ranked = [
        _chunk(start=102, end=200),
        _chunk(page="b", start=0, end=50),
        _chunk(start=0, end=100),
    ]

    assert [("a", 0, 200), ("b", 0, 50)] == _spans(shape_passages(ranked, BOUNDS))


@pytest.mark.parametrize(
    "other",
    [
        _chunk(start=103, end=200),
        _chunk(page="b", start=100, end=200),
        _chunk(version="a2", start=100, end=200),
    ],
)
def test_what_does_not_touch_is_not_joined(other: Candidate) -> None:
    """Something lies between, or it is of another page or version."""
    assert 2 == len(_spans(shape_passages([_chunk(start=0, end=100), other], BOUNDS)))


def test_joined_passage_stays_within_its_bound() -> None:
    """A page of many neighbours does not become one passage."""
    ranked = [_chunk(start=100 * n, end=100 * n + 100) for n in range(4)]
    bounds = replace(BOUNDS, joined_characters_max=200)

    assert [("a", 0, 200), ("a", 200, 400)] == _spans(shape_passages(ranked, bounds))


def test_joining_makes_room_for_another_passage() -> None:
    """The limit counts passages, not chunks."""
    ranked = [
        _chunk(start=0, end=100),
        _chunk(start=100, end=200),
        _chunk(page="b", start=0, end=9),
    ]

    assert [("a", 0, 200), ("b", 0, 9)] == _spans(shape_passages(ranked, replace(BOUNDS, limit=2)))


def test_page_gets_no_more_passages_than_its_bound() -> None:
    """What is left out is counted, and other pages move up."""
    ranked = [_chunk(start=1000 * n, end=1000 * n + 9) for n in range(3)]
    ranked.append(_chunk(page="b", start=0, end=9))
    result = shape_passages(ranked, replace(BOUNDS, page_max=2))

    assert [("a", 0, 9), ("a", 1000, 1009), ("b", 0, 9)] == _spans(result)
    assert {"page_full": 1} == result.left_out


def test_copies_below_the_limit_are_counted_too() -> None:
    """The number of others is of all that were ranked, not of the first few."""
    ranked = [_chunk(page=f"p{n}", start=0, end=9, text="The same.") for n in range(4)]
    result = shape_passages(ranked, replace(BOUNDS, limit=1))

    assert [3] == [passage.near_duplicates for passage in result.passages]


@pytest.mark.parametrize(
    ("other", "bits", "expected"),
    [
        (LONG, 0, True),
        (LONG.upper() + "!", 0, True),
        (LONG + " indeed", 3, True),
        (LONG + " indeed", 4, False),
        (LONG + " 12", 3, False),
        (LONG.replace("worda", "not", 1), 3, False),
        ("another short text", 0, False),
    ],
)
def test_copies_agree_in_words_or_nearly_and_never_differ_in_numbers(
    other: str, bits: int, expected: bool
) -> None:
    """A copy may have other commas or a word more; another number makes another statement."""
    one, changed = Fingerprint(LONG, 0xFF00), Fingerprint(other, 0xFF00 ^ ((1 << bits) - 1))

    assert expected is same(one, changed)


def test_texts_without_a_simhash_are_the_same_only_letter_by_letter() -> None:
    """Emoji alone have no words; two of them are not copies of each other."""
    assert not same(Fingerprint("🦉", 0), Fingerprint("🐁", 0))
    assert same(Fingerprint("🦉", 0), Fingerprint("🦉", 0))


async def test_joined_passage_is_the_versions_own_text(world: Retrieving) -> None:
    """The text between the offsets, word for word, with the chunks that it is made of."""
    page = await world.show("a", "The fee is 10 euros.", "The fee is due in May.", "Owls.")
    response = await world.ask("the fee", limit=2, as_chunks=False)

    first = response.evidence[0]
    assert "The fee is 10 euros.\n\nThe fee is due in May." in first.text
    assert first.text == page.text[first.start : first.end]
    manifest = world.pages.manifests(page.url)[0]
    chunks = tuple(one.chunk_id for one in manifest.chunks if one.end <= first.end)
    assert chunks == first.joined_chunk_ids
    assert first.chunk_id in first.joined_chunk_ids


class _NoTexts:
    """An archive that has lost its texts."""

    async def get(self, ref: BodyRef) -> str:
        raise BlobMissing("The archive lacks the text.")


async def test_lost_text_leaves_the_chunk_as_it_is(world: Retrieving) -> None:
    """What cannot be joined is shown by its best chunk."""
    await world.show("a", "The fee is 10 euros.", "The fee is due in May.")
    broken = world.with_ports(texts=_NoTexts())
    response = await broken.ask("the fee is 10 euros", as_chunks=False)

    assert ["The fee is 10 euros."] == [one.text for one in response.evidence]
    assert () == response.evidence[0].joined_chunk_ids


async def test_mirrors_are_one_passage_that_tells_how_many(world: Retrieving) -> None:
    """Only copies inside the scopes asked for are counted."""
    for path in ("guide/a", "mirror/a", "elsewhere/a"):
        await world.show(path, "The fee is 10 euros.")
    scopes = [scope_of(f"{HOST}/{name}", scope_id=name) for name in ("guide", "mirror")]
    for scope in scopes:
        world.book.apply(scope)
    response = await world.ask("fee", *scopes, as_chunks=False)

    assert [1] == [passage.near_duplicates for passage in response.evidence]
    assert "say the same" in response.shortfall_reason


async def test_page_bound_is_told_and_can_be_lifted(world: Retrieving) -> None:
    """Other passages of a full page are named in the reason; 0 asks for all of them."""
    texts = [f"The fee of class {n} is {n} euros." for n in range(9)]
    spaced = [text for pair in zip(texts, ["-"] * 9, strict=True) for text in pair]
    await world.show("a", *spaced)
    bounded = await world.ask("fee of class", limit=9, as_chunks=False, page_passages_max=2)
    free = await world.ask("fee of class", limit=9, as_chunks=True)

    assert 2 == len(bounded.evidence)
    assert "lie on pages that have 2 passages here already" in bounded.shortfall_reason
    assert 9 == len(free.evidence)


async def test_least_score_leaves_out_and_says_so(world: Retrieving) -> None:
    """Nothing is better than what scores too low, and nobody is left to wonder."""
    await world.show("a", "The fee is 10 euros.", "Owls are birds.")
    best = (await world.ask("the fee is 10 euros")).evidence[0].score
    some = await world.ask("the fee is 10 euros", min_score=best)
    none = await world.ask("the fee is 10 euros", min_score=best + 1)

    assert ["The fee is 10 euros."] == [one.text for one in some.evidence]
    assert () == none.evidence
    assert "2 were found and ranked, but score less than" in none.shortfall_reason


@pytest.mark.parametrize("options", [{"page_passages_max": -1}, {"min_score": float("nan")}])
async def test_bounds_that_mean_nothing_are_refused(
    world: Retrieving, options: dict[str, float]
) -> None:
    """A negative bound or a least score that is no number."""
    with pytest.raises(InvalidInput):
        await world.ask("fee", as_chunks=False, **options)


async def test_mirrors_are_named_and_only_of_the_scopes_asked(world: Retrieving) -> None:
    """The page that is shown is the best of those asked; what lies elsewhere stays untold."""
    for path in ("guide/a", "mirror/a", "mirror/b", "elsewhere/a"):
        await world.show(path, "The fee is 10 euros.")
    scopes = {
        name: scope_of(f"{HOST}/{name}", scope_id=name) for name in ("guide", "mirror", "elsewhere")
    }
    for scope in scopes.values():
        world.book.apply(scope)
    both = await world.ask("fee", scopes["guide"], scopes["mirror"])
    alone = await world.ask("fee", scopes["elsewhere"])

    (passage,) = both.evidence
    told = {passage.canonical_url, *(mirror.canonical_url for mirror in passage.mirrors)}
    assert {url_of("guide/a"), url_of("mirror/a"), url_of("mirror/b")} == told
    assert 2 == len(passage.mirrors)
    assert [url_of("elsewhere/a")] == [one.canonical_url for one in alone.evidence]
    assert [()] == [one.mirrors for one in alone.evidence]


async def test_what_says_the_same_in_another_access_context_is_told_apart(
    world: Retrieving,
) -> None:
    """Neither a mirror nor a near duplicate, though the scope asked holds both."""
    contexts = {"open/a": "public", "open/b": "public", "own/a": "credential-1"}
    for path, context in contexts.items():
        await world.show(path, "The fee is 10 euros.", access_context=context)
    scope = scope_of(HOST, access_contexts=["credential-1"])
    world.book.apply(replace(scope, revision=2))
    found = await world.ask("fee", replace(scope, revision=2), as_chunks=False)

    rows = sorted((one.access_context, one.near_duplicates) for one in found.evidence)
    mirrors = [one.access_context for passage in found.evidence for one in passage.mirrors]
    assert [("credential-1", 0), ("public", 1)] == rows
    assert ["public"] == mirrors


async def test_a_page_that_changed_or_went_is_no_mirror(world: Retrieving) -> None:
    """Mirrors are what heads list now; for an instant of the past none are named."""
    begin = world.clock.now()
    for path in ("a", "b", "c"):
        await world.show(path, "The fee is 10 euros.")
    world.clock.advance(60)
    await world.show("b", "Closed on Sundays.")
    await world.pages.close_page(url_of("c"), at=world.clock.now())
    now = (await world.ask("fee 10 euros")).evidence[0]
    past = await world.ask("fee 10 euros", as_of_time=begin)

    assert (url_of("a"), ()) == (now.canonical_url, now.mirrors)
    assert [(2, ())] == [(one.near_duplicates, one.mirrors) for one in past.evidence]


async def test_mirrors_do_not_crowd_out_what_else_there_is(world: Retrieving) -> None:
    """Seventy copies score best; the search goes on until there are enough different passages."""
    for number in range(70):
        await world.show(f"copy/{number:02}", "The fee is 10 euros.")
    await world.show("other", "The fee for children is lower on Sundays and in winter.")
    response = await world.ask("the fee is 10 euros", limit=2)

    assert [69, 0] == [one.near_duplicates for one in response.evidence]
    assert url_of("other") == response.evidence[1].canonical_url
    assert 10 == len(response.evidence[0].mirrors)


async def test_a_rule_removed_while_mirrors_are_read_lets_none_out(world: Retrieving) -> None:
    """Scopes are looked at after the wait."""
    for path in ("guide/a", "mirror/a"):
        await world.show(path, "The fee is 10 euros.")
    mirrors = _Narrowing(world)
    response = await world.with_ports(mirrors=mirrors).ask("fee", scope_of(HOST))

    assert [()] == [one.mirrors for one in response.evidence]


class _Narrowing:
    """Reads mirrors; meanwhile somebody takes the pages out of the scope."""

    def __init__(self, world: Retrieving) -> None:
        self._world = world

    async def wordings(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, WordingId]:
        return await self._world.pages.mirrors.wordings(chunk_ids)

    async def listed(
        self, wording_ids: Sequence[WordingId], *, limit: int
    ) -> Mapping[WordingId, Sequence[MirroredChunk]]:
        found = await self._world.pages.mirrors.listed(wording_ids, limit=limit)
        narrowed = scope_of(HOST, exclude=[f"{HOST}/mirror", f"{HOST}/guide"], revision=2)
        self._world.book.apply(narrowed)
        return found
