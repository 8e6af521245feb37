"""What a verdict asks of the index, as a pure function of what the index knows."""

from dataclasses import replace
from functools import partial

from scops.common.contract.ids import VersionId
from scops.common.contract.messages.change import VersionRow
from scops.common.contract.messages.types import BodyRef, OrderKey
from scops.indexer.objects.interval import interval_of
from scops.indexer.objects.target import target_of, version_ids
from tests.fakes.verdicts import at, ended, head_of, verdict_of


def version(name: str, *, day: float, revision: int = 0) -> VersionRow:
    return VersionRow(
        version_id=VersionId(name),
        order_key=OrderKey(observed_from=at(day), revision=revision),
        manifest=BodyRef(digest=name),
        row_revision=1,
    )


head_at = partial(head_of, visible_time=at(1))


def test_first_version_moves_and_is_new() -> None:
    """Without a head, everything the verdict names is to be indexed."""
    first = version("v1", day=1)

    target = target_of(verdict_of(first, first, day=1), None, {})

    assert (True, first, (first,)) == (target.moves, target.current, target.unindexed)


def test_known_standing_version_asks_for_nothing() -> None:
    """An unchanged page reads no manifest."""
    first = version("v1", day=1)

    target = target_of(
        verdict_of(first, first, day=2), head_at(first), {first.version_id: interval_of(first)}
    )

    assert (False, None, ()) == (target.moves, target.current, target.unindexed)


def test_known_version_that_is_not_the_head_yet_is_read_again() -> None:
    """To list its chunks the head's manifest is needed, whatever is known of it."""
    first, second = version("v1", day=1), version("v2", day=2)
    known = {row.version_id: interval_of(row) for row in (first, second)}

    target = target_of(verdict_of(second, second, day=2), head_at(first), known)

    assert (second, ()) == (target.current, target.unindexed)


def test_verdict_without_its_own_row_gets_one() -> None:
    """The row that is made up gives way to any that the change-detector sends."""
    first = version("v1", day=1)

    target = target_of(verdict_of(first, day=2), None, {})

    assert (replace(first, row_revision=0),) == target.versions


def test_longer_stay_is_looked_at_again() -> None:
    """A stay that turns out longer may have a too narrow interval in the history."""
    first, second = version("v1", day=1), version("v2", day=9)
    standing = head_at(second)
    verdict = verdict_of(second, ended(first, 5), second, day=9)

    def unindexed(end: float | None) -> list[str]:
        former = replace(first, observed_to=None if end is None else at(end))
        known = {row.version_id: interval_of(row) for row in (former, second)}
        return [row.version_id for row in target_of(verdict, standing, known).unindexed]

    assert [["v1"], [], [], []] == [unindexed(end) for end in (4, 5, 6, None)]


def test_earlier_beginning_is_looked_at_again() -> None:
    """A late observation that proves a version to be older widens its interval."""
    first = version("v1", day=5)
    earlier = replace(first, first_observed_time=at(3))
    verdict = verdict_of(first, earlier, day=6)

    target = target_of(verdict, head_at(first), {first.version_id: interval_of(first)})

    assert (earlier,) == target.unindexed


def test_closed_page_lists_nothing() -> None:
    """A closing verdict moves the head and brings only rows."""
    first = version("v1", day=1)
    verdict = verdict_of(None, ended(first, 2), day=2)

    target = target_of(verdict, head_at(first), {first.version_id: interval_of(first)})

    assert (True, None, ()) == (target.moves, target.current, target.unindexed)
    assert (ended(first, 2),) == target.versions


def test_version_ids_name_each_version_once() -> None:
    """The rows come first, then the current version where they lack it."""
    first, second = version("v1", day=1), version("v2", day=2)

    assert ("v1", "v2") == version_ids(verdict_of(second, first, second, day=2))
    assert ("v1", "v2") == version_ids(verdict_of(second, first, day=2))
    assert () == version_ids(verdict_of(None, day=2))
