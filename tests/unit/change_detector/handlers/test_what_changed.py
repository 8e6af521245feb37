"""What changed on a scope: net of what returned, by weight, under the reader's rule."""

from dataclasses import replace

import pytest

from scops.change_detector.handlers.queries import answer_diff, answer_history
from scops.change_detector.handlers.what_changed import answer_what_changed
from scops.common.contract.errors import InvalidInput, NotYetKnown
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import (
    ChangeRule,
    DiffRequest,
    HistoryRequest,
    PageNews,
    WhatChangedRequest,
    WhatChangedResponse,
)
from scops.common.contract.messages.types import ChangeClass, ScopeRef
from tests.fakes.worlds.change import PAGE, ChangeWorld, at, scope_of

SCOPE = ScopeRef(scope_id=ScopeId("docs"), revision=1)
OTHER = PageId("00000000-0000-7000-8000-000000000002")
OLD = "# Fees\nThe fee is 5 euros.\nPay at the desk."
NEW = "# Fees\nThe fee is 6 euros.\nPay at the desk."
REWORDED = "# Fees\nThe fee is 5 euros.\nPay at this desk."


@pytest.fixture
def world(world: ChangeWorld) -> ChangeWorld:
    """A change-detector that knows a scope of example.org."""
    world.ports.scopes.apply(scope_of())
    return world


async def since(
    world: ChangeWorld, minutes: float, *, rule: ChangeRule | None = None, limit: int = 0
) -> WhatChangedResponse:
    """Asks what changed after an instant."""
    request = WhatChangedRequest(scope=SCOPE, since=at(minutes), rule=rule, limit=limit)
    return await answer_what_changed(request, world.ports)


async def test_a_change_is_told_with_both_spans(world: ChangeWorld) -> None:
    """The words stand at the spans in the versions that are named."""
    old = await world.see("one", OLD, 0)
    await world.unmodified("two", "one", 5)
    new = await world.see("three", NEW, 10)
    (change,) = (await since(world, 6)).changes
    (edit,) = change.edits

    assert change.news is PageNews.CHANGED
    assert change.from_version_id == old.verdict.version_id
    assert change.to_version_id == new.verdict.version_id
    assert (change.changed_after_time, change.observed_time) == (at(5), at(10))
    assert "public" == change.access_context
    assert OLD[edit.from_start : edit.from_end] == edit.from_text == "The fee is 5 euros."
    assert NEW[edit.to_start : edit.to_end] == edit.to_text == "The fee is 6 euros."
    assert (edit.change_class, edit.section_path) == (ChangeClass.CRITICAL, ("Fees",))
    assert set(edit.reasons) & {"number", "money"}


async def test_several_changes_of_a_page_are_one(world: ChangeWorld) -> None:
    """From the version that stood then to the newest."""
    await world.see("one", OLD, 0)
    await world.see("two", "# Fees\nNothing yet to be told here.", 10)
    await world.see("three", NEW, 20)
    (change,) = (await since(world, 5)).changes

    assert ["The fee is 6 euros."] == [edit.to_text for edit in change.edits]


async def test_a_page_that_shows_its_old_text_again_has_no_news(world: ChangeWorld) -> None:
    """However often it flapped in between."""
    for minute in range(6):
        await world.see(minute, OLD if minute % 2 == 0 else NEW, minute * 10)
    await world.see("last", OLD, 70)
    answer = await since(world, 5)

    assert ((), 1) == (answer.changes, answer.returned)


async def test_variants_that_take_turns_are_news_once(world: ChangeWorld) -> None:
    """Whoever asks after every change hears of each text, and that the first one is back."""
    told = []
    for minute in range(8):
        await world.see(minute, OLD if minute % 2 == 0 else NEW, minute * 10)
        told.append(len((await since(world, minute * 10 - 5)).changes))

    assert [1, 1, 1, 0, 0, 0, 0, 0] == told


async def test_what_does_not_count_is_counted_apart(world: ChangeWorld) -> None:
    """Rewording is noise by default, and shown when asked for."""
    await world.see("one", OLD, 0)
    await world.see("two", REWORDED, 10)
    by_default = await since(world, 5)
    with_noise = await since(world, 5, rule=ChangeRule(with_noise=True))

    assert ((), 1) == (by_default.changes, by_default.suppressed)
    assert ["Pay at this desk."] == [edit.to_text for edit in with_noise.changes[0].edits]


async def test_a_rule_names_the_reasons_that_count(world: ChangeWorld) -> None:
    """The same stored versions, read otherwise."""
    await world.see("one", OLD, 0)
    await world.see("two", NEW, 10)
    negations = await since(world, 5, rule=ChangeRule(counted_reasons=("negation",)))
    no_amounts = await since(world, 5, rule=ChangeRule(ignored_reasons=("money", "number")))

    assert (0, 1) == (len(negations.changes), negations.suppressed)
    assert (0, 1) == (len(no_amounts.changes), no_amounts.suppressed)


