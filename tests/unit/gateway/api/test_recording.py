"""Whatever changes anything, or takes pages away, is in the audit, before and after.

What is only read is not.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from google.protobuf import json_format

from scops.common.access.principal import LOCAL, anonymous_principal
from scops.common.contract.errors import ScopsError, StoreUnavailable
from scops.gateway.audit.entry import BEGUN, AuditEntry, AuditFilter
from scops.gateway.audit.facts import facts_of, resource_of
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world, principal_of
from tests.fakes.worlds.methods import BOUND, calling, person, requests_of, responses
from tests.fakes.worlds.talkative import say_everything

SECRETS = ("t0p-s3cret-token", "https://hidden.example/quillfeather")
CHANGING = sorted(
    name for name, bound in BOUND.items() if not bound.method.read_only or name == "ExportPages"
)


@pytest.fixture
async def world() -> AsyncIterator[GatewayWorld]:
    async with gateway_world() as opened:
        await opened.create_scope("docs")
        say_everything(opened, range(1))
        yield opened


def request_of(name: str, **changes: Any) -> Any:
    said = requests_of(name, "docs", "pages/p-1", "https://docs.example.org/a")
    return json_format.ParseDict({**said, **changes}, BOUND[name].request())


async def asked(world: GatewayWorld, name: str, request: Any) -> str:
    """Serves a call; returns the code that it ended with."""
    call = calling(world, principal_of(LOCAL))
    try:
        await responses(world, name, request, call)
    except ScopsError:
        return "failed"
    return "OK"


async def entries(world: GatewayWorld) -> tuple[AuditEntry, ...]:
    newest = await world.ports.audit.newest("main", AuditFilter(), before=0, limit=100)
    return newest[::-1]


@pytest.mark.parametrize("name", CHANGING)
async def test_every_call_that_changes_anything_has_two_entries(
    world: GatewayWorld, name: str
) -> None:
    """That it began, with what it said, and how it ended."""
    ended = await asked(world, name, request_of(name))
    begun, after = await entries(world)

    assert (name, BEGUN, "local") == (begun.action, begun.outcome, begun.principal)
    assert (name, ended == "OK") == (after.action, after.outcome == "OK")
    assert begun.request_id == after.request_id
    assert ended == "OK" or "reason" in [fact.name for fact in after.facts]


@pytest.mark.parametrize("name", sorted(set(BOUND) - set(CHANGING)))
async def test_what_is_only_read_has_none(world: GatewayWorld, name: str) -> None:
    """Neither queries nor pages stand in the audit."""
    await asked(world, name, request_of(name))

    assert () == await entries(world)


@pytest.mark.parametrize("name", ["Answer", "StreamAnswer"])
@pytest.mark.parametrize("policy", ["IF_RISKY", "ALWAYS"])
async def test_an_answer_that_has_pages_fetched_is_there(
    world: GatewayWorld, policy: str, name: str
) -> None:
    """With its scopes, and not with its words."""
    request = request_of(name, query=SECRETS[0], revalidate=f"REVALIDATE_{policy}")
    assert "OK" == await asked(world, name, request)
    begun, ended = await entries(world)

    assert (name, BEGUN, "OK") == (begun.action, begun.outcome, ended.outcome)
    facts = {fact.name: fact.value for fact in begun.facts}
    assert {"scopes": "scopes/docs", "revalidate": f"REVALIDATE_{policy}"} == facts
    assert SECRETS[0] not in repr((begun, ended))


@pytest.mark.parametrize("name", ["Search", "Answer", "StreamAnswer", "Explain"])
async def test_an_operator_may_have_every_question(world: GatewayWorld, name: str) -> None:
    """With its words; what lists and reads pages is no question."""
    open_world = replace(world, ports=replace(world.ports, audits_queries=True))
    await asked(open_world, name, request_of(name, query="how much?"))
    await asked(open_world, "ListPages", request_of("ListPages"))
    begun, _ = await entries(world)

    assert (name, "how much?") == (begun.action, begun.facts[0].value)


async def test_a_new_thing_is_named_when_it_is_there(world: GatewayWorld) -> None:
    """The request has no name yet."""
    await asked(world, "CreateScope", request_of("CreateScope"))
    begun, ended = await entries(world)

    assert ("", "scopes/new-docs") == (begun.resource, ended.resource)
    assert ("scope_id", "new-docs") in [(fact.name, fact.value) for fact in begun.facts]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ClaimInstallation", {"token": SECRETS[0]}),
        ("AddPages", {"uris": [SECRETS[1]]}),
        ("PurgePages", {"uri_prefixes": [SECRETS[1]], "reason": SECRETS[1]}),
        ("CreateJob", {"job": {"scope": "scopes/docs", "urls": [SECRETS[1]]}}),
        (
            "CreateScope",
            {"scope": {"rules": [{"kind": "KIND_PAGE", "pattern": SECRETS[1]}]}},
        ),
        ("PinPageVersion", {"note": SECRETS[1]}),
    ],
)
def test_no_secret_and_no_address_of_a_page_is_kept(name: str, changes: dict[str, Any]) -> None:
    """Lists are counted; of a purge not even the reason stays."""
    request = request_of(name, **changes)
    said = repr((facts_of(request), resource_of(request)))

    assert not any(secret in said for secret in SECRETS)


async def test_nothing_is_done_where_the_audit_cannot_be_written(
    world: GatewayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry stands before what it says."""

    async def refused(_: AuditEntry) -> AuditEntry:
        raise StoreUnavailable("The disk is full.")

    monkeypatch.setattr(type(world.ports.audit), "append", staticmethod(refused))
    before = await world.ports.scopes.all("main")
    with pytest.raises(StoreUnavailable):
        await BOUND["CreateScope"].answer(
            world.ports, request_of("CreateScope"), calling(world, principal_of(LOCAL))
        )

    assert before == await world.ports.scopes.all("main")


async def test_a_call_whose_end_cannot_be_written_is_answered(
    world: GatewayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was done, and its beginning is in the audit."""
    log, append = world.ports.audit, world.ports.audit.append

    async def once(entry: AuditEntry) -> AuditEntry:
        if entry.outcome != BEGUN:
            raise StoreUnavailable("The disk is full.")
        return await append(entry)

    monkeypatch.setattr(type(log), "append", staticmethod(once))
    assert "OK" == await asked(world, "CreateScope", request_of("CreateScope"))

    assert [BEGUN] == [entry.outcome for entry in await entries(world)]


async def test_what_is_only_tried_has_no_entry(world: GatewayWorld) -> None:
    """A purge that only says what it would take."""
    assert "OK" == await asked(world, "PurgePages", request_of("PurgePages", dry_run=True))

    assert () == await entries(world)


async def test_who_may_not_is_recorded_too(world: GatewayWorld) -> None:
    """Somebody known without the right of the installation; nobody known is not."""
    for who in (person("eve"), anonymous_principal("main")):
        with pytest.raises(ScopsError):
            await BOUND["SetInstallationRole"].answer(
                world.ports, request_of("SetInstallationRole"), calling(world, who)
            )

    found = [(one.principal, one.outcome) for one in await entries(world)]
    assert [("user:eve", BEGUN), ("user:eve", "PERMISSION_DENIED")] == found
