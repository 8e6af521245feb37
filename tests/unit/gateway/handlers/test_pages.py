"""Pages: only those that a visible scope holds exist for a caller."""

from datetime import UTC, datetime

import pytest

from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.ids import PageId, ScopeId, VersionId
from scops.common.contract.messages.change import (
    DiffRequest,
    DiffResponse,
    HistoryEntry,
    HistoryRequest,
    HistoryResponse,
)
from scops.common.contract.messages.crawl import (
    KnownPage,
    KnownUrlsRequest,
    KnownUrlsResponse,
    PagePlanRequest,
    PagePlanResponse,
)
from scops.common.contract.messages.types import BodyRef, OrderKey
from scops.common.query.ports import DIFF, HISTORY, KNOWN_URLS, PAGE_PLAN
from scops.gateway.handlers import pages as page_requests
from scops.gateway.handlers import questions
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world

SEEN = datetime(2026, 3, 1, tzinfo=UTC)


def page(path: str, *, context: str = "public", host: str = DOCS) -> KnownPage:
    return KnownPage(page_id=PageId(f"p-{path}"), canonical_url=host + path, access_context=context)


def knows(world: GatewayWorld, pages: list[KnownPage]) -> None:
    """Has the fetcher list pages by offset, as many as asked for."""

    async def known_urls(request: KnownUrlsRequest) -> KnownUrlsResponse:
        start = int(request.page_token or 0)
        end = start + request.page_size
        token = str(end) if end < len(pages) else ""
        return KnownUrlsResponse(pages=tuple(pages[start:end]), next_page_token=token)

    async def page_plan(request: PagePlanRequest) -> PagePlanResponse:
        wanted = (request.page_id, request.url)
        found = [item for item in pages if item.page_id in wanted or item.canonical_url in wanted]
        return PagePlanResponse(page=found[0] if found else None)

    world.answer(KNOWN_URLS, known_urls)
    world.answer(PAGE_PLAN, page_plan)


async def listed(world: GatewayWorld, *, page_size: int, prefix: str = "") -> list[str]:
    found: list[str] = []
    token = ""
    for _ in range(50):
        pages, token = await page_requests.list_pages(
            world.ports,
            world.call(),
            scope_id=ScopeId("docs"),
            page_size=page_size,
            page_token=token,
            prefix=prefix,
        )
        found += [seen.page.canonical_url for seen in pages]
        if not token:
            return found
    raise AssertionError("the listing does not end")


