"""Grants, owners and forks: who may then do what, and what cannot be given."""

from dataclasses import replace

import pytest

from scops.common.access.permissions import IN_SCOPE, Permission
from scops.common.access.principal import InstallationRole, Principal
from scops.common.access.visibility import may, permissions_in, visible_scopes
from scops.common.contract.errors import InvalidInput, NotFound, NotPermitted
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Grant, Scope, ScopeRole
from scops.gateway.calls import Call
from scops.gateway.handlers import revisions, scopes, sharing
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world

DOCS = ScopeId("docs")
ROLES = (ScopeRole.VIEWER, ScopeRole.CONTRIBUTOR, ScopeRole.EDITOR)


def somebody(principal_id: str = "user:u-1", **changes: object) -> Principal:
    """Builds a caller."""
    caller = Principal(principal_id=principal_id, organisation_id="main")
    return replace(caller, **changes)  # type: ignore[arg-type]


def calling(world: GatewayWorld, principal: Principal) -> Call:
    """Builds a call of somebody."""
    return replace(world.call(), principal=principal)


async def share(
    world: GatewayWorld, subject: str, role: ScopeRole, *rights: str, caller: str = "ann"
) -> Scope:
    """Shares the scope `docs`."""
    stored = await sharing.share_scope(
        world.ports,
        world.call(caller),
        scope_id=DOCS,
        grant=Grant(subject=subject, role=role, rights=rights),
        etag="",
    )
    return stored.scope


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("subject", "caller"),
    [
        ("user:u-1", somebody()),
        ("user:Bob@Example.org", somebody(email="bob@example.org")),
        ("group:team", somebody(groups=frozenset({"team", "all"}))),
        ("service:robot", somebody("service:robot")),
    ],
)
async def test_a_grant_gives_its_role_to_whom_it_names(
    role: ScopeRole, subject: str, caller: Principal
) -> None:
    """By id, by confirmed e-mail address, by group; others see nothing."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann")
        scope = await share(world, subject, role)
        seen = await scopes.get_scope(world.ports, calling(world, caller), DOCS)

        assert role == seen.role
        assert IN_SCOPE[role] == permissions_in(caller, scope)
        with pytest.raises(NotFound):
            await scopes.get_scope(world.ports, calling(world, somebody("user:u-2")), DOCS)


async def test_a_grant_taken_back_hides_the_scope_at_once() -> None:
    """Without a role the subject's grant goes; one subject has one grant."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann")
        await share(world, "user:u-1", ScopeRole.EDITOR)
        lowered = await share(world, "user:u-1", ScopeRole.VIEWER)
        taken = await share(world, "user:u-1", ScopeRole.UNSPECIFIED)

        assert (Grant(subject="user:u-1", role=ScopeRole.VIEWER),) == lowered.grants
        assert () == taken.grants
        with pytest.raises(NotFound):
            await scopes.get_scope(world.ports, calling(world, somebody()), DOCS)


async def test_rights_are_given_beside_a_role() -> None:
    """A viewer who may pin pins, and changes no rule."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann")
        scope = await share(world, "user:u-1", ScopeRole.VIEWER, "pin", "crawl")

        assert IN_SCOPE[ScopeRole.VIEWER] | {Permission.PIN, Permission.CRAWL} == permissions_in(
            somebody(), scope
        )


async def test_nobody_gives_or_takes_what_they_have_not() -> None:
    """An editor who may share makes viewers, and neither purgers nor somebody without rights."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann")
        await share(world, "user:bob", ScopeRole.EDITOR, "share")
        await share(world, "user:eve", ScopeRole.VIEWER, "purge")
        await share(world, "user:u-1", ScopeRole.VIEWER, caller="user:bob")
        for subject, role, rights in (
            ("user:u-2", ScopeRole.VIEWER, ("purge",)),
            ("user:eve", ScopeRole.UNSPECIFIED, ()),
        ):
            with pytest.raises(NotPermitted):
                await share(world, subject, role, *rights, caller="user:bob")


