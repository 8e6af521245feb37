"""Pages whose blocks change without end: what is told of them, when, and what a person may say."""

import random
from collections import Counter
from datetime import timedelta

import pytest

from scops.change_detector.handlers.news import answer_news
from scops.change_detector.handlers.volatile import answer_volatile, settle
from scops.change_detector.handlers.what_changed import answer_what_changed
from scops.change_detector.strategies.port import VOLATILE
from scops.change_detector.timeline.records import PageAddress
from scops.change_detector.volatile.memory import CALM_LOOKS_MIN
from scops.common.contract.errors import NotFound
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.change import (
    ChangeRule,
    ChangeSettled,
    MemoryKind,
    NewsPlace,
    NewsRequest,
    VolatileBlock,
    VolatileRequest,
    WhatChangedRequest,
)
from scops.common.contract.messages.types import ChangeClass, ScopeRef
from tests.fakes.clock import ManualClock
from tests.fakes.worlds.change import PAGE, START, ChangeWorld, at, scope_of

SCOPE = ScopeRef(scope_id=ScopeId("docs"), revision=1)
FRAME = "# Fees\nPay at the desk.\n{}\nThe desk is open all day.\nAsk for a receipt."
ONE, TWO, OTHER = "The fee is 5 euros.", "The fee is 6 euros.", "Entry is free."
SEEDS = range(12)
# More than twice the longest stay of what flaps.
LAST_LOOKS = 12
# There and back.
FLIPS_TOLD = 2


class Reader:
    """Reads the news of a scope, and knows what it was told of the fee."""

    def __init__(self, world: ChangeWorld) -> None:
        self.world = world
        self.place = NewsPlace(recorded_time=START - timedelta(days=1))
        self.looks = 0
        self.settled: list[ChangeSettled] = []
        world.ports.scopes.apply(scope_of())

    async def see(self, line: str, *, rest: str = "") -> list[tuple[str, str]]:
        """Looks at the page once more, a minute later, and returns the edits that are news."""
        self.looks += 1
        text = FRAME.format(line) + rest
        await self.world.see(self.looks, text, self.looks)
        await settle(self.world.ports, self._hear)
        return await self.news()

    async def _hear(self, change: ChangeSettled, address: PageAddress) -> None:
        assert PAGE == change.page_id == address.page_id
        self.settled.append(change)

    async def news(self) -> list[tuple[str, str]]:
        """Returns the edits that were told since it asked last."""
        clock = self.world.ports.clock
        assert isinstance(clock, ManualClock)
        clock.advance(60)
        found = await answer_news(NewsRequest(scope=SCOPE, after=self.place), self.world.ports)
        self.place = found.next
        return [(edit.from_text, edit.to_text) for one in found.changes for edit in one.edits]


async def blocks_of(world: ChangeWorld, **asked: object) -> tuple[VolatileBlock, ...]:
    """Returns the volatile blocks of the page, after what is asked for."""
    request = VolatileRequest(page_id=PAGE, **asked)  # type: ignore[arg-type]
    return (await answer_volatile(request, world.ports)).blocks


async def test_flapping_is_no_news_after_its_second_turn(world: ChangeWorld) -> None:
    """There, back, and nothing more; the version says why."""
    reader = Reader(world)
    told = [await reader.see(line) for line in (ONE, TWO, ONE, TWO, ONE, TWO)]
    summary = world.published[-1].verdict.summary

    assert [[], [(ONE, TWO)], [(TWO, ONE)], [], [], []] == told
    assert (ChangeClass.FORMAT, (VOLATILE,), False) == (
        summary.change_class,
        summary.reasons,
        summary.semantic,
    )


async def test_what_comes_to_stay_is_told_after_all(world: ChangeWorld) -> None:
    """Once it has stood longer than anything there did, and once."""
    reader = Reader(world)
    for line in (ONE, TWO, ONE):
        await reader.see(line)
    told = [await reader.see(TWO) for _ in range(2 * CALM_LOOKS_MIN)]
    since = await answer_what_changed(WhatChangedRequest(scope=SCOPE, since=at(3.5)), world.ports)

    assert [(ONE, TWO)] == [edit for edits in told for edit in edits]
    assert [] == [edit for edits in told[: CALM_LOOKS_MIN - 1] for edit in edits]
    assert [TWO] == [edit.to_text for one in since.changes for edit in one.edits]


