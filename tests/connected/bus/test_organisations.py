"""Two organisations on one nats-server: an account each, and nothing of one is the other's."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import nats.errors
import pytest
from nats.js.api import ConsumerConfig
from nats.js.errors import KeyNotFoundError, NotFoundError
from pydantic import SecretStr

from scops.common.bus.admin.permissions import PROVISIONER
from scops.common.bus.admin.provisioner import provision
from scops.common.bus.admin.topology import SCOPE_BUCKET
from scops.common.bus.admin.watchdog import Watchdog
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract import service_table
from scops.common.contract.errors import Conflict, PermanentError, TransientError
from scops.common.contract.messages.retrieval import RetrieveRequest, RetrieveResponse
from scops.common.contract.organisations import bus_user, role_of_user
from scops.common.contract.service_table import Lane, Role
from scops.common.query.desk import Desk
from scops.common.query.nats_server import NatsQueryServer
from scops.common.query.ports import RETRIEVE
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.service import QueryBinding
from scops.common.scope.projection import ScopeProjection
from scops.standalone.process.nats_users import authorization
from tests.connected.bus.conftest import bus_address
from tests.connected.runtime.test_scope_projection import SCOPE
from tests.fakes.servers.nats import NatsServer, nats_server
from tests.fakes.servers.postgres import apart
from tests.fakes.worlds.services import minimal, outgoing, page_gone

CLOCK = SystemClock()
OTHER = "acme"
REFUSED = (nats.errors.Error, TimeoutError)
GONE_STREAM = "SCOPS_FETCHER"
GONE_DURABLE = "change-detector-page_gone-bulk"

OpenOf = Callable[..., Awaitable[NatsBus]]


def _settings(common: CommonSettings, folder: Path, organisation: str, user: str) -> CommonSettings:
    place = folder / "passwords" / ("" if organisation == "main" else organisation) / user
    return common.model_copy(
        update={
            "organisation_id": organisation,
            "nats_user": bus_user(organisation, user),
            "nats_password": SecretStr(place.read_text().strip()),
        }
    )


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[NatsServer, Path]]:
    """A server of two organisations; main has worked alone before the other one came."""
    folder = tmp_path_factory.mktemp("organisations")
    block = authorization(folder / "passwords", create=True)
    with nats_server(folder / "nats", authorization=block) as server:
        apart(lambda: asyncio.run(_work_alone(server, folder)))
        # As docs/deploy.md says: what the server kept for main becomes account main's.
        server.stop()
        kept = server.store / "jetstream"
        (kept / "$G").rename(kept / "main")
        block = authorization(folder / "passwords", create=True, organisations=[OTHER])
        server.authorize(block)
        server.start()
        apart(lambda: asyncio.run(_provision(server, folder, OTHER)))
        yield server, folder


async def _work_alone(server: NatsServer, folder: Path) -> None:
    await _provision(server, folder, "main")
    settings = _settings(CommonSettings(data_dir=folder), folder, "main", "fetcher")
    bus = await open_bus(bus_address(server), settings)
    await bus.publisher.publish(outgoing(page_gone(1), "gone-1"))
    await bus.close()


async def _provision(server: NatsServer, folder: Path, organisation: str) -> None:
    settings = _settings(CommonSettings(data_dir=folder), folder, organisation, PROVISIONER)
    bus = await open_bus(bus_address(server), settings)
    await provision(bus.jetstream, list(Role), common=settings)
    await bus.close()


@pytest.fixture
async def open_of(two: tuple[NatsServer, Path], common: CommonSettings) -> AsyncIterator[OpenOf]:
    """Connects as a user of an organisation."""
    server, folder = two
    async with AsyncExitStack() as stack:

        async def connect(organisation: str, user: str, **changes: Any) -> NatsBus:
            settings = _settings(common, folder, organisation, user).model_copy(update=changes)
            bus = await open_bus(bus_address(server), settings, name=user)
            stack.push_async_callback(bus.close)
            return bus

        yield connect


async def _streams(bus: NatsBus) -> dict[str, tuple[int, int]]:
    """Returns messages and last sequence of each stream that a provisioner sees."""
    return {
        str(info.config.name): (info.state.messages, info.state.last_seq)
        for info in await bus.jetstream.streams_info()
    }


async def test_what_main_had_stays_and_the_other_begins_empty(open_of: OpenOf) -> None:
    """Streams, buckets and durables of the same names are of one organisation each."""
    main, other = await open_of("main", PROVISIONER), await open_of(OTHER, PROVISIONER)
    ours, theirs = await _streams(main), await _streams(other)

    assert ours.keys() == theirs.keys()
    assert (1, 1) == ours[GONE_STREAM]
    assert {(0, 0)} == set(theirs.values())
    owed = [
        (await bus.jetstream.consumer_info(GONE_STREAM, GONE_DURABLE)).num_pending
        for bus in (main, other)
    ]
    assert [1, 0] == owed


async def test_nothing_that_one_does_reaches_the_other(open_of: OpenOf) -> None:
    """Not an event, a scope, a letter, nor what whoever may hear most would hear."""
    heard: list[str] = []

    async def hear(message: Any) -> None:
        heard.append(message.subject)

    listeners = []
    for role in Role:
        bus = await open_of(OTHER, role.value)
        await bus.client.subscribe(f"$KV.{SCOPE_BUCKET}.>", cb=hear)
        listeners.append(bus)
        await bus.client.flush()
    before = await _streams(await open_of(OTHER, PROVISIONER))
    gateway, fetcher = await open_of("main", "gateway"), await open_of("main", "fetcher")

    await ScopeProjection(gateway.jetstream, clock=CLOCK).publish_scope(SCOPE)
    for lane in Lane:
        await fetcher.publisher.publish(outgoing(page_gone(2), f"gone-{lane}", lane=lane))
    for bus in listeners:
        await bus.client.flush()

    assert before == await _streams(await open_of(OTHER, PROVISIONER))
    assert [] == heard
    bucket = await (await open_of(OTHER, "gateway")).jetstream.key_value(SCOPE_BUCKET)
    with pytest.raises(KeyNotFoundError):
        await bucket.get(f"main.{SCOPE.scope_id}")
    with pytest.raises(NotFoundError):
        await (await open_of(OTHER, "change-detector")).jetstream.get_msg(GONE_STREAM, seq=1)


@pytest.mark.parametrize(("mine", "foreign"), [(OTHER, "main"), ("main", OTHER)])
async def test_no_user_of_one_is_allowed_more_than_in_its_own(
    open_of: OpenOf, two: tuple[NatsServer, Path], mine: str, foreign: str
) -> None:
    """Subscriptions, consumers and streams are refused; the server says so of each."""
    server = two[0]
    refused = len(_violations(server))
    for user in (Role.INDEXER.value, PROVISIONER):
        bus = await open_of(mine, user)
        for subject in ("scops.>", "$KV.>" if user == PROVISIONER else "$JS.>", "_INBOX_fetcher.>"):
            await bus.client.subscribe(subject)
        await bus.client.flush()
    indexer = await open_of(mine, Role.INDEXER.value)
    for name in (f"KV_{SCOPE_BUCKET}", GONE_STREAM):
        with pytest.raises(REFUSED):
            await indexer.jetstream.add_consumer(name, ConsumerConfig(name="mine"), timeout=0.3)
    with pytest.raises(REFUSED):
        await indexer.client.request("$SYS.REQ.SERVER.PING", timeout=0.3)

    assert refused + 8 <= len(_violations(server))
    owner = await open_of(foreign, PROVISIONER)
    held = [one.name for one in await owner.jetstream.consumers_info(f"KV_{SCOPE_BUCKET}")]
    assert [] == held


def _violations(server: NatsServer) -> list[str]:
    return [line for line in server.log.read_text().splitlines() if "Violation" in line]


async def test_questions_stay_in_an_organisation(open_of: OpenOf) -> None:
    """Who answers for one is never asked by the other, whatever that calls itself."""
    asked: list[str] = []

    def binding(name: str) -> QueryBinding:
        async def answer(_: RetrieveRequest) -> RetrieveResponse:
            asked.append(name)
            return minimal(RetrieveResponse)  # type: ignore[no-any-return]

        return QueryBinding(method=RETRIEVE, answer=answer)

    async def ask(bus: NatsBus) -> Any:
        deadline = CLOCK.now() + timedelta(seconds=1)
        return await bus.query_client.call(RETRIEVE, minimal(RetrieveRequest), deadline=deadline)

    retriever = await open_of("main", "retriever")
    server = NatsQueryServer(retriever.client, Desk([binding("main")], clock=CLOCK))
    await server.start()

    with pytest.raises(TransientError, match="No retriever"):
        await ask(await open_of(OTHER, "explainer"))
    with pytest.raises(PermanentError, match="another organisation"):
        # A process with the users of one and the settings of another.
        await ask(await open_of("main", "explainer", organisation_id=OTHER))
    assert [] == asked
    assert minimal(RetrieveResponse) == await ask(await open_of("main", "explainer"))
    await server.stop(timeout_seconds=1)


async def test_a_process_on_the_bus_of_another_is_told(
    open_of: OpenOf, common: CommonSettings, two: tuple[NatsServer, Path]
) -> None:
    """It publishes nothing, becomes ready never, and its provisioner changes nothing."""
    for mine, foreign in (("main", OTHER), (OTHER, "main")):
        settings = _settings(common, two[1], mine, PROVISIONER)
        bus = await open_of(foreign, PROVISIONER, organisation_id=mine)
        with pytest.raises(Conflict, match="organisation is"):
            await provision(bus.jetstream, list(Role), common=settings)
        message = replace(outgoing(page_gone(3), "gone-3"), organisation_id=foreign)
        with pytest.raises(PermanentError, match="another organisation"):
            await bus.publisher.publish(message)
        assert "organisation is" in await _problem(bus, settings)


async def _problem(bus: NatsBus, common: CommonSettings) -> str:
    started: list[object] = []

    async def start(durable: object) -> None:
        started.append(durable)

    watchdog = Watchdog(bus.jetstream, (), [Role.FETCHER], common=common, on_present=start)
    await watchdog.check()
    await asyncio.sleep(0)
    assert [] == started
    return await watchdog.problem() or ""


def test_a_user_has_the_name_of_its_organisation() -> None:
    """And the role within it, which its inbox is called by."""
    users = {bus_user(one, role.value): role for one in ("main", OTHER, "fetcher") for role in Role}

    assert 3 * len(Role) == len(users)
    assert [role.value for role in users.values()] == [role_of_user(user) for user in users]
    assert service_table.ROLES.keys() == {role_of_user(user) for user in users}
