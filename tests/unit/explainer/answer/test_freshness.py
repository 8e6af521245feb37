"""How fresh an answer is."""

from datetime import timedelta

import pytest

from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.change import HistoryEntry
from scops.common.contract.messages.explanation import Citation
from scops.common.contract.messages.types import BodyRef, ChangeSummary, Clocks, OrderKey
from scops.explainer.answer import freshness
from scops.explainer.answer.freshness import change_rate, freshness_of
from tests.fakes.clock import START

DAY = timedelta(days=1)
PRIOR = 0.01


@pytest.fixture(autouse=True)
def _prior(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "CHANGE_RATE_PRIOR", PRIOR)


def _version(name: str, since: int, *, until: int, semantic: bool = True) -> HistoryEntry:
    return HistoryEntry(
        version_id=VersionId(name),
        order_key=OrderKey(observed_from=START + since * DAY),
        last_verified_time=START + until * DAY,
        changed_after_time=START + (since - 1) * DAY if since else None,
        summary=ChangeSummary(semantic=semantic),
        manifest=BodyRef(),
    )


def _citation(page: str, version: str, *, verified: int, superseded: bool = False) -> Citation:
    return Citation(
        page_id=PageId(page),
        version_id=VersionId(version),
        clocks=Clocks(observed_time=START, verified_time=START + verified * DAY),
        superseded=superseded,
    )


def test_rate_of_an_unknown_page_is_the_prior() -> None:
    """Nothing seen changes nothing."""
    assert pytest.approx(PRIOR) == change_rate([])


def test_rate_learns_from_the_history() -> None:
    """Changes of meaning raise it, quiet days lower it, changes of type do neither."""
    busy = [_version("c", 20, until=20), _version("b", 10, until=19), _version("a", 0, until=9)]
    typed = [_version("b", 10, until=20, semantic=False), _version("a", 0, until=9)]
    quiet = [_version("a", 0, until=400)]

    assert pytest.approx(2.5 / 70) == change_rate(busy)
    assert pytest.approx(0.5 / 70) == change_rate(typed)
    assert change_rate(quiet) < change_rate(typed)


def test_risk_grows_with_the_days_and_with_the_pages() -> None:
    """An answer holds only while all of its pages do."""
    fresh, old = _citation("p", "a", verified=30), _citation("q", "a", verified=0)
    now = START + 30 * DAY
    one = freshness_of([fresh], {}, now=now)
    two = freshness_of([fresh, old, old], {}, now=now)

    assert one is not None
    assert two is not None
    assert (0.0, 1) == (one.risk, len(one.pages))
    assert pytest.approx(0.2592, abs=1e-4) == two.risk
    assert "2 pages are cited, verified 2026" in two.statement
    assert "about 26%" in two.statement


def test_dated_change_is_an_interval() -> None:
    """The cited text appeared between the last sight of the old one and the first of the new."""
    history = {PageId("p"): [_version("b", 5, until=9), _version("a", 0, until=4)]}
    cited = _citation("p", "b", verified=9)
    found = freshness_of([cited], history, now=START + 9 * DAY)

    assert found is not None
    assert START + 4 * DAY == found.pages[0].changed_after_time
    assert "appeared between" in found.statement


def test_interval_within_a_minute_is_said_as_one_instant() -> None:
    """Minutes are what is shown."""
    history = {PageId("p"): [_version("b", 1, until=9), _version("a", 0, until=0)]}
    cited = _citation("p", "b", verified=9)
    found = freshness_of([cited], history, now=START + 9 * DAY)

    assert found is not None
    assert f"appeared on {START:%Y-%m-%d %H:%M}Z." in found.statement


def test_superseded_citation_is_known_to_have_changed() -> None:
    """There is no chance to estimate: the page says something else."""
    cited = _citation("p", "a", verified=0, superseded=True)
    found = freshness_of([cited], {}, now=START)

    assert found is not None
    assert 1.0 == found.risk
    assert found.statement.startswith("Cites what stood then")


def test_nothing_cited_is_not_fresh() -> None:
    """Without citations there is nothing to say."""
    assert freshness_of([], {}, now=START) is None