async def test_what_comes_to_stay_counts_as_one_change_of_its_look(world: ChangeWorld) -> None:
    """Whoever estimates how often the page changes learns when, and since when it did not."""
    reader = Reader(world)
    for line in (ONE, TWO, ONE, *[TWO] * 2 * CALM_LOOKS_MIN):
        await reader.see(line)

    assert [ChangeSettled(page_id=PAGE, change_time=at(4), changed_after_time=at(3))] == (
        reader.settled
    )


async def test_what_settles_as_its_readers_know_it_is_no_change(world: ChangeWorld) -> None:
    """Neither is one in a block that a person made loud: that counted when it came."""
    reader = Reader(world)
    for line in (ONE, TWO, ONE, TWO, *[ONE] * 12):
        await reader.see(line)

    assert [] == reader.settled


async def test_blocks_tell_since_when_they_are_volatile(world: ChangeWorld) -> None:
    """The flip from which on nothing was told; what was calm in between begins anew."""
    reader = Reader(world)
    for line in (ONE, TWO, ONE, TWO):
        await reader.see(line)
    first = {block.text: block.volatile_time for block in await blocks_of(world)}
    for line in (*[TWO] * 2 * CALM_LOOKS_MIN, ONE):
        await reader.see(line)
    again = {block.text: block.volatile_time for block in await blocks_of(world)}

    assert {ONE: at(3), TWO: at(3)} == first
    assert {at(reader.looks)} == set(again.values())


async def test_what_is_taken_back_in_time_is_never_told(world: ChangeWorld) -> None:
    """A page that ends as its readers know it has no news, however long it flapped."""
    reader = Reader(world)
    for line in (ONE, TWO, ONE):
        await reader.see(line)
    told = [await reader.see(line) for line in (TWO, ONE, TWO, *[ONE] * 12)]

    assert [] == [edit for edits in told for edit in edits]


async def test_another_text_where_texts_alternate_is_news_at_once(world: ChangeWorld) -> None:
    """A fact that never stood there does not hide behind those that did."""
    reader = Reader(world)
    for line in (ONE, TWO, ONE, TWO):
        await reader.see(line)

    assert [(TWO, OTHER)] == await reader.see(OTHER)


async def test_a_change_elsewhere_is_news_beside_a_volatile_block(world: ChangeWorld) -> None:
    """And what is volatile comes to stay though the page goes on changing elsewhere."""
    reader = Reader(world)
    for line in (ONE, TWO, ONE, TWO):
        await reader.see(line)
    rooms = [f"\nRoom {letter} is new." for letter in "abcdefgh"]
    told = [await reader.see(TWO, rest="".join(rooms[: n + 1])) for n in range(8)]

    assert all(told)
    assert 1 == [edit for edits in told for edit in edits].count((ONE, TWO))


async def test_what_was_silent_stays_so_for_who_reads_late(world: ChangeWorld) -> None:
    """The news of years are read in a minute: of what flapped there is what came of it."""
    reader, late = Reader(world), Reader(world)
    for line in (ONE, TWO, ONE, TWO, ONE, *[TWO] * 12):
        await reader.see(line)

    assert [(ONE, TWO), (TWO, ONE), (ONE, TWO)] == await late.news()


async def test_who_asks_for_noise_hears_of_all(world: ChangeWorld) -> None:
    """Nothing is lost: silent changes are listed like any other noise."""
    reader = Reader(world)
    for line in (ONE, TWO, ONE, TWO):
        await reader.see(line)
    rule = ChangeRule(with_noise=True)
    asked = WhatChangedRequest(scope=SCOPE, since=at(3.5), rule=rule)
    found = await answer_what_changed(asked, world.ports)
    silent = await answer_what_changed(replace_rule(asked), world.ports)

    assert [(VOLATILE,)] == [edit.reasons for one in found.changes for edit in one.edits]
    assert ((), 1) == (silent.changes, silent.suppressed)


