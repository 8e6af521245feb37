"""Watches as their owners meet them: each is its maker's own."""

from dataclasses import replace
from typing import Any

import pytest

from scops.common.access.principal import Principal
from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.crawl import KnownPage, PagePlanResponse
from scops.common.contract.messages.types import ScopeRole
from scops.common.query.ports import PAGE_PLAN
from scops.gateway.watches.sender import SendResult
from tests.fakes.worlds.gateway import DOCS
from tests.fakes.worlds.methods import person, served
from tests.unit.gateway.alerts.world import ADDRESS, ANN, HOOK, NewsWorld, pages

SAM = person("sam")
CREATE = {"scope": "scopes/docs", "target": HOOK}


async def made(world: NewsWorld, caller: Principal = ANN, **fields: Any) -> Any:
    return await served(world.gateway, caller, "CreateWatch", {"watch": CREATE | fields})


async def refused(world: NewsWorld, caller: Principal, name: str, fields: Any) -> str:
    """Returns why a call is refused."""
    with pytest.raises(ScopsError) as caught:
        await served(world.gateway, caller, name, fields)
    return caught.value.reason


def with_email(caller: Principal) -> Principal:
    return replace(caller, email="ann@example.org")


async def share(world: NewsWorld, subject: str) -> None:
    grant = {"subject": subject, "role": "SCOPE_ROLE_VIEWER"}
    await world.serve("ShareScope", name="scopes/docs", grant=grant)


async def test_a_watch_is_shown_without_its_secrets(world: NewsWorld) -> None:
    """The one that its receiver checks by is shown once; nothing else ever."""
    created = await made(world, display_name="fees", condition={"words": ["fee"]})
    named = {"name": created.watch.name}
    got: Any = await served(world.gateway, ANN, "GetWatch", named)
    listed: Any = await served(world.gateway, ANN, "ListWatches", {})
    kept = await world.kept(created.watch.name)

    assert created.secret.startswith("whsec_")
    assert created.watch == got.watch == listed.watches[0]
    assert "https://hooks.example/…" == got.watch.target.address
    assert ("user:ann", "scopes/docs", ["fee"]) == (
        got.watch.principal,
        got.watch.scope,
        list(got.watch.condition.words),
    )
    assert b"hooks.example" not in kept.sealed
    assert ADDRESS == world.gateway.ports.alerts.seal.open(kept.sealed).address


async def test_nobody_else_meets_a_watch(world: NewsWorld) -> None:
    """Neither who may read its scope nor who owns it."""
    await share(world, "user:sam")
    watch = (await made(world, SAM)).watch
    listed: Any = await served(world.gateway, ANN, "ListWatches", {})
    reasons = {
        await refused(world, ANN, name, {"name": watch.name})
        for name in ("GetWatch", "DeleteWatch", "TestWatch")
    }
    update = {"watch": {"name": watch.name, "paused": True}}
    reasons.add(await refused(world, ANN, "UpdateWatch", update))

    assert [] == list(listed.watches)
    assert {"WATCH_NOT_FOUND"} == reasons
    assert "WATCH_NOT_FOUND" == await refused(world, SAM, "GetWatch", {"name": "watches/none"})


async def test_only_what_one_may_read_is_watched(world: NewsWorld) -> None:
    """A hidden scope or page is absent; one that a token alone opens is said to be so."""
    page = KnownPage(page_id=PageId("p-1"), canonical_url=f"{DOCS}a", access_context="public")
    world.gateway.says(PAGE_PLAN, PagePlanResponse(page=page))
    by_scope = await refused(world, SAM, "CreateWatch", {"watch": CREATE})
    by_page = {"page": "pages/p-1", "target": HOOK}
    of_page = await refused(world, SAM, "CreateWatch", {"watch": by_page})
    await share(world, "group:readers")
    by_token = replace(SAM, groups=frozenset({"readers"}))
    of_token = await refused(world, by_token, "CreateWatch", {"watch": CREATE})

    assert ("SCOPE_NOT_FOUND", "PAGE_NOT_FOUND") == (by_scope, of_page)
    assert "WATCH_NOT_READABLE" == of_token


async def test_a_key_makes_what_it_reaches_and_meets_no_more(world: NewsWorld) -> None:
    """A key for some scopes does not see what another one watches."""
    everything = (await made(world)).watch
    limited = replace(ANN, limited_to=frozenset({ScopeId("docs")}), ceiling=ScopeRole.VIEWER)
    own = (await made(world, limited)).watch
    elsewhere = replace(ANN, limited_to=frozenset({ScopeId("other")}))
    listed: Any = await served(world.gateway, limited, "ListWatches", {})

    assert [own.name] == [one.name for one in listed.watches]
    assert "WATCH_NOT_FOUND" == await refused(world, limited, "GetWatch", {"name": everything.name})
    assert "WATCH_NOT_FOUND" == await refused(world, elsewhere, "GetWatch", {"name": own.name})
    assert "SCOPE_NOT_FOUND" == await refused(world, elsewhere, "CreateWatch", {"watch": CREATE})


