"""Boundaries: how far from its seeds a scope reaches."""

from dataclasses import replace

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Boundary, Scope, ScopeRule
from scops.common.scope.filter import compile_filter
from scops.common.scope.rules import in_scope
from scops.common.scope.urls import url_prefixes
from scops.gateway.handlers import scopes
from scops.gateway.scopes.boundary import boundary_rules
from scops.gateway.scopes.stored_scope import StoredScope
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world, prefix

SEED = "https://docs.example.co.uk/guide/start.html"
OTHER = "https://other.org/"


async def created(world: GatewayWorld, fields: Scope) -> StoredScope:
    return await scopes.create_scope(
        world.ports, world.call(), scope_id="docs", wanted=fields, request_id=""
    )


async def updated(world: GatewayWorld, fields: Scope, *mask: str) -> StoredScope:
    return await scopes.update_scope(
        world.ports, world.call(), scope_id=ScopeId("docs"), wanted=fields, mask=mask, etag=""
    )


def patterns(stored: StoredScope) -> list[str]:
    return [f"{'-' if rule.exclude else ''}{rule.pattern}" for rule in stored.scope.rules]


@pytest.mark.parametrize(
    ("boundary", "held"),
    [
        (Boundary.SUBPAGES, 2),
        (Boundary.HOST, 4),
        (Boundary.DOMAIN, 7),
    ],
)
def test_each_boundary_holds_the_one_before(boundary: Boundary, held: int) -> None:
    """Folder, host, registrable domain: the rule and the filter agree on what lies inside."""
    urls = [
        SEED,
        "https://docs.example.co.uk/guide/deep/page.html?x=1",
        "https://docs.example.co.uk/guidebook.html",
        "http://docs.example.co.uk/",
        "https://example.co.uk/",
        "https://www.example.co.uk/guide/start.html",
        "https://a.b.example.co.uk/x/y",
        "https://docs.example.co.uk:8443/guide/start.html",
        "https://example.co.uk.evil.test/",
        "https://badexample.co.uk/",
        "https://co.uk/",
    ]
    scope = Scope(scope_id=ScopeId("docs"), rules=boundary_rules(boundary, [SEED]))
    narrowed = compile_filter([scope])

    assert urls[:held] == [url for url in urls if in_scope(scope, url)]
    assert urls[:held] == [url for url in urls if narrowed.admits(url_prefixes(url), "public")]


@pytest.mark.parametrize(
    ("boundary", "seed", "rules"),
    [
        (Boundary.SUBPAGES, "https://example.org/", ["example.org"]),
        (Boundary.SUBPAGES, "https://example.org/a/b?c=/d", ["example.org/a"]),
        (Boundary.HOST, "http://127.0.0.1:8099/a/", ["127.0.0.1:8099"]),
        (
            Boundary.DOMAIN,
            "http://a.example.org:8080/",
            ["example.org:8080", "*.example.org:8080/**"],
        ),
        (Boundary.DOMAIN, "https://me.github.io/x", ["me.github.io", "*.me.github.io/**"]),
        (Boundary.UNSPECIFIED, "https://example.org/", []),
    ],
)
def test_a_seed_is_written_as_rules(boundary: Boundary, seed: str, rules: list[str]) -> None:
    """Ports count, and who shares a domain with others is told apart from them."""
    assert rules == [rule.pattern for rule in boundary_rules(boundary, [seed])]


@pytest.mark.parametrize(
    "seed", ["http://127.0.0.1:8099/", "http://[::1]/", "http://localhost/", "https://github.io/"]
)
async def test_a_seed_without_a_domain_is_refused(seed: str) -> None:
    """An address or a bare name has no domain to take in; the error names the seed."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput) as caught:
            await created(world, Scope(seeds=(SEED, seed), boundary=Boundary.DOMAIN))

        found = caught.value
        assert ("BOUNDARY_WITHOUT_DOMAIN", "scope.seeds[1]") == (
            found.reason,
            found.metadata["field"],
        )


async def test_a_boundary_without_seeds_is_refused() -> None:
    """There is nothing to draw it around."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput) as caught:
            await created(world, Scope(rules=(prefix("a.org"),), boundary=Boundary.HOST))

        assert "BOUNDARY_WITHOUT_SEEDS" == caught.value.reason


async def test_rules_given_stand_beside_those_of_the_boundary() -> None:
    """A part can be left out, and more taken in; a rule that both name stands once."""
    async with gateway_world() as world:
        given = (prefix("docs.example.co.uk/old", exclude=True), prefix("docs.example.co.uk"))
        stored = await created(world, Scope(rules=given, seeds=(SEED,), boundary=Boundary.HOST))

        assert ["-docs.example.co.uk/old", "docs.example.co.uk"] == patterns(stored)
        assert Boundary.HOST == stored.scope.boundary


async def test_a_boundary_follows_its_seeds() -> None:
    """New seeds move the boundary; what was excluded stays so."""
    async with gateway_world() as world:
        given: tuple[ScopeRule, ...] = (prefix("other.org/old", exclude=True),)
        await created(world, Scope(rules=given, seeds=(SEED,), boundary=Boundary.SUBPAGES))
        moved = await updated(world, Scope(seeds=(OTHER,)), "seeds")

        assert ["-other.org/old", "other.org"] == patterns(moved)


async def test_a_boundary_is_widened() -> None:
    """The narrower rules make place for the wider ones."""
    async with gateway_world() as world:
        await created(world, Scope(seeds=(SEED,), boundary=Boundary.SUBPAGES))
        wide = await updated(world, Scope(boundary=Boundary.DOMAIN))

        assert ["example.co.uk", "*.example.co.uk/**"] == patterns(wide)


async def test_a_scope_written_back_as_it_was_read_does_not_change() -> None:
    """Whoever reads a scope and writes all of it again changes nothing."""
    async with gateway_world() as world:
        first = await created(world, Scope(seeds=(SEED,), boundary=Boundary.DOMAIN))
        fields = Scope(
            name=first.scope.name,
            rules=first.scope.rules,
            seeds=first.scope.seeds,
            boundary=first.scope.boundary,
        )

        assert first == await updated(world, fields, "*")


async def test_a_boundary_taken_away_takes_its_rules_along() -> None:
    """Without other rules nothing would be left, which is refused."""
    async with gateway_world() as world:
        await created(world, Scope(seeds=(SEED,), boundary=Boundary.HOST))
        with pytest.raises(InvalidInput) as caught:
            await updated(world, Scope(), "boundary")
        bare = replace(Scope(), rules=(prefix("docs.example.co.uk/guide"),))
        left = await updated(world, bare, "boundary", "rules")

        assert "SCOPE_WITHOUT_RULES" == caught.value.reason
        assert ["docs.example.co.uk/guide"] == patterns(left)
