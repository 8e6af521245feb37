"""Scopes: creating, changing, hiding and removing them."""

from dataclasses import replace
from typing import Any, cast

import pytest

from scops.common.db.outbox import relay
from scops.common.errors import (
    AlreadyExists,
    Conflict,
    InvalidInput,
    NotFound,
    NotPermitted,
    StoreUnavailable,
)
from scops.common.ids import ScopeId
from scops.common.messages.crawl import CancelJob, CrawlScope, KnownPage, KnownUrlsResponse
from scops.common.messages.types import RuleKind, ScopeRule
from scops.common.query.ports import KNOWN_URLS
from scops.gateway import job_requests, scope_requests
from scops.gateway.adapters.tables import outbox
from scops.gateway.known_pages import host_prefixes, rule_prefixes
from scops.gateway.loops import project_dirty
from scops.gateway.ports import Ports, ScopeStore
from scops.gateway.scopes import ScopeFields, StoredScope
from tests.fakes.bus import RecordingPublisher
from tests.fakes.gateway import DOCS, GatewayWorld, docs_fields, gateway_world, prefix

DOCS_ID = ScopeId("docs")
REQUEST = "8f14e45f-ceea-467f-ab5d-9f2b0a1c2d3e"


async def created(
    world: GatewayWorld, *, scope_id: str = "docs", owner: str = "local", **fields: object
) -> StoredScope:
    return await scope_requests.create_scope(
        world.ports,
        world.call(owner),
        scope_id=scope_id,
        fields=docs_fields(**fields),
        request_id="",
    )


async def updated(
    world: GatewayWorld,
    fields: ScopeFields,
    *,
    mask: tuple[str, ...] = (),
    etag: str = "",
    caller: str = "local",
) -> StoredScope:
    return await scope_requests.update_scope(
        world.ports, world.call(caller), scope_id=DOCS_ID, fields=fields, mask=mask, etag=etag
    )


async def test_created_scope_is_owned_by_its_caller_at_revision_one() -> None:
    """A new scope has revision 1 and belongs to whoever created it."""
    async with gateway_world() as world:
        stored = await created(world, owner="ann")

        assert ("ann", 1, "docs") == (stored.scope.owner, stored.scope.revision, stored.scope.name)


async def test_taken_id_is_refused() -> None:
    """Two scopes never share an id."""
    async with gateway_world() as world:
        await created(world)

        with pytest.raises(AlreadyExists):
            await created(world)


@pytest.mark.parametrize("scope_id", ["", "Docs", "1docs", "do cs", "a" * 64, "docs/x"])
async def test_malformed_scope_id_is_refused(scope_id: str) -> None:
    """An id is 1 to 63 of a-z, 0-9 and -, beginning with a letter."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput) as caught:
            await created(world, scope_id=scope_id)

        assert "MALFORMED_SCOPE_ID" == caught.value.reason


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"rules": ()}, "SCOPE_WITHOUT_RULES", "scope.rules"),
        ({"rules": (prefix("x.org", exclude=True),)}, "SCOPE_WITHOUT_RULES", "scope.rules"),
        (
            {"rules": (ScopeRule(kind=RuleKind.REGEX, pattern="https://a\\.org/(("),)},
            "MALFORMED_RULE",
            "scope.rules[0].pattern",
        ),
        ({"rules": (prefix("file:///etc"),)}, "MALFORMED_RULE", "scope.rules[0].pattern"),
        (
            {"rules": (prefix("docs.example.org"), ScopeRule(pattern="a.org"))},
            "MALFORMED_RULE",
            "scope.rules[1].pattern",
        ),
        ({"seeds": (DOCS, "file:///etc/passwd")}, "INVALID_URL", "scope.seeds[1]"),
        ({"seeds": ("https://ann:secret@docs.example.org/",)}, "INVALID_URL", "scope.seeds[0]"),
        ({"seeds": ("http://169.254.169.254/",)}, "URL_OUTSIDE_SCOPE", "scope.seeds[0]"),
        ({"sitemaps": ("nonsense",)}, "INVALID_URL", "scope.sitemaps[0]"),
        ({"page_limit": -1}, "LIMIT_OUT_OF_RANGE", "scope.page_limit"),
        ({"depth_limit": 10_000}, "LIMIT_OUT_OF_RANGE", "scope.depth_limit"),
        ({"display_name": "x" * 201}, "DISPLAY_NAME_TOO_LONG", "scope.display_name"),
        ({"seeds": tuple(f"{DOCS}{n}" for n in range(1001))}, "TOO_MANY_URLS", "scope.seeds"),
    ],
)
async def test_unusable_scope_is_refused_with_its_field(
    fields: dict[str, Any], reason: str, field: str
) -> None:
    """What cannot be used is refused before it is stored, and the error names the field."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput) as caught:
            await created(world, **fields)

        assert (reason, field) == (caught.value.reason, caught.value.metadata["field"])
        assert await world.ports.scopes.get("main", DOCS_ID) is None