async def test_a_watch_is_changed_by_its_mask(world: NewsWorld) -> None:
    """Its secret stays where its address changes; its scope never does."""
    watch = await world.watch(display_name="fees")
    name = f"watches/{watch.watch_id}"
    before = world.gateway.ports.alerts.seal.open(watch.sealed)
    moved = {"name": name, "target": {"kind": "KIND_WEBHOOK", "address": "https://new.example/in"}}
    changed = await world.serve("UpdateWatch", watch=moved)
    after = world.gateway.ports.alerts.seal.open((await world.kept(name)).sealed)
    other = {"name": name, "target": {"kind": "KIND_EMAIL", "address": "ann@example.org"}}
    reasons = [
        await refused(world, with_email(ANN), "UpdateWatch", {"watch": other}),
        await refused(world, ANN, "UpdateWatch", {"watch": {"name": name}}),
        await refused(world, ANN, "UpdateWatch", {"watch": {"name": name}, "update_mask": "scope"}),
    ]

    assert ("fees", "https://new.example/…") == (
        changed.watch.display_name,
        changed.watch.target.address,
    )
    assert (before.secret, "https://new.example/in") == (after.secret, after.address)
    assert ["TARGET_KIND_FIXED", "MASK_UNUSABLE", "MASK_UNUSABLE"] == reasons


async def test_e_mail_goes_to_oneself_or_where_an_operator_lets_it_go(world: NewsWorld) -> None:
    """Nobody has a stranger written to."""

    def to(address: str) -> Any:
        return {"watch": CREATE | {"target": {"kind": "KIND_EMAIL", "address": address}}}

    own: Any = await served(world.gateway, with_email(ANN), "CreateWatch", to("Ann@example.org"))
    strangers = [
        await refused(world, ANN, "CreateWatch", to("ann@example.org")),
        await refused(world, with_email(ANN), "CreateWatch", to("eve@example.org")),
        await refused(world, with_email(ANN), "CreateWatch", to("ann@example.org@evil.org")),
    ]
    domains = frozenset({"example.org"})
    object.__setattr__(world.gateway.ports.alerts, "mail_domains", domains)
    team: Any = await served(world.gateway, ANN, "CreateWatch", to("team@example.org"))
    world.happens()

    assert ["RECIPIENT_REFUSED"] * 3 == strangers
    assert ("", "") == (own.secret, team.secret)
    assert "team@example.org" == team.watch.target.address
    assert 2 == len(await world.works(2))


async def test_another_schedule_counts_from_now(world: NewsWorld) -> None:
    """What is new goes out by it."""
    watch = await world.watch(schedule={"every": "EVERY_WEEK"})
    world.happens()
    changed = {"name": f"watches/{watch.watch_id}", "schedule": {"every": "EVERY_CHANGE"}}
    await world.serve("UpdateWatch", watch=changed)

    assert [["p-1"]] == pages(await world.works(2))


@pytest.mark.parametrize("failure", ["", "It answered 500."])
async def test_a_test_goes_out_and_changes_nothing(world: NewsWorld, failure: str) -> None:
    """Paused or not; its owner sees how it went."""
    watch = await world.watch(paused=True)
    world.gateway.sender.results = [SendResult(failure=failure)]
    tested = await world.serve("TestWatch", name=f"watches/{watch.watch_id}")
    ((message, target),) = world.gateway.sender.sent

    assert (not failure, failure) == (tested.delivered, tested.failure)
    assert ((), "test", ADDRESS) == (message.alerts, message.kind, target.address)
    assert message.delivery_id == tested.delivery_id
    assert watch == await world.kept(watch.watch_id)


async def test_nothing_is_left_of_a_deleted_watch(world: NewsWorld) -> None:
    """And nothing comes."""
    watch = await world.watch()
    world.happens()
    named = {"name": f"watches/{watch.watch_id}"}
    await world.serve("DeleteWatch", **named)

    assert [] == await world.works(2)
    assert "WATCH_NOT_FOUND" == await refused(world, ANN, "DeleteWatch", named)


async def test_each_may_have_so_many(world: NewsWorld) -> None:
    """One more is refused; another's do not count."""
    object.__setattr__(world.gateway.ports.alerts, "watches_max", 1)
    await share(world, "user:sam")
    await made(world)
    await made(world, SAM)

    assert "WATCH_QUOTA_REACHED" == await refused(world, ANN, "CreateWatch", {"watch": CREATE})


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"page": "pages/p-1"}, "SCOPE_OR_PAGE"),
        ({"scope": ""}, "SCOPE_OR_PAGE"),
        ({"scope": "docs"}, "MALFORMED_NAME"),
        ({"target": {"kind": "KIND_WEBHOOK", "address": "ftp://x"}}, "TARGET_UNUSABLE"),
        ({"target": {}}, "TARGET_NOT_OFFERED"),
        ({"target": {"kind": 9}}, "VALUE_UNKNOWN"),
        ({"condition": {"news": ["moved"]}}, "NEWS_UNKNOWN"),
        ({"condition": {"change_classes": ["none"]}}, "CHANGE_CLASS_UNKNOWN"),
        ({"condition": {"salience_min": 2}}, "CONDITION_UNUSABLE"),
        ({"schedule": {"time": "noon"}}, "SCHEDULE_UNUSABLE"),
        ({"schedule": {"time_zone": "Mars"}}, "TIME_ZONE_UNKNOWN"),
        ({"schedule": {"every": 9}}, "VALUE_UNKNOWN"),
        ({"display_name": "x" * 201}, "NAME_TOO_LONG"),
        ({"display_name": "a\x1b[2Jb"}, "TEXT_UNPRINTABLE"),
    ],
)
async def test_a_watch_that_cannot_be_is_refused(
    world: NewsWorld, fields: Any, reason: str
) -> None:
    """With what is wrong."""
    assert reason == await refused(world, ANN, "CreateWatch", {"watch": CREATE | fields})
