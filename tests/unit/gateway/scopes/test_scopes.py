"""Scopes: creating, seeing, listing and removing them."""

from typing import Any

import pytest

from scops.common.contract.errors import AlreadyExists, InvalidInput, NotFound, NotPermitted
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.crawl import CancelJob, CrawlScope
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.db.outbox import relay
from scops.gateway.adapters.sql.tables import outbox
from scops.gateway.handlers import jobs
from scops.gateway.handlers import scopes as scope_requests
from tests.fakes.bus import RecordingPublisher
from tests.fakes.clock import ManualClock
from tests.fakes.worlds.gateway import DOCS, docs_fields, gateway_world, prefix

REQUEST = "8f14e45f-ceea-467f-ab5d-9f2b0a1c2d3e"

DOCS_ID = ScopeId("docs")


async def test_created_scope_is_owned_by_its_caller_at_revision_one() -> None:
    """A new scope has revision 1 and belongs to whoever created it."""
    async with gateway_world() as world:
        stored = await world.create_scope(owner="ann")

        assert ("ann", 1, "docs") == (stored.scope.owner, stored.scope.revision, stored.scope.name)


async def test_taken_id_is_refused() -> None:
    """Two scopes never share an id."""
    async with gateway_world() as world:
        await world.create_scope()

        with pytest.raises(AlreadyExists):
            await world.create_scope()


@pytest.mark.parametrize("scope_id", ["", "Docs", "1docs", "do cs", "a" * 64, "docs/x"])
async def test_malformed_scope_id_is_refused(scope_id: str) -> None:
    """An id is 1 to 63 of a-z, 0-9 and -, beginning with a letter."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput) as caught:
            await world.create_scope(scope_id=scope_id)

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
        ({"rendered_per_day": -2}, "LIMIT_OUT_OF_RANGE", "scope.rendered_per_day"),
        (
            {"rendered_per_day": -1, "rendered_always": True},
            "RENDERING_CONTRADICTED",
            "scope.rendered_always",
        ),
        ({"name": "x" * 201}, "DISPLAY_NAME_TOO_LONG", "scope.display_name"),
        ({"seeds": tuple(f"{DOCS}{n}" for n in range(1001))}, "TOO_MANY_URLS", "scope.seeds"),
    ],
)
async def test_unusable_scope_is_refused_with_its_field(
    fields: dict[str, Any], reason: str, field: str
) -> None:
    """What cannot be used is refused before it is stored, and the error names the field."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput) as caught:
            await world.create_scope(**fields)

        assert (reason, field) == (caught.value.reason, caught.value.metadata["field"])
        assert await world.ports.scopes.get("main", DOCS_ID) is None


