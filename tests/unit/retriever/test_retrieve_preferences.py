"""Preferred scopes: they order what is found and shut nothing out."""

from typing import Any

import pytest

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.retrieval import PreferredScope, Weights
from scops.common.contract.messages.types import Scope
from scops.retriever.candidates import search
from scops.retriever.scoring import ranking
from tests.fakes.worlds.retriever import HOST, Retrieving, scope_of, url_of

DOCS = scope_of(HOST)


async def _preferring(world: Retrieving, *preferred: PreferredScope, **options: Any) -> list[str]:
    await world.show("guide/a", "The fee is 10 euros a year.")
    await world.show("blog/b", "The fee is 8 euros.")
    guide = scope_of(f"{HOST}/guide", scope_id="guide")
    blog = scope_of(f"{HOST}/blog", scope_id="blog")
    for scope in (guide, blog):
        world.book.apply(scope)
    response = await world.ask(
        "the fee is 8 euros", DOCS, guide, blog, preferred=preferred, **options
    )
    for passage in response.evidence:
        assert passage.score == pytest.approx(sum(part.weighted for part in passage.parts))
    return [passage.canonical_url for passage in response.evidence]


async def test_preferred_scope_comes_first_and_the_rest_follows(world: Retrieving) -> None:
    """A preference orders; it shuts nothing out."""
    guide = PreferredScope(scope_id=ScopeId("guide"))

    assert [url_of("guide/a"), url_of("blog/b")] == await _preferring(
        world, guide, weights=Weights(gamma=0.0)
    )


async def test_priority_orders_preferred_scopes(world: Retrieving) -> None:
    """The higher priority counts more."""
    guide = PreferredScope(scope_id=ScopeId("guide"), priority=1.0)
    blog = PreferredScope(scope_id=ScopeId("blog"), priority=0.001)

    assert [url_of("guide/a"), url_of("blog/b")] == await _preferring(
        world, guide, blog, weights=Weights(gamma=0.0)
    )


async def _scope_part(world: Retrieving, guide: Scope, url: str, *, recipe: str) -> float:
    preferred = (PreferredScope(scope_id=guide.scope_id),)
    response = await world.ask(
        "the fee is 8 euros", DOCS, guide, preferred=preferred, recipe=recipe
    )
    found = next(one for one in response.evidence if one.canonical_url == url)
    return next(part.raw for part in found.parts if part.name == "scope")


@pytest.mark.parametrize(("recipe", "falls"), [("default", True), ("owlerlite", False)])
async def test_scope_that_answers_gives_less_reason_to_leave_it(
    world: Retrieving, recipe: str, falls: bool
) -> None:
    """What answers inside a preferred scope lowers what is outside; OwlerLite's is constant."""
    await world.show("blog/b", "The fee is 8 euros.")
    await world.show("guide/a", "Opening hours are listed elsewhere.")
    guide = scope_of(f"{HOST}/guide", scope_id="guide")
    world.book.apply(guide)
    before = await _scope_part(world, guide, url_of("blog/b"), recipe=recipe)
    await world.show("guide/b", "The fee is 8 euros a year.")
    after = await _scope_part(world, guide, url_of("blog/b"), recipe=recipe)

    assert falls == (after < before)


@pytest.mark.parametrize(
    ("asked", "recipe", "used"),
    [
        (None, "default", Weights(alpha=0.8, beta=1.0, gamma=0.003, delta=0.0)),
        (None, "fresh", Weights(alpha=0.8, beta=1.0, gamma=0.003, delta=1.5)),
        (Weights(delta=0.1), "owlerlite", Weights(alpha=0.8, beta=0.2, gamma=0.1, delta=0.1)),
    ],
)
async def test_weights_that_ranked_are_told(
    world: Retrieving, asked: Weights | None, recipe: str, used: Weights
) -> None:
    """The recipe's, where the question names none."""
    await world.show("blog/b", "The fee is 8 euros.")
    response = await world.ask("the fee", DOCS, recipe=recipe, weights=asked)

    assert used == response.weights


async def test_preferred_page_does_not_starve_behind_what_resembles_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The preferred scopes are searched on their own as well."""
    monkeypatch.setattr(search, "CANDIDATES_MAX", 10)
    world = await Retrieving.create(candidates=10)
    for number in range(30):
        await world.show(f"blog/{number}", f"The fee is {number} euros, fee fee fee.")
    await world.show("guide/a", "Prices are listed elsewhere.")
    guide = scope_of(f"{HOST}/guide", scope_id="guide")
    world.book.apply(guide)
    preferred = (PreferredScope(scope_id=ScopeId("guide")),)
    texts = await world.texts("fee", DOCS, guide, preferred=preferred, weights=Weights(gamma=0.0))

    assert "Prices are listed elsewhere." == texts[0]


async def test_preferred_page_is_among_those_that_a_time_is_looked_for_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only the likeliest passages are read for their times; a preference makes likelier."""
    monkeypatch.setattr(ranking, "TIME_PASSAGES", 10)
    world = await Retrieving.create()
    for number in range(20):
        await world.show(f"blog/{number}", f"In 2007 the fee was {number} euros, fee fee fee.")
    await world.show("guide/a", "In 2007 prices were listed elsewhere.")
    guide = scope_of(f"{HOST}/guide", scope_id="guide")
    world.book.apply(guide)
    texts = await world.texts(
        "What was the fee in 2007?",
        DOCS,
        guide,
        preferred=(PreferredScope(scope_id=ScopeId("guide")),),
        weights=Weights(gamma=0.0),
        limit=10,
    )

    assert "In 2007 prices were listed elsewhere." == texts[0]