async def test_error_about_a_seed_with_credentials_hides_them() -> None:
    """A secret in a URL is never repeated."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput) as caught:
            await created(world, seeds=("https://ann:secret@docs.example.org/",))

        assert "secret" not in caught.value.message


async def test_seeds_and_hosts_are_stored_canonical() -> None:
    """Spellings that would match nothing are brought to the form that pages have."""
    async with gateway_world() as world:
        rules = (
            prefix("Docs.Example.org/Guide"),
            ScopeRule(kind=RuleKind.PAGE, pattern="http://DOCS.example.org/ä#part"),
            ScopeRule(kind=RuleKind.PAGE, pattern="docs.example.org"),
        )
        stored = await created(world, rules=rules, seeds=("https://docs.example.org/Guide#x",))

        patterns = [rule.pattern for rule in stored.scope.rules]
        pages = ["http://docs.example.org/%C3%A4", "https://docs.example.org/"]
        assert ["docs.example.org/Guide", *pages] == patterns
        assert ("https://docs.example.org/Guide",) == stored.scope.seeds


async def test_repeated_request_id_creates_once() -> None:
    """The same request twice returns the first scope."""
    async with gateway_world() as world:
        arguments: dict[str, Any] = {
            "scope_id": "docs",
            "fields": docs_fields(),
            "request_id": REQUEST,
        }
        first = await scope_requests.create_scope(world.ports, world.call(), **arguments)
        again = await scope_requests.create_scope(world.ports, world.call(), **arguments)

        assert first == again


async def test_request_id_for_another_request_is_refused() -> None:
    """A request_id stands for one request only."""
    async with gateway_world() as world:
        ports, call = world.ports, world.call()
        await scope_requests.create_scope(
            ports, call, scope_id="docs", fields=docs_fields(), request_id=REQUEST
        )

        with pytest.raises(InvalidInput) as caught:
            await scope_requests.create_scope(
                ports, call, scope_id="other", fields=docs_fields(), request_id=REQUEST
            )

        assert "REQUEST_ID_REUSED" == caught.value.reason


async def test_failed_create_leaves_its_request_id_free() -> None:
    """A request that failed may be repeated corrected, with the same id."""
    async with gateway_world() as world:
        await created(world)
        ports, call = world.ports, world.call()
        with pytest.raises(AlreadyExists):
            await scope_requests.create_scope(
                ports, call, scope_id="docs", fields=docs_fields(), request_id=REQUEST
            )

        other = await scope_requests.create_scope(
            ports, call, scope_id="other", fields=docs_fields(), request_id=REQUEST
        )

        assert "other" == other.scope.scope_id


async def test_update_sets_only_what_the_mask_names() -> None:
    """Fields outside the mask keep their value; the revision grows by one."""
    async with gateway_world() as world:
        await created(world, page_limit=7)
        fields = ScopeFields(display_name="Manuals", page_limit=9)
        stored = await updated(world, fields, mask=("display_name",))

        scope = stored.scope
        assert ("Manuals", 7, 2) == (scope.name, scope.page_limit, scope.revision)


async def test_update_without_mask_sets_what_is_given() -> None:
    """An omitted mask stands for the fields that are set."""
    async with gateway_world() as world:
        await created(world, page_limit=7)
        stored = await updated(world, ScopeFields(page_limit=9))

        assert (9, (DOCS,)) == (stored.scope.page_limit, stored.scope.seeds)


async def test_update_of_everything_clears_what_is_not_given() -> None:
    """The mask * replaces every field."""
    async with gateway_world() as world:
        await created(world, page_limit=7)
        stored = await updated(world, docs_fields(seeds=()), mask=("*",))

        assert ((), 0) == (stored.scope.seeds, stored.scope.page_limit)


@pytest.mark.parametrize("path", ["owner", "revision", "rules.pattern", "nonsense"])
async def test_mask_with_an_unknown_field_is_refused(path: str) -> None:
    """What the server sets cannot be updated."""
    async with gateway_world() as world:
        await created(world)

        with pytest.raises(InvalidInput) as caught:
            await updated(world, ScopeFields(), mask=(path,))

        assert "UPDATE_MASK_INVALID" == caught.value.reason


async def test_update_that_changes_nothing_keeps_the_revision() -> None:
    """Only a change is a revision."""
    async with gateway_world() as world:
        first = await created(world)
        again = await updated(world, docs_fields(), mask=("rules", "seeds"))

        assert first == again


async def test_update_whose_rules_leave_a_seed_outside_is_refused() -> None:
    """The seeds that stay must lie inside the new rules."""
    async with gateway_world() as world:
        await created(world)

        with pytest.raises(InvalidInput) as caught:
            await updated(world, docs_fields(rules=(prefix("other.org"),)), mask=("rules",))

        assert "URL_OUTSIDE_SCOPE" == caught.value.reason


async def test_stale_etag_is_a_conflict() -> None:
    """A change that names an older revision's etag is refused."""
    async with gateway_world() as world:
        first = await created(world)
        await updated(world, ScopeFields(page_limit=9))

        with pytest.raises(Conflict) as caught:
            await updated(world, ScopeFields(page_limit=10), etag=first.etag)

        assert "ETAG_MISMATCH" == caught.value.reason