async def test_error_about_a_seed_with_credentials_hides_them() -> None:
    """A secret in a URL is never repeated."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput) as caught:
            await world.create_scope(seeds=("https://ann:secret@docs.example.org/",))

        assert "secret" not in caught.value.message


async def test_seeds_and_hosts_are_stored_canonical() -> None:
    """Spellings that would match nothing are brought to the form that pages have."""
    async with gateway_world() as world:
        rules = (
            prefix("Docs.Example.org/Guide"),
            ScopeRule(kind=RuleKind.PAGE, pattern="http://DOCS.example.org/ä#part"),
            ScopeRule(kind=RuleKind.PAGE, pattern="docs.example.org"),
        )
        stored = await world.create_scope(rules=rules, seeds=("https://docs.example.org/Guide#x",))

        patterns = [rule.pattern for rule in stored.scope.rules]
        pages = ["http://docs.example.org/%C3%A4", "https://docs.example.org/"]
        assert ["docs.example.org/Guide", *pages] == patterns
        assert ("https://docs.example.org/Guide",) == stored.scope.seeds


async def test_repeated_request_id_creates_once() -> None:
    """The same request twice returns the first scope."""
    async with gateway_world() as world:
        arguments: dict[str, Any] = {
            "scope_id": "docs",
            "wanted": docs_fields(),
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
            ports, call, scope_id="docs", wanted=docs_fields(), request_id=REQUEST
        )

        with pytest.raises(InvalidInput) as caught:
            await scope_requests.create_scope(
                ports, call, scope_id="other", wanted=docs_fields(), request_id=REQUEST
            )

        assert "REQUEST_ID_REUSED" == caught.value.reason


async def test_failed_create_leaves_its_request_id_free() -> None:
    """A request that failed may be repeated corrected, with the same id."""
    async with gateway_world() as world:
        await world.create_scope()
        ports, call = world.ports, world.call()
        with pytest.raises(AlreadyExists):
            await scope_requests.create_scope(
                ports, call, scope_id="docs", wanted=docs_fields(), request_id=REQUEST
            )

        other = await scope_requests.create_scope(
            ports, call, scope_id="other", wanted=docs_fields(), request_id=REQUEST
        )

        assert "other" == other.scope.scope_id


async def test_hidden_scope_looks_absent() -> None:
    """Whoever may not see a scope gets the same error as for one that is not there."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann")
        errors = []
        for scope_id in (DOCS_ID, ScopeId("absent")):
            with pytest.raises(NotFound) as caught:
                await scope_requests.get_scope(world.ports, world.call("bob"), scope_id)
            errors.append(caught.value.message.replace(scope_id, "…"))

        assert errors[0] == errors[1]


async def test_public_scope_is_seen_and_not_changed_by_others() -> None:
    """Everybody reads a public scope; only its owner changes it."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann", public=True)
        seen = await scope_requests.get_scope(world.ports, world.call("bob"), DOCS_ID)

        assert "ann" == seen.scope.owner
        with pytest.raises(NotPermitted):
            await world.update_scope(Scope(page_limit=9), caller="bob")


async def test_listing_gives_every_visible_scope_once() -> None:
    """Pages of a listing join without gap or repetition, hidden scopes left out."""
    async with gateway_world() as world:
        for number in range(7):
            await world.create_scope(scope_id=f"s{number}", owner="ann" if number == 3 else "bob")
        names, token = [], ""
        for _ in range(10):
            scopes, token = await scope_requests.list_scopes(
                world.ports, world.call("bob"), page_size=2, page_token=token
            )
            names += [stored.scope.scope_id for stored in scopes]
            if not token:
                break

        assert ["s0", "s1", "s2", "s4", "s5", "s6"] == names


async def test_deleted_scope_is_gone_and_its_id_goes_on_from_its_revision() -> None:
    """Whoever holds the deleted revision takes the new scope in as newer."""
    async with gateway_world() as world:
        await world.create_scope()
        await scope_requests.delete_scope(world.ports, world.call(), scope_id=DOCS_ID, etag="")
        with pytest.raises(NotFound):
            await scope_requests.get_scope(world.ports, world.call(), DOCS_ID)

        assert 3 == (await world.create_scope()).scope.revision


async def test_deleting_a_scope_cancels_its_open_jobs() -> None:
    """No job outlives its scope."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await jobs.create_job(
            world.ports, world.call(), scope_id=DOCS_ID, urls=(), page_limit=0, request_id=""
        )
        await scope_requests.delete_scope(world.ports, world.call(), scope_id=DOCS_ID, etag="")
        publisher = RecordingPublisher()
        await relay(world.database, outbox, publisher, clock=ManualClock())

        assert [CrawlScope, CancelJob] == [type(message) for message in publisher.messages]
        assert CancelJob(job_id=job.job_id) == publisher.messages[1]


async def test_a_scope_names_the_reasons_that_count_to_it() -> None:
    """They travel with the scope to whoever reads changes; a word that is no reason is refused."""
    async with gateway_world() as world:
        stored = await world.create_scope(ignored_reasons=("date",), retention_days=30)

        assert (("date",), 30) == (stored.scope.ignored_reasons, stored.scope.retention_days)
        with pytest.raises(InvalidInput):
            await world.create_scope(scope_id="other", counted_reasons=("Number!",))
