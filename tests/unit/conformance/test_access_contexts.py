"""What was fetched with a credential belongs to scopes that hold it: one function, asked by all."""

import ast
import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scops.change_detector.handlers.retention import retention_days
from scops.common.contract.ids import ChunkId, PageId, ScopeId, WordingId
from scops.common.contract.messages.crawl import KnownPage
from scops.common.contract.messages.retrieval import Evidence, Mirror
from scops.common.contract.messages.types import (
    Clocks,
    OrderKey,
    RuleKind,
    Scope,
    ScopeCredential,
    ScopeRef,
    ScopeRule,
)
from scops.common.scope.book import ScopeBook
from scops.common.scope.contexts import PUBLIC, access_contexts, holds
from scops.common.scope.filter import compile_filter
from scops.common.scope.rules import matching_rule
from scops.common.scope.urls import url_prefixes
from scops.gateway.access.known_pages import holding_scopes
from scops.gateway.access.postcheck import RulePostcheck, checked_evidence
from scops.gateway.scopes.stored_scope import forked, new_scope
from scops.libraries.index.ports import MirroredChunk
from scops.retriever.candidates.scope_rules import membership, scope_matches
from scops.retriever.shape.mirrors import mirrors_of
from tests.fakes.clock import START

CONTEXTS = (PUBLIC, "captures-1", "credential-1")
URLS = tuple(f"https://{host}.org/{path}" for host in "ab" for path in ("", "x", "x/y"))
SOURCES = Path(__file__).parents[3]
# Who asks rules without a context, and why that is right.
RULES_ALONE = {
    "scope/rules.py": "is the function",
    "scope/contexts.py": "asks for the context, too",
    "scope/selection.py": "what operators select to purge, whatever it was fetched with",
    "fetcher/queries.py": "of pages that are public",
    "fetcher/linking.py": "where a crawl may go, as those that it finds links on",
    "fetcher/finding.py": "where a crawl may go, as those that it finds links on",
    "fetcher/searching.py": "where a crawl may go, as those that it finds links on",
    "fetcher/handlers.py": "where a crawl may go: its job says in which context",
    "research/papers.py": "where a research may go, as those of a crawl",
    "research/running.py": "where a research may go, as those of a crawl",
    "fetcher/fetch/visit.py": "where a crawl may go: its job says in which context",
    "fetcher/recrawl/crawl_budgets.py": "of pages that are public",
    "handlers/templates.py": "of keepers, which are public",
    "handlers/changes.py": "of keepers, which are public",
    "gateway/handlers/previews.py": "of rules that are tried, on pages that a scope holds",
    "gateway/handlers/pages.py": "a prefix to list below, of pages that a scope holds",
    "gateway/handlers/scopes.py": "of pages that are picked by hand",
    "transfers/capturing.py": "of pages that are picked by hand",
    "gateway/scopes/scope_check.py": "of a scope's own seeds",
}


# Messages of which a row belongs to the context that its page was fetched in.
SHOWN = {"Evidence", "Mirror", "Citation", "Gap", "PassageExplanation", "PageChange"}


def _scopes(chance: random.Random) -> list[Scope]:
    """Makes scopes that hold what was captured for them, or fetched with a credential, or both."""
    drawn = [chance.sample(CONTEXTS[1:], chance.randrange(3)) for _ in range(5)]
    return [
        Scope(
            scope_id=ScopeId(f"scope-{number}"),
            organisation_id="main",
            name=f"scope {number}",
            revision=1,
            retention_days=number + 1,
            access_contexts=tuple(one for one in drawn[number] if one == CONTEXTS[1]),
            credentials=tuple(
                ScopeCredential(origin="https://a.org", access_context=one)
                for one in drawn[number]
                if one == CONTEXTS[2]
            ),
            deleted=chance.random() < 0.1,
            rules=tuple(
                ScopeRule(kind=RuleKind.PREFIX, pattern=url, exclude=chance.random() < 0.2)
                for url in chance.sample(URLS, chance.randrange(1, 4))
            ),
        )
        for number in range(5)
    ]


def _expected(scope: Scope, url: str, context: str) -> bool:
    """Says the rule in other words than the code does."""
    fetched = {one.access_context for one in scope.credentials}
    held = context == PUBLIC or context in scope.access_contexts or context in fetched
    return held and not scope.deleted and matching_rule(scope.rules, url) is not None


@pytest.mark.parametrize("seed", range(60))
async def test_no_page_leaves_by_a_scope_that_does_not_hold_its_context(seed: int) -> None:
    """Filter, candidates, preference, known pages, retention and mirrors, over a made world."""
    scopes = _scopes(random.Random(seed))
    live = [scope for scope in scopes if not scope.deleted]
    if not live:
        return
    letting = compile_filter(live)
    for url, context in product(URLS, CONTEXTS):
        expected = [scope.scope_id for scope in scopes if _expected(scope, url, context)]
        held = [scope.scope_id for scope in scopes if holds(scope, url, context)]
        matches = scope_matches(live, canonical_url=url, access_context=context, matches_max=9)
        page = KnownPage(page_id=PageId("p"), canonical_url=url, access_context=context)
        preferred = {scope.scope_id: 1.0 for scope in live}
        inside = membership(live, url, preferred, access_context=context)
        address: Any = SimpleNamespace(
            organisation_id="main", canonical_url=url, access_context=context
        )
        last_look = RulePostcheck(asked=tuple(live), newest=tuple(live))
        shown = Mirror(canonical_url=url, access_context=context)
        of_held = [scope.retention_days for scope in scopes if scope.scope_id in expected]

        assert expected == held
        assert expected == [match.scope_id for match in matches]
        assert expected == [scope.scope_id for scope in holding_scopes(page, scopes)]
        assert bool(expected) == bool(inside)
        assert (bool(expected), not expected) == (last_look.admits(shown), last_look.is_leak(shown))
        assert max(of_held, default=0) == retention_days(address, scopes)
        if expected:
            assert letting.admits(url_prefixes(url), context)
        contexts = set().union(*(access_contexts(scope) for scope in live))
        assert context in contexts or not letting.admits(url_prefixes(url), context)
    await _mirrors_are_held(live)


