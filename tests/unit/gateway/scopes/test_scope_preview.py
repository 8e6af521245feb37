"""What a scope would hold of the pages that are known."""

import pytest

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.crawl import KnownPage, KnownUrlsResponse
from scops.common.contract.messages.types import RuleKind, ScopeRule
from scops.common.query.ports import KNOWN_URLS
from scops.gateway.access.known_pages import host_prefixes, rule_prefixes
from scops.gateway.handlers import previews, questions
from tests.fakes.worlds.gateway import DOCS, gateway_world, prefix

DOCS_ID = ScopeId("docs")


async def test_preview_counts_known_pages_by_the_rules_alone() -> None:
    """Matched and unmatched pages are counted, with examples; hidden ones are not known."""
    async with gateway_world() as world:
        await world.create_scope()
        await world.create_scope(scope_id="hidden", owner="ann", rules=(prefix("b.org"),), seeds=())
        urls = [f"{DOCS}guide/1", f"{DOCS}guide/2", f"{DOCS}blog", "https://b.org/secret"]
        world.says(
            KNOWN_URLS,
            KnownUrlsResponse(
                pages=tuple(KnownPage(canonical_url=url, access_context="public") for url in urls)
            ),
        )
        preview = await previews.preview_scope(
            world.ports,
            world.call(),
            scope_id=None,
            rules=(prefix("docs.example.org/guide"), prefix("b.org")),
        )

        assert (2, 3, False) == (preview.matched_count, preview.known_count, preview.truncated)
        assert (f"{DOCS}blog",) == preview.unmatched_examples


async def test_preview_of_more_pages_than_it_reads_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A preview is bounded, and honest about it."""
    monkeypatch.setattr(questions, "KNOWN_PAGES_MAX", 2)
    monkeypatch.setattr(questions, "KNOWN_PAGES_BATCH", 1)
    async with gateway_world() as world:
        await world.create_scope()
        page = KnownPage(canonical_url=f"{DOCS}a", access_context="public")
        asked = world.says(KNOWN_URLS, KnownUrlsResponse(pages=(page,), next_page_token="more"))
        preview = await previews.preview_scope(
            world.ports, world.call(), scope_id=DOCS_ID, rules=()
        )

        assert (True, 2) == (preview.truncated, len(asked))


async def test_what_changed_rules_would_let_in_and_out() -> None:
    """Of a named scope, with the rule that says so; nothing is stored."""
    async with gateway_world() as world:
        await world.create_scope(rules=(prefix("docs.example.org/guide"),), seeds=())
        await world.create_scope("all", rules=(prefix("docs.example.org"),), seeds=())
        await world.create_scope("hidden", owner="ann", rules=(prefix("b.org"),), seeds=())
        urls = [f"{DOCS}{path}" for path in ("guide/1", "guide/old/2", "blog")]
        known = tuple(
            KnownPage(canonical_url=url, access_context="public")
            for url in (*urls, "https://b.org/secret")
        )
        world.says(KNOWN_URLS, KnownUrlsResponse(pages=known))
        old, blog = (
            prefix("docs.example.org/guide/old", exclude=True),
            prefix("docs.example.org/blog"),
        )
        rules = (prefix("docs.example.org/guide"), old, blog, prefix("b.org"))
        moved = await previews.preview_scope(
            world.ports, world.call(), scope_id=DOCS_ID, rules=rules
        )
        without = await previews.preview_scope(
            world.ports, world.call(), scope_id=DOCS_ID, rules=(blog,)
        )
        same = await previews.preview_scope(world.ports, world.call(), scope_id=DOCS_ID, rules=())
        stored = await world.ports.scopes.get("main", DOCS_ID)

    assert [(1, urls[2], blog)] == [(moved.in_count, p.uri, p.rule) for p in moved.in_examples]
    assert [(1, urls[1], old)] == [(moved.out_count, p.uri, p.rule) for p in moved.out_examples]
    assert [(urls[0], None), (urls[1], None)] == [(p.uri, p.rule) for p in without.out_examples]
    assert (0, 0, 2) == (same.in_count, same.out_count, same.matched_count)
    assert stored is not None
    assert (prefix("docs.example.org/guide"),) == stored.scope.rules


def test_prefixes_narrow_by_the_literal_part_of_each_including_rule() -> None:
    """A listing asks for what the rules begin with; a preview for everything on their hosts."""
    rules = (
        prefix("a.org/guide"),
        ScopeRule(kind=RuleKind.GLOB, pattern="*.b.org/**"),
        ScopeRule(kind=RuleKind.REGEX, pattern=r"https://c\.org/x/\d+"),
        prefix("d.org", exclude=True),
    )

    assert ("*.b.org", "a.org/guide", "c.org/x") == rule_prefixes(rules)
    assert ("*.b.org", "a.org", "c.org") == host_prefixes(rules)