class OvertakenScopes:
    """A store in which somebody else changes the scope before each of our changes lands."""

    def __init__(self, world: GatewayWorld, times: int) -> None:
        self._real = world.ports.scopes
        self._times = times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    async def replace(self, stored: StoredScope, *, expected_revision: int) -> bool:
        if self._times > 0:
            self._times -= 1
            other = await self._real.get("main", stored.scope.scope_id)
            assert other is not None
            risen = replace(
                other.scope, revision=other.scope.revision + 1, depth_limit=self._times + 1
            )
            await self._real.replace(
                replace(other, scope=risen), expected_revision=other.scope.revision
            )
        return await self._real.replace(stored, expected_revision=expected_revision)


async def test_overtaken_update_keeps_both_changes() -> None:
    """An update without etag is applied to what the other one stored."""
    async with gateway_world() as world:
        await created(world)
        ports = overtaken(world, times=1)
        stored = await scope_requests.update_scope(
            ports,
            world.call(),
            scope_id=DOCS_ID,
            fields=ScopeFields(page_limit=9),
            mask=(),
            etag="",
        )

        scope = stored.scope
        assert (9, 1, 3) == (scope.page_limit, scope.depth_limit, scope.revision)


async def test_update_that_is_always_overtaken_ends_in_a_conflict() -> None:
    """No attempt is repeated for ever."""
    async with gateway_world() as world:
        await created(world)

        with pytest.raises(Conflict):
            await scope_requests.update_scope(
                overtaken(world, times=100),
                world.call(),
                scope_id=DOCS_ID,
                fields=ScopeFields(page_limit=9),
                mask=(),
                etag="",
            )


def overtaken(world: GatewayWorld, *, times: int) -> Ports:
    return replace(world.ports, scopes=cast(ScopeStore, OvertakenScopes(world, times)))


async def test_hidden_scope_looks_absent() -> None:
    """Whoever may not see a scope gets the same error as for one that is not there."""
    async with gateway_world() as world:
        await created(world, owner="ann")
        errors = []
        for scope_id in (DOCS_ID, ScopeId("absent")):
            with pytest.raises(NotFound) as caught:
                await scope_requests.get_scope(world.ports, world.call("bob"), scope_id)
            errors.append(caught.value.message.replace(scope_id, "…"))

        assert errors[0] == errors[1]


async def test_public_scope_is_seen_and_not_changed_by_others() -> None:
    """Everybody reads a public scope; only its owner changes it."""
    async with gateway_world() as world:
        await created(world, owner="ann", public=True)
        seen = await scope_requests.get_scope(world.ports, world.call("bob"), DOCS_ID)

        assert "ann" == seen.scope.owner
        with pytest.raises(NotPermitted):
            await updated(world, ScopeFields(page_limit=9), caller="bob")


async def test_listing_gives_every_visible_scope_once() -> None:
    """Pages of a listing join without gap or repetition, hidden scopes left out."""
    async with gateway_world() as world:
        for number in range(7):
            await created(world, scope_id=f"s{number}", owner="ann" if number == 3 else "local")
        names, token = [], ""
        for _ in range(10):
            scopes, token = await scope_requests.list_scopes(
                world.ports, world.call(), page_size=2, page_token=token
            )
            names += [stored.scope.scope_id for stored in scopes]
            if not token:
                break

        assert ["s0", "s1", "s2", "s4", "s5", "s6"] == names


async def test_deleted_scope_is_gone_and_its_id_goes_on_from_its_revision() -> None:
    """Whoever holds the deleted revision takes the new scope in as newer."""
    async with gateway_world() as world:
        await created(world)
        await scope_requests.delete_scope(world.ports, world.call(), scope_id=DOCS_ID, etag="")
        with pytest.raises(NotFound):
            await scope_requests.get_scope(world.ports, world.call(), DOCS_ID)

        assert 3 == (await created(world)).scope.revision