async def _mirrors_are_held(live: list[Scope]) -> None:
    everywhere = [
        MirroredChunk(
            chunk_id=ChunkId(f"{url} {context}"),
            page_id=PageId(f"{url} {context}"),
            canonical_url=url,
            access_context=context,
        )
        for url, context in product(URLS, CONTEXTS)
    ]

    async def listed(wordings: Any, *, limit: int) -> Any:
        return dict.fromkeys(wordings, everywhere)

    book = ScopeBook()
    for scope in live:
        book.apply(scope)
    ports: Any = SimpleNamespace(mirrors=SimpleNamespace(listed=listed), scope_book=book)
    question: Any = SimpleNamespace(
        as_of=None, scopes=[ScopeRef(scope_id=one.scope_id, revision=1) for one in live]
    )
    for context in CONTEXTS:
        hit = SimpleNamespace(page_id=PageId("mine"), chunk_id=ChunkId("mine"))
        version = SimpleNamespace(access_context=context)
        candidate: Any = SimpleNamespace(wording_id=WordingId("same"), hit=hit, version=version)
        named = await mirrors_of([candidate], question, ports)
        mirrors = {one.page_id for one in named[ChunkId("mine")]}
        readable = {
            one.page_id
            for one in everywhere
            if one.access_context == context
            and any(_expected(scope, one.canonical_url, context) for scope in live)
        }

        assert mirrors <= readable
        assert min(10, len(readable)) == len(mirrors)


def test_a_page_without_a_context_is_nobodys() -> None:
    """Nor does a scope that names an empty context hold it."""
    scope = Scope(rules=(ScopeRule(kind=RuleKind.PREFIX, pattern=URLS[0]),), access_contexts=("",))

    assert not holds(scope, URLS[0], "")
    assert holds(scope, URLS[0], PUBLIC)


def test_a_copy_of_a_scope_holds_no_credential() -> None:
    """Whoever makes a scope from another one has its rules, not what it may read."""
    scope = Scope(
        scope_id=ScopeId("a"),
        rules=(ScopeRule(kind=RuleKind.PREFIX, pattern=URLS[0]),),
        access_contexts=("credential-1",),
    )

    assert frozenset({PUBLIC}) == access_contexts(forked(scope, display_name="b"))
    made = new_scope(ScopeId("b"), replace(scope), organisation_id="main", owner="user:ann")
    assert frozenset({PUBLIC}) == access_contexts(made)


def test_whoever_asks_rules_alone_is_known() -> None:
    """A new call of the rule function without a context is looked at by a person."""
    asking = set()
    for root in ("services", "gateway", "libraries"):
        for path in (SOURCES / root).rglob("*.py"):
            names = {
                getattr(node.func, "id", "")
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.Call)
            }
            if names & {"in_scope", "matching_rule"}:
                asking.add(str(path))

    known = {path for path in asking if path.endswith(tuple(RULES_ALONE))}
    assert set() == asking - known
    assert len(RULES_ALONE) == len(known)


def test_whoever_makes_what_is_shown_says_its_context() -> None:
    """The last look takes what names none for public, as roles of version 0.1.0 do."""
    silent = set()
    for root in ("services", "gateway", "libraries"):
        for path in (SOURCES / root).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                name = getattr(getattr(node, "func", None), "id", "")
                if isinstance(node, ast.Call) and name in SHOWN:
                    said = {keyword.arg for keyword in node.keywords}
                    silent |= set() if "access_context" in said else {f"{path.name}: {name}"}

    # Of what a caller sends back, to be looked up by page and version.
    assert {"request_values.py: Citation"} == silent


@pytest.mark.parametrize("context", CONTEXTS)
def test_mirrors_of_another_context_are_not_named(context: str) -> None:
    """Though the scope holds both, a passage is a mirror in its own context alone."""
    rules = (ScopeRule(kind=RuleKind.PREFIX, pattern=URLS[0]),)
    scope = Scope(scope_id=ScopeId("a"), rules=rules, access_contexts=CONTEXTS[1:])
    mirrors = tuple(Mirror(canonical_url=URLS[0], access_context=one) for one in CONTEXTS)
    passage = Evidence(
        canonical_url=URLS[0],
        access_context=context,
        mirrors=mirrors,
        clocks=Clocks(observed_time=START),
        order_key=OrderKey(observed_from=START),
    )
    last_look = RulePostcheck(asked=(scope,), newest=(scope,))
    ((kept,), leaks) = checked_evidence((passage,), last_look)

    assert 0 == leaks
    assert [context] == [one.access_context for one in kept.mirrors]


def test_what_a_role_of_an_earlier_version_shows_is_public() -> None:
    """It names no context, and fetches with none."""
    shown = Mirror(canonical_url=URLS[0])
    rules = (ScopeRule(kind=RuleKind.PREFIX, pattern=URLS[0]),)
    scope = Scope(scope_id=ScopeId("a"), rules=rules)

    assert RulePostcheck(asked=(scope,), newest=(scope,)).admits(shown)
