"""History and diff, on what the handlers recorded."""

import pytest

from scops.change_detector.handlers.queries import answer_diff, answer_history
from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.messages.change import DiffKind, DiffRequest, HistoryRequest
from tests.fakes.worlds.change import PAGE, ChangeWorld, at

OLD = "# Fees\nThe fee is 5 euros.\nPay at the desk."
NEW = "# Fees\nThe fee is 6 euros.\nPay at the desk."


async def test_history_is_newest_first_with_its_clocks(world: ChangeWorld) -> None:
    """A change is dated as an interval: after the last proof, at the next observation."""
    await world.see("one", OLD, 0)
    await world.unmodified("two", "one", 3)
    newest = await world.see("three", NEW, 10)

    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)

    new, old = history.versions
    assert new.version_id == newest.verdict.version_id
    assert (new.changed_after_time, new.order_key.observed_from) == (at(3), at(10))
    assert (old.last_verified_time, old.observed_to, new.observed_to) == (at(3), at(10), None)
    assert (old.title, old.chunk_count, history.closed) == ("Title", 1, False)
    assert new.summary == newest.verdict.summary
    assert new.manifest == newest.verdict.manifest


async def test_history_of_a_closed_page_says_why_and_since_when(world: ChangeWorld) -> None:
    """Its versions stay readable."""
    await world.see("one", OLD, 0)
    await world.gone("two", 5)
    await world.gone("three", 6)

    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)

    assert (history.closed, history.closed_reason) == (True, "not_found")
    assert history.closed_time == at(5)
    assert len(history.versions) == 1


async def test_history_is_limited(world: ChangeWorld) -> None:
    """The newest ones."""
    for minute in range(4):
        await world.see(minute, f"Edition {minute}", minute)

    history = await answer_history(HistoryRequest(page_id=PAGE, limit=2), world.ports)

    assert [v.order_key.observed_from for v in history.versions] == [at(3), at(2)]


async def test_history_goes_on_below_an_order_key(world: ChangeWorld) -> None:
    """Whoever looks far back reads a part at a time, and is told where it ends."""
    for minute in range(4):
        await world.see(minute, f"Edition {minute}", minute)

    newest = await answer_history(HistoryRequest(page_id=PAGE, limit=3), world.ports)
    before = newest.versions[-1].order_key
    rest = await answer_history(HistoryRequest(page_id=PAGE, limit=3, before=before), world.ports)

    assert [at(0)] == [v.order_key.observed_from for v in rest.versions]
    assert (True, False) == (newest.truncated, rest.truncated)


async def test_an_unknown_page_is_not_found(world: ChangeWorld) -> None:
    """Also for a diff."""
    with pytest.raises(NotFound):
        await answer_history(HistoryRequest(page_id=PAGE), world.ports)
    with pytest.raises(NotFound):
        await answer_diff(DiffRequest(page_id=PAGE), world.ports)


async def test_diff_takes_the_previous_and_the_latest_version(world: ChangeWorld) -> None:
    """By default, and by name; the summary is the stored one of this pair."""
    old = await world.see("one", OLD, 0)
    new = await world.see("two", NEW, 1)

    by_default = await answer_diff(DiffRequest(page_id=PAGE), world.ports)
    by_name = await answer_diff(
        DiffRequest(page_id=PAGE, from_version="previous", to_version="latest"), world.ports
    )

    assert by_default == by_name
    assert by_default.from_version_id == old.verdict.version_id
    assert by_default.to_version_id == new.verdict.version_id
    changes = [p.text for p in by_default.hunks[0].parts if p.kind is not DiffKind.EQUAL]
    assert (changes, by_default.summary) == (["5", "6"], new.verdict.summary)


async def test_diff_takes_ids_in_either_direction(world: ChangeWorld) -> None:
    """Backwards there is no stored summary."""
    old = (await world.see("one", OLD, 0)).verdict.version_id
    new = (await world.see("two", NEW, 1)).verdict.version_id

    back = await answer_diff(
        DiffRequest(page_id=PAGE, from_version=new, to_version=old), world.ports
    )

    changes = [p.text for p in back.hunks[0].parts if p.kind is not DiffKind.EQUAL]
    assert (changes, back.summary) == (["6", "5"], None)


async def test_a_version_does_not_differ_from_itself(world: ChangeWorld) -> None:
    """No hunks, nothing truncated."""
    only = (await world.see("one", OLD, 0)).verdict.version_id

    same = await answer_diff(
        DiffRequest(page_id=PAGE, from_version=only, to_version="latest"), world.ports
    )

    assert (same.hunks, same.truncated) == ((), False)


async def test_previous_skips_revisions_of_the_same_stay(world: ChangeWorld) -> None:
    """A re-extraction is not what a reader calls the previous version."""
    first = await world.see("one", OLD, 0)
    await world.see("two", NEW, 1)
    await world.see("two", NEW + "\nMore.", 1, pipeline="p2")

    answer = await answer_diff(DiffRequest(page_id=PAGE), world.ports)

    assert answer.from_version_id == first.verdict.version_id


async def test_the_first_version_has_no_previous_one(world: ChangeWorld) -> None:
    """The error says so."""
    await world.see("one", OLD, 0)

    with pytest.raises(NotFound) as refused:
        await answer_diff(DiffRequest(page_id=PAGE), world.ports)

    assert refused.value.reason == "NO_PREVIOUS_VERSION"


@pytest.mark.parametrize(
    "wrong",
    [
        DiffRequest(page_id=PAGE, from_version="previous", to_version="previous"),
        DiffRequest(page_id=PAGE, character_limit=-1),
        DiffRequest(page_id=PAGE, to_version="no-such-version"),
    ],
)
async def test_a_wrong_question_is_the_callers_error(
    world: ChangeWorld, wrong: DiffRequest
) -> None:
    """Never a stack trace."""
    await world.see("one", OLD, 0)
    await world.see("two", NEW, 1)

    with pytest.raises(InvalidInput):
        await answer_diff(wrong, world.ports)


async def test_a_long_diff_is_truncated(world: ChangeWorld) -> None:
    """At the limit that the caller set."""
    await world.see("one", OLD, 0)
    await world.see("two", "Something else altogether. " * 20, 1)

    answer = await answer_diff(DiffRequest(page_id=PAGE, character_limit=50), world.ports)

    assert answer.truncated
    assert sum(len(p.text) for hunk in answer.hunks for p in hunk.parts) == 50