async def test_deleting_a_scope_cancels_its_open_jobs() -> None:
    """No job outlives its scope."""
    async with gateway_world() as world:
        await created(world)
        job = await job_requests.create_job(
            world.ports, world.call(), scope_id=DOCS_ID, urls=(), page_limit=0, request_id=""
        )
        await scope_requests.delete_scope(world.ports, world.call(), scope_id=DOCS_ID, etag="")
        publisher = RecordingPublisher()
        await relay(world.database, outbox, publisher)

        assert [CrawlScope, CancelJob] == [type(message) for message in publisher.messages]
        assert CancelJob(job_id=job.job_id) == publisher.messages[1]


async def test_projection_gets_every_change_also_after_a_failure() -> None:
    """A publication that failed is made up for; nothing is marked before it is stored."""
    async with gateway_world() as world:
        await created(world)
        world.projection.failures.append(StoreUnavailable("The bus is away."))
        with pytest.raises(StoreUnavailable):
            await project_dirty(world.ports)
        await project_dirty(world.ports)
        await project_dirty(world.ports)

        assert [1] == [scope.revision for scope in world.projection.published]


async def test_projection_learns_of_deletions() -> None:
    """A deleted scope is published with its mark."""
    async with gateway_world() as world:
        await created(world)
        await scope_requests.delete_scope(world.ports, world.call(), scope_id=DOCS_ID, etag="")
        await project_dirty(world.ports)

        assert [(2, True)] == [(s.revision, s.deleted) for s in world.projection.published]


async def test_change_during_publication_is_published_too() -> None:
    """The mark names the revision that was published, not the newest one."""
    async with gateway_world() as world:
        await created(world)
        (old,) = await world.ports.scopes.unprojected(10)
        await updated(world, ScopeFields(page_limit=9))
        await world.ports.scopes.mark_projected(old)

        assert [2] == [scope.revision for scope in await world.ports.scopes.unprojected(10)]


async def test_start_publishes_everything_again() -> None:
    """A lost bucket fills itself, deleted scopes included."""
    async with gateway_world() as world:
        await created(world, scope_id="a")
        await created(world, scope_id="b")
        await project_dirty(world.ports)
        await world.ports.scopes.mark_all_unprojected()
        await project_dirty(world.ports)

        assert ["a", "b", "a", "b"] == [scope.scope_id for scope in world.projection.published]


async def test_preview_counts_known_pages_by_the_rules_alone() -> None:
    """Matched and unmatched pages are counted, with examples; hidden ones are not known."""
    async with gateway_world() as world:
        await created(world)
        await created(world, scope_id="hidden", owner="ann", rules=(prefix("b.org"),), seeds=())
        urls = [f"{DOCS}guide/1", f"{DOCS}guide/2", f"{DOCS}blog", "https://b.org/secret"]
        world.says(
            KNOWN_URLS,
            KnownUrlsResponse(
                pages=tuple(KnownPage(canonical_url=url, access_context="public") for url in urls)
            ),
        )
        preview = await scope_requests.preview_scope(
            world.ports,
            world.call(),
            scope_id=None,
            rules=(prefix("docs.example.org/guide"), prefix("b.org")),
        )

        assert (2, 3, False) == (preview.matched_count, preview.known_count, preview.truncated)
        assert (f"{DOCS}blog",) == preview.unmatched_examples


async def test_preview_of_more_pages_than_it_reads_says_so() -> None:
    """A preview is bounded, and honest about it."""
    async with gateway_world(known_pages_max=2, known_pages_batch=1) as world:
        await created(world)
        page = KnownPage(canonical_url=f"{DOCS}a", access_context="public")
        asked = world.says(KNOWN_URLS, KnownUrlsResponse(pages=(page,), next_page_token="more"))
        preview = await scope_requests.preview_scope(
            world.ports, world.call(), scope_id=DOCS_ID, rules=()
        )

        assert (True, 2) == (preview.truncated, len(asked))


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


async def test_a_scope_names_the_reasons_that_count_to_it() -> None:
    """They travel with the scope to whoever reads changes; a word that is no reason is refused."""
    async with gateway_world() as world:
        stored = await created(world, ignored_reasons=("date",), retention_days=30)

        assert (("date",), 30) == (stored.scope.ignored_reasons, stored.scope.retention_days)
        with pytest.raises(InvalidInput):
            await created(world, scope_id="other", counted_reasons=("Number!",))