async def test_new_and_closed_pages_are_news(world: ChangeWorld) -> None:
    """A page that was not there before, and one that is gone."""
    await world.see("one", OLD, 0)
    await world.gone("two", 10)
    await world.see("three", NEW, 20, page_id=OTHER)
    answer = await since(world, 5)

    assert {(PAGE, PageNews.CLOSED), (OTHER, PageNews.ADDED)} == {
        (change.page_id, change.news) for change in answer.changes
    }


async def test_the_heaviest_change_comes_first(world: ChangeWorld) -> None:
    """By the salience of what counts."""
    text = "# Rules\nYou may enter.\nThe fee is 5 euros on the 3 March 2024."
    await world.see("one", text, 0)
    await world.see("two", text, 0, page_id=OTHER)
    await world.see("three", text.replace("may", "must"), 30)
    heavy = text.replace("5 euros", "7 euros").replace("3 March", "4 April")
    await world.see("four", heavy, 20, page_id=OTHER)
    answer = await since(world, 5)
    first = await since(world, 5, limit=1)

    assert [OTHER, PAGE] == [change.page_id for change in answer.changes]
    assert (1, True) == (len(first.changes), first.truncated)


async def test_new_pages_do_not_crowd_out_changed_ones(world: ChangeWorld) -> None:
    """A first crawl makes many pages new; what changed comes before them."""
    await world.see("one", OLD, 0)
    await world.see("two", NEW, 10)
    await world.see("three", NEW, 20, page_id=OTHER)
    answer = await since(world, 5, limit=1)

    assert [(PAGE, PageNews.CHANGED)] == [(page.page_id, page.news) for page in answer.changes]


async def test_pages_outside_of_the_scope_are_not_told(world: ChangeWorld) -> None:
    """The rules are matched against the page's canonical URL."""
    world.ports.scopes.apply(scope_of(pattern="example.com/", revision=2))
    await world.see("one", OLD, 0)
    await world.see("two", NEW, 10)

    assert () == (await since(world, 5)).changes


async def test_a_newer_revision_of_the_scope_is_waited_for(world: ChangeWorld) -> None:
    """Rules that have not arrived decide nothing."""
    later = WhatChangedRequest(scope=ScopeRef(scope_id=SCOPE.scope_id, revision=2), since=at(0))

    with pytest.raises(NotYetKnown):
        await answer_what_changed(later, world.ports)
    with pytest.raises(InvalidInput):
        await since(world, 0, limit=-1)


async def test_a_hunk_says_what_it_amounts_to(world: ChangeWorld) -> None:
    """Class and reasons beside the words."""
    await world.see("one", OLD, 0)
    await world.see("two", NEW, 1)
    (hunk,) = (await answer_diff(DiffRequest(page_id=PAGE), world.ports)).hunks

    assert hunk.change is not None
    assert (ChangeClass.CRITICAL, True) == (hunk.change.change_class, hunk.change.semantic)


async def test_a_scope_has_a_rule_of_its_own(world: ChangeWorld) -> None:
    """Stored with the scope, applied when reading; what is asked for replaces or lifts it."""
    scope = world.ports.scopes.get(SCOPE)
    world.ports.scopes.apply(replace(scope, revision=2, ignored_reasons=("number", "money")))
    await world.see("one", OLD, 0)
    await world.see("two", NEW, 10)
    by_scope = await since(world, 5)
    replaced = await since(world, 5, rule=ChangeRule(ignored_reasons=("date",)))
    lifted = await since(world, 5, rule=ChangeRule(with_noise=True))

    assert ((), 1) == (by_scope.changes, by_scope.suppressed)
    assert (1, 1) == (len(replaced.changes), len(lifted.changes))


async def test_a_history_says_what_counts_under_the_rule_of_a_scope(world: ChangeWorld) -> None:
    """The stored change is the same; whether it counts is the reader's."""
    scope = world.ports.scopes.get(SCOPE)
    world.ports.scopes.apply(replace(scope, revision=2, counted_reasons=("negation",)))
    await world.see("one", OLD, 0)
    await world.see("two", NEW, 10)
    await world.see("three", NEW.replace("Pay", "Do not pay"), 20)
    by_default = await answer_history(HistoryRequest(page_id=PAGE), world.ports)
    by_scope = await answer_history(HistoryRequest(page_id=PAGE, scope=SCOPE), world.ports)

    assert [True, True, False] == [entry.counts for entry in by_default.versions]
    assert [True, False, False] == [entry.counts for entry in by_scope.versions]
    assert [e.summary for e in by_default.versions] == [e.summary for e in by_scope.versions]