@pytest.mark.parametrize(
    ("grant", "reason"),
    [
        (Grant(subject="ann", role=ScopeRole.VIEWER), "SUBJECT_INVALID"),
        (Grant(subject="user:", role=ScopeRole.VIEWER), "SUBJECT_INVALID"),
        (Grant(subject="group:*", role=ScopeRole.VIEWER), "SUBJECT_INVALID"),
        (Grant(subject="user:ann", role=ScopeRole.OWNER), "GRANT_OF_OWNERSHIP"),
        (Grant(subject="user:ann", role=ScopeRole.VIEWER, rights=("fly",)), "RIGHT_INVALID"),
        (Grant(subject="user:ann", role=ScopeRole.VIEWER, rights=("transfer",)), "RIGHT_INVALID"),
        (Grant(subject="user:ann", rights=("pin",)), "RIGHT_INVALID"),
    ],
)
async def test_what_cannot_be_granted_is_refused(grant: Grant, reason: str) -> None:
    """With what is wrong, and the scope as it was."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann")
        with pytest.raises(InvalidInput) as caught:
            await sharing.share_scope(
                world.ports, world.call("ann"), scope_id=DOCS, grant=grant, etag=""
            )

        assert reason == caught.value.reason
        assert 1 == (await scopes.get_scope(world.ports, world.call("ann"), DOCS)).scope.revision


async def test_a_new_owner_has_everything_and_the_old_one_edits() -> None:
    """An editor may not hand it on; what the new owner was granted before goes."""
    async with gateway_world() as world:
        await world.create_scope(owner="user:ann")
        await share(world, "user:u-1", ScopeRole.VIEWER, caller="user:ann")
        stored = await sharing.transfer_scope(
            world.ports, world.call("user:ann"), scope_id=DOCS, owner="user:u-1", etag=""
        )
        with pytest.raises(NotPermitted):
            await sharing.transfer_scope(
                world.ports, world.call("user:ann"), scope_id=DOCS, owner="user:ann", etag=""
            )
        seen = await scopes.get_scope(world.ports, calling(world, somebody()), DOCS)

        assert ScopeRole.EDITOR == stored.role
        assert ScopeRole.OWNER == seen.role
        assert (Grant(subject="user:ann", role=ScopeRole.EDITOR),) == seen.scope.grants


async def test_an_administrator_hands_a_scope_on_and_reads_no_page_of_it() -> None:
    """They see the definition; to read pages they must share it with themselves."""
    async with gateway_world() as world:
        scope = (await world.create_scope(owner="user:gone")).scope
        admin = somebody(roles=frozenset({InstallationRole.ADMINISTRATOR}))
        call = calling(world, admin)
        listed, _ = await scopes.list_scopes(world.ports, call, page_size=9, page_token="")

        assert [DOCS] == [stored.scope.scope_id for stored in listed]
        assert () == visible_scopes(admin, [scope])
        await sharing.transfer_scope(world.ports, call, scope_id=DOCS, owner="user:bob", etag="")
        assert "user:bob" == (await scopes.get_scope(world.ports, call, DOCS)).scope.owner


async def test_a_fork_is_the_caller_s_own_and_shared_with_nobody() -> None:
    """It has rules, seeds and limits of the other."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann", page_limit=7, public=True)
        await share(world, "group:team", ScopeRole.EDITOR)
        forked = await sharing.fork_scope(
            world.ports,
            world.call("bob"),
            scope_id=DOCS,
            new_id="mine",
            display_name="Mine",
            request_id="",
        )
        source = (await scopes.get_scope(world.ports, world.call("ann"), DOCS)).scope

        assert (source.rules, source.seeds, 7) == (
            forked.scope.rules,
            forked.scope.seeds,
            forked.scope.page_limit,
        )
        assert ("bob", "Mine", False, ()) == (
            forked.scope.owner,
            forked.scope.name,
            forked.scope.public,
            forked.scope.grants,
        )


