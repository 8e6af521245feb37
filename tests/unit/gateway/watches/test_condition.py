"""Which changes of a page a watch tells of."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import PageChange, PageNews, TextEdit
from scops.common.contract.messages.types import ChangeClass
from scops.gateway.watches.condition import check_condition, counted
from scops.gateway.watches.watch import News, WatchCondition

FEE = TextEdit(
    change_class=ChangeClass.CRITICAL,
    reasons=("number",),
    salience=0.9,
    from_text="The FEE is 5 euros.",
    to_text="The FEE is 6 euros.",
)
DESK = TextEdit(
    change_class=ChangeClass.LEXICAL, salience=0.2, from_text="At the desk.", to_text="Online."
)
CHANGE = PageChange(
    page_id=PageId("p-1"),
    canonical_url="https://docs.example.org/fees",
    title="Fees",
    news=PageNews.CHANGED,
    observed_time=datetime(2026, 3, 1, tzinfo=UTC),
    edits=(FEE, DESK),
)
ALL, NONE = (FEE, DESK), None


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (WatchCondition(), ALL),
        (WatchCondition(salience_min=0.5), (FEE,)),
        (WatchCondition(salience_min=0.95), NONE),
        (WatchCondition(words=("fee",)), (FEE,)),
        (WatchCondition(words=("ONLINE", "nothing")), (DESK,)),
        (WatchCondition(words=("nothing",)), NONE),
        (WatchCondition(change_classes=(ChangeClass.LEXICAL,)), (DESK,)),
        (WatchCondition(change_classes=(ChangeClass.FORMAT,)), NONE),
        # Of one edit, not of one and another.
        (WatchCondition(words=("online",), salience_min=0.5), NONE),
        (WatchCondition(news=frozenset({News.GONE})), NONE),
    ],
)
def test_edits_that_count_are_told(
    condition: WatchCondition, told: tuple[TextEdit, ...] | None
) -> None:
    """All that the condition names holds of each; without one nothing is told."""
    alert = counted(condition, CHANGE)

    assert told == (None if alert is None else alert.edits)


@pytest.mark.parametrize(
    ("news", "words", "is_told"),
    [
        (PageNews.ADDED, (), True),
        (PageNews.CLOSED, ("fees",), True),
        (PageNews.ADDED, ("DOCS.example",), True),
        (PageNews.CLOSED, ("price",), False),
        (PageNews.UNSPECIFIED, (), False),
    ],
)
def test_a_page_that_came_or_went_counts_by_its_title_and_address(
    news: PageNews, words: tuple[str, ...], is_told: bool
) -> None:
    """It has no edits."""
    alert = counted(WatchCondition(words=words), replace(CHANGE, news=news, edits=()))

    assert is_told == (alert is not None)


def test_a_change_whose_texts_are_not_kept_counts_where_nothing_is_asked_of_them() -> None:
    """Nobody knows its edits."""
    unknown = replace(CHANGE, edits=())

    assert counted(WatchCondition(), unknown) is not None
    assert counted(WatchCondition(words=("fee",)), unknown) is None


def test_errors_are_told_where_they_are_asked_for() -> None:
    """Not by the way."""
    assert not WatchCondition().wants(News.ERROR)
    assert WatchCondition(news=frozenset({News.ERROR})).wants(News.ERROR)


@pytest.mark.parametrize(
    ("condition", "field"),
    [
        (WatchCondition(salience_min=1.1), "salience_min"),
        (WatchCondition(salience_min=float("nan")), "salience_min"),
        (WatchCondition(words=("",)), "words"),
        (WatchCondition(words=("x" * 101,)), "words"),
        (WatchCondition(words=("x",) * 51), "words"),
        (WatchCondition(counted_reasons=(" ",)), "counted_reasons"),
    ],
)
def test_a_condition_that_cannot_be_is_refused(condition: WatchCondition, field: str) -> None:
    """Naming its field."""
    with pytest.raises(InvalidInput) as caught:
        check_condition(condition)

    assert f"watch.condition.{field}" == caught.value.metadata["field"]
