"""Synthetic scopes: what is made, what is relevant, and the same for the same seed."""

import re
from collections import Counter
from datetime import date

import pytest

from scops.standalone.evaluation.synthetic import (
    FACTS,
    GROUPS_MAX,
    Grouping,
    SyntheticScopes,
    synthetic_scopes,
)


def made(by: Grouping = Grouping.TOPICS, *, seed: int = 7, groups: int = 6) -> SyntheticScopes:
    return synthetic_scopes(
        seed=seed, by=by, groups=groups, places=6, questions=80, prefix="synthetic"
    )


def heading(text: str) -> str:
    return text.splitlines()[0]


@pytest.mark.parametrize("by", Grouping)
def test_the_same_seed_makes_the_same_and_another_others(by: Grouping) -> None:
    """Pages and questions, word for word."""
    assert made(by) == made(by)
    assert [one.text for one in made(by).pages] != [one.text for one in made(by, seed=8).pages]


@pytest.mark.parametrize("by", Grouping)
def test_what_is_relevant_states_the_fact_that_is_asked(by: Grouping) -> None:
    """The page of the place at the most, notes less; most of it in the scope that is meant."""
    scopes = made(by)
    texts = {scopes.uri(page): page.text for page in scopes.pages}

    assert 80 == len(scopes.questions)
    for question in scopes.questions:
        pages = [one.page for one in question.expected]
        values = [re.findall(r"\d+ euros|[A-Z]\w+ [A-Z]\w+|\d{3,4}", texts[page]) for page in pages]
        inside = [page for page in pages if page.startswith(f"file://{question.scope}/")]
        assert set.intersection(*map(set, values)), question
        assert [2] == [one.gain for one in question.expected if one.gain > 1]
        assert 2 * len(inside) >= len(pages)
        assert len(pages) == len(set(pages))


@pytest.mark.parametrize("by", Grouping)
@pytest.mark.parametrize(("groups", "places"), [(8, 8), (GROUPS_MAX, 30), (GROUPS_MAX, 50)])
def test_a_name_is_once_in_a_scope(by: Grouping, groups: int, places: int) -> None:
    """With many places, too: in the scope that is meant it tells which one is."""
    for seed in range(4):
        scopes = synthetic_scopes(
            seed=seed, by=by, groups=groups, places=places, questions=1, prefix="synthetic"
        )
        named = [
            (page.group, match[1])
            for page in scopes.pages
            if (match := re.match(r"# The (\w+) ", heading(page.text)))
        ]

        assert groups * places == len(named)
        assert len(named) == len(set(named)), (by, seed)


def test_a_name_alone_does_not_tell_the_scope() -> None:
    """Namesakes in other scopes say other things of what is asked."""
    scopes = made(groups=GROUPS_MAX)
    names = Counter(
        match[1]
        for page in scopes.pages
        if (match := re.match(r"# The (\w+) ", heading(page.text)))
    )
    places = [heading(page.text) for page in scopes.pages if page.text.startswith("# The ")]

    assert 2 <= max(names.values())
    assert len(places) == len(set(places))
    assert any(page.text.startswith("# Neighbours") for page in scopes.pages)


@pytest.mark.parametrize(
    ("by", "of"),
    [
        (Grouping.HOSTS, lambda page: page.path.split("/")[0]),
        (Grouping.DATES, lambda page: str(page.modified.year)),
    ],
)
def test_the_pages_of_a_scope_share_what_it_is_made_by(by: Grouping, of: object) -> None:
    """But for those that repeat what a page of another scope says."""
    assert callable(of)
    scopes = made(by)
    for group in range(len(scopes.scopes)):
        own = [page for page in scopes.pages if page.group == group]
        shared = {of(page) for page in own if not page.text.startswith("# Neighbours")}
        assert 1 == len(shared)


def test_pages_say_their_date_and_paths_are_their_own() -> None:
    """So that dates are in text and record alike."""
    scopes = made()

    assert len(scopes.pages) == len({scopes.uri(page) for page in scopes.pages})
    for page in scopes.pages:
        assert f"As of {page.modified:%d %B %Y}." in page.text
        assert page.modified.date() >= date(2015, 1, 1)
    assert all(FACTS[fact][2].count("{name}") == 1 for fact in FACTS)