@pytest.mark.parametrize("page_size", [1, 2, 3, 4, 100])
@pytest.mark.parametrize("batch", [1, 3, 500])
async def test_listing_gives_every_page_of_the_scope_once(
    page_size: int, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages join without gap or repetition, whatever the sizes; others are left out."""
    monkeypatch.setattr(questions, "KNOWN_PAGES_BATCH", batch)
    monkeypatch.setattr(questions, "KNOWN_PAGES_MAX", max(batch, 4))
    async with gateway_world() as world:
        await world.create_scope()
        inside = [page(f"{number:02}") for number in range(9)]
        outside = [page(f"x{number}", host="https://else.org/") for number in range(5)]
        secret = page("secret", context="credential-1")
        mixed = [*inside[:4], *outside[:3], *inside[4:], secret, *outside[3:]]
        knows(world, mixed)

        assert [item.canonical_url for item in inside] == await listed(world, page_size=page_size)


async def test_token_of_another_scope_is_refused() -> None:
    """A page token belongs to the arguments it was given for."""
    async with gateway_world() as world:
        await world.create_scope()
        await world.create_scope("other")
        knows(world, [page("a"), page("b")])
        _, token = await page_requests.list_pages(
            world.ports, world.call(), scope_id=ScopeId("docs"), page_size=1, page_token=""
        )

        with pytest.raises(InvalidInput) as caught:
            await page_requests.list_pages(
                world.ports,
                world.call(),
                scope_id=ScopeId("other"),
                page_size=1,
                page_token=token,
            )

        assert "PAGE_TOKEN_INVALID" == caught.value.reason


async def test_a_listing_is_of_what_lies_below_a_prefix() -> None:
    """Of the scope's pages alone: a prefix beside its rules has none. A token is of its prefix."""
    async with gateway_world() as world:
        await world.create_scope()
        outside = page("a", host="https://else.org/")
        knows(world, [page("a"), page("guide/b"), page("guide-c"), outside])
        host = DOCS.removeprefix("https://").rstrip("/")

        assert [f"{DOCS}guide/b"] == await listed(world, page_size=1, prefix=f"{host}/guide")
        assert [] == await listed(world, page_size=1, prefix="else.org")
        _, token = await page_requests.list_pages(
            world.ports, world.call(), scope_id=ScopeId("docs"), page_size=1, page_token=""
        )
        for prefix, sent in ((host, token), ("no host", "")):
            with pytest.raises(InvalidInput):
                await page_requests.list_pages(
                    world.ports,
                    world.call(),
                    scope_id=ScopeId("docs"),
                    page_size=1,
                    page_token=sent,
                    prefix=prefix,
                )


async def test_page_is_found_by_any_spelling_of_its_uri() -> None:
    """A URI is brought to canonical form before it is looked up."""
    async with gateway_world() as world:
        await world.create_scope()
        knows(world, [page("a")])
        seen = await page_requests.get_page(
            world.ports, world.call(), page_id=PageId(""), uri="HTTPS://Docs.example.org/a#part"
        )

        assert (PageId("p-a"), ["docs"]) == (
            seen.page.page_id,
            [scope.scope_id for scope in seen.scopes],
        )


@pytest.mark.parametrize(
    "known",
    [[], [page("a", host="https://else.org/")], [page("a", context="credential-1")]],
    ids=["absent", "outside", "credential"],
)
async def test_page_outside_every_visible_scope_looks_absent(known: list[KnownPage]) -> None:
    """Absent, outside and hidden cannot be told apart."""
    async with gateway_world() as world:
        await world.create_scope()
        knows(world, known)
        with pytest.raises(NotFound) as caught:
            await page_requests.get_page(world.ports, world.call(), page_id=PageId("p-a"), uri="")

        assert "PAGE_NOT_FOUND" == caught.value.reason


@pytest.mark.parametrize(("page_id", "uri"), [("", ""), ("p-a", DOCS)])
async def test_page_is_named_exactly_once(page_id: str, uri: str) -> None:
    """By name or by URI, not both and not neither."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput):
            await page_requests.get_page(
                world.ports, world.call(), page_id=PageId(page_id), uri=uri
            )


async def test_versions_beyond_the_page_size_are_announced() -> None:
    """The newest are shown, and that there are older ones."""
    async with gateway_world() as world:
        await world.create_scope()
        knows(world, [page("a")])
        entries = tuple(
            HistoryEntry(
                version_id=VersionId(f"v{number}"),
                order_key=OrderKey(observed_from=SEEN),
                last_verified_time=SEEN,
                manifest=BodyRef(),
            )
            for number in range(5)
        )

        async def history(request: HistoryRequest) -> HistoryResponse:
            return HistoryResponse(page_id=request.page_id, versions=entries[: request.limit])

        world.answer(HISTORY, history)
        listed = await page_requests.list_versions(
            world.ports, world.call(), page_id=PageId("p-a"), page_size=3
        )

        assert (("v0", "v1", "v2"), True) == (
            tuple(entry.version_id for entry in listed.history.versions),
            listed.truncated,
        )


async def test_diff_compares_the_last_two_versions_by_default() -> None:
    """Nobody needs to know an id to see what changed last."""
    async with gateway_world() as world:
        await world.create_scope()
        knows(world, [page("a")])
        asked = world.says(DIFF, DiffResponse())
        await page_requests.diff_versions(
            world.ports, world.call(), page_id=PageId("p-a"), from_version="", to_version=""
        )

        expected = DiffRequest(page_id=PageId("p-a"), from_version="previous", to_version="latest")
        assert [expected] == asked


async def test_history_of_a_hidden_page_is_not_read() -> None:
    """Visibility comes before anything else."""
    async with gateway_world() as world:
        await world.create_scope()
        knows(world, [page("a", host="https://else.org/")])
        asked = world.says(HISTORY, HistoryResponse())
        with pytest.raises(NotFound):
            await page_requests.list_versions(
                world.ports, world.call(), page_id=PageId("p-a"), page_size=0
            )

        assert [] == asked
