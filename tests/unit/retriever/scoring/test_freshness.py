"""How fast the texts of a site age."""

import pytest

from scops.retriever.scoring.freshness import TextAge, half_lives

NEWS, MANUAL = "https://news.example.org/a", "https://manual.example.org/a"


def _half_life(url: str, age_days: float, *, replaced: bool, pages: int) -> float:
    texts = [TextAge(url, age_days, replaced)] * pages
    (found,) = half_lives(texts, usual_days=90).values()
    return found


def test_unknown_site_ages_as_usual() -> None:
    """A page seen for the first time today says nothing."""
    assert 90 == pytest.approx(_half_life(NEWS, 0, replaced=False, pages=3))


def test_site_whose_texts_are_young_and_replaced_ages_fast() -> None:
    """Forty pages replaced two days ago change every few days."""
    assert 20 > _half_life(NEWS, 2, replaced=True, pages=40)


def test_site_that_stood_for_long_ages_slowly() -> None:
    """First texts that stand for a year are no changes, but days without one."""
    assert 365 == _half_life(MANUAL, 400, replaced=False, pages=40)


def test_first_texts_seen_yesterday_are_no_sign_of_haste() -> None:
    """A young index must not look like a fast site."""
    assert 90 <= _half_life(MANUAL, 1, replaced=False, pages=40)


def test_sites_are_told_apart() -> None:
    """Each host has its own pace."""
    texts = [TextAge(NEWS, 1, replaced=True)] * 30 + [TextAge(MANUAL, 300, replaced=False)] * 30
    found = half_lives(texts, usual_days=90)

    assert found["news.example.org"] < 90 < found["manual.example.org"]