async def test_only_who_may_share_sees_with_whom_it_is_shared() -> None:
    """Neither in the scope nor in its history."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann")
        await share(world, "user:u-1", ScopeRole.EDITOR)
        seen = await scopes.get_scope(world.ports, calling(world, somebody()), DOCS)
        history, _ = await revisions.list_revisions(
            world.ports, calling(world, somebody()), scope_id=DOCS, page_size=9, page_token=""
        )
        owners, _ = await revisions.list_revisions(
            world.ports, world.call("ann"), scope_id=DOCS, page_size=9, page_token=""
        )

        assert () == seen.scope.grants
        assert [(), ()] == [one.differences for one in history]
        assert [("shared: + user:u-1 editor",), ()] == [one.differences for one in owners]


async def test_fields_take_the_right_that_they_need() -> None:
    """An editor changes rules, and neither makes a scope public nor has versions dropped."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann")
        await share(world, "user:u-1", ScopeRole.EDITOR)

        async def update(mask: tuple[str, ...], wanted: Scope) -> None:
            await scopes.update_scope(
                world.ports,
                calling(world, somebody()),
                scope_id=DOCS,
                wanted=wanted,
                mask=mask,
                etag="",
            )

        await update(("page_limit",), Scope(page_limit=3))
        for mask, wanted in (
            (("public",), Scope(public=True)),
            (("retention_days",), Scope(retention_days=1)),
        ):
            with pytest.raises(NotPermitted):
                await update(mask, wanted)


async def test_a_contributor_adds_pages_and_changes_no_rule() -> None:
    """Each page is a rule of its own; what the scope holds already changes nothing."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann")
        await share(world, "user:u-1", ScopeRole.CONTRIBUTOR)
        call = calling(world, somebody())
        uris = ("https://other.example/a", "https://docs.example.org/in/already")
        added = await scopes.add_pages(
            world.ports, call, scope_id=DOCS, uris=uris, reason="we need it"
        )
        again = await scopes.add_pages(world.ports, call, scope_id=DOCS, uris=uris, reason="")
        history, _ = await revisions.list_revisions(
            world.ports, call, scope_id=DOCS, page_size=1, page_token=""
        )

        assert ["docs.example.org", "https://other.example/a"] == [
            rule.pattern for rule in added.scope.rules
        ]
        assert added.scope.revision == again.scope.revision
        assert ("user:u-1", "we need it", ("rules: + page https://other.example/a",)) == (
            history[0].change.principal,
            history[0].change.reason,
            history[0].differences,
        )


async def test_a_scope_goes_back_to_an_earlier_revision() -> None:
    """Its rules and limits, not its owner and grants; a revision that is none is refused."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann", page_limit=5)
        await world.update_scope(Scope(page_limit=9), mask=("page_limit",), caller="ann")
        await share(world, "user:u-1", ScopeRole.VIEWER)
        call = world.call("ann")
        back = await revisions.revert_scope(
            world.ports, call, scope_id=DOCS, revision=1, etag="", reason=""
        )
        with pytest.raises(NotFound):
            await revisions.revert_scope(
                world.ports, call, scope_id=DOCS, revision=77, etag="", reason=""
            )

        assert (5, 4) == (back.scope.page_limit, back.scope.revision)
        assert may(somebody(), Permission.ASK, back.scope)


@pytest.mark.parametrize("ceiling", [ScopeRole.VIEWER, ScopeRole.EDITOR])
def test_a_credential_bounds_what_its_bearer_may(ceiling: ScopeRole) -> None:
    """A role at most, and some scopes alone; roles of the installation do not come with it."""
    scope = Scope(scope_id=DOCS, organisation_id="main", owner="user:u-1", revision=1)
    bounded = somebody(ceiling=ceiling, roles=frozenset(InstallationRole))
    elsewhere = somebody(limited_to=frozenset({ScopeId("other")}))
    here = somebody(limited_to=frozenset({DOCS}))

    assert IN_SCOPE[ceiling] == permissions_in(bounded, scope)
    assert frozenset() == permissions_in(elsewhere, scope)
    assert IN_SCOPE[ScopeRole.OWNER] == permissions_in(here, scope)


@pytest.mark.parametrize("changes", [{"deleted": True}, {"organisation_id": "other"}])
def test_nothing_reaches_over_the_wall_of_organisations(changes: dict[str, object]) -> None:
    """Not the owner's id, not a public scope, not an administrator; a deleted scope is nobody's."""
    scope = Scope(scope_id=DOCS, organisation_id="main", owner="user:u-1", public=True, revision=1)
    caller = somebody(roles=frozenset(InstallationRole))

    assert frozenset() == permissions_in(caller, replace(scope, **changes))  # type: ignore[arg-type]