def replace_rule(asked: WhatChangedRequest) -> WhatChangedRequest:
    """Returns the question without a rule."""
    return WhatChangedRequest(scope=asked.scope, since=asked.since)


async def test_volatile_blocks_are_listed_with_what_they_say(world: ChangeWorld) -> None:
    """Each text that takes its turn, how often, and how long until it counts again."""
    reader = Reader(world)
    listed = []
    for line in (ONE, TWO, ONE, TWO):
        await reader.see(line)
        listed.append([block.text for block in await blocks_of(world)])
    blocks = await blocks_of(world)

    assert [[], [], [ONE]] == listed[:-1]
    assert {ONE, TWO} == set(listed[-1])
    assert {(MemoryKind.TEXT, 3, CALM_LOOKS_MIN - 1)} == {
        (block.kind, block.flips, block.looks_left) for block in blocks
    }
    assert [TWO] == [block.text for block in blocks if block.untold]


async def test_a_counter_is_listed_by_what_it_says_now(world: ChangeWorld) -> None:
    """Known by what stays of it."""
    reader = Reader(world)
    for count in (3, 8, 14, 21):
        await reader.see(f"There are {count} people here.")
    (block,) = await blocks_of(world)

    assert (MemoryKind.NUMBERS, "There are 21 people here.") == (block.kind, block.text)
    assert [] == await reader.see("There are 30 people here.")


async def test_a_person_has_a_block_be_news_and_takes_it_back(world: ChangeWorld) -> None:
    """Whatever its history, until it is judged by it again."""
    reader = Reader(world)
    for line in (ONE, TWO, ONE, TWO):
        await reader.see(line)
    name = next(block.block for block in await blocks_of(world) if block.text == TWO)
    watched = await blocks_of(world, block=name, loud=True)
    loud = await reader.see(ONE)
    await blocks_of(world, block=name)
    quiet = await reader.see(TWO)

    assert [name] == [block.block for block in watched if block.loud]
    assert (TWO, ONE) in loud
    assert [] == quiet


async def test_a_block_that_a_page_does_not_have_cannot_be_made_loud(world: ChangeWorld) -> None:
    """Nor one of a page that nothing is known of."""
    with pytest.raises(NotFound):
        await blocks_of(world, block="00ff", loud=True)


@pytest.mark.parametrize("seed", SEEDS)
async def test_flapping_pages_tell_nothing_twice_and_lose_nothing(
    world: ChangeWorld, seed: int
) -> None:
    """A reader who hears of every turn but the silent ones knows how the page stands in the end.

    Pages flap between some texts with stays of a few looks, change for good elsewhere in between,
    and end with a text that stays.
    """
    chance = random.Random(seed)
    reader = Reader(world)
    variants = [f"The fee is {n} euros." for n in chance.sample(range(100), chance.randint(2, 3))]
    fees = {*variants, OTHER}
    turns: list[str] = []
    for _ in range(chance.randint(4, 14)):
        turns.append(chance.choice([one for one in variants if [one] != turns[-1:]]))
    turns.append(chance.choice(sorted(fees - {turns[-1]})))
    rest, known, told_again = "", turns[0], 0
    flips: Counter[str] = Counter()
    for number, line in enumerate(turns):
        is_last = number == len(turns) - 1
        before = turns[number - 1] if number else line
        for look in range(LAST_LOOKS if is_last else chance.randint(1, CALM_LOOKS_MIN - 1)):
            if chance.random() < 0.1:
                rest += f"\nRoom {'abcdefghijklmnopqrstuvwxyz'[rest.count('Room')]} is new."
            told = [new for old, new in await reader.see(line, rest=rest) if {old, new} & fees]
            known = told[-1] if told else known
            has_flapped = min(flips[before], flips[line]) >= FLIPS_TOLD
            told_again += bool(told) and has_flapped and not (is_last and look)
        flips.update({before, line} if number else ())

    assert 0 == told_again, seed
    assert turns[-1] == known, seed
