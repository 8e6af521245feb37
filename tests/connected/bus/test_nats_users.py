"""A user a role: each may do what the service table says, and nothing else."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import nats.errors
import pytest
from nats.aio.msg import Msg
from pydantic import SecretStr

from scops.common.bus import connection
from scops.common.bus.admin.permissions import PROVISIONER, role_permissions, users
from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract import service_table
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.messages.crawl import PageFetched, PageGone
from scops.common.contract.messages.retrieval import RetrieveRequest, RetrieveResponse
from scops.common.contract.service_table import BY_TYPE, MessageContract, Role
from scops.common.query.desk import Desk
from scops.common.query.nats_server import NatsQueryServer
from scops.common.query.ports import METHODS, RETRIEVE
from scops.common.runtime import runner as running
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.platform import open_platform
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import QueryBinding
from scops.common.scope.projection import ScopeProjection
from tests.connected.bus.conftest import Open, bus_address, user_settings
from tests.connected.runtime.test_scope_projection import SCOPE
from tests.connected.waiting import until
from tests.fakes.servers.nats import NatsServer
from tests.fakes.worlds.services import minimal, outgoing, page_gone, recording_services

CLOCK = SystemClock()


async def test_every_role_works_under_its_own_user(
    open_as: Open, server: NatsServer, common: CommonSettings, tmp_path: Path
) -> None:
    """Each role becomes ready, publishes all it produces, handles all it is owed, unrefused."""
    services, recorders = recording_services()
    runners: list[Runner] = []
    buses: dict[Role, NatsBus] = {}
    async with AsyncExitStack() as stack:
        for service in services:
            settings = user_settings(common, tmp_path, service.role.value)
            bus = buses[service.role] = await open_as(service.role.value)
            platform = await open_platform(
                settings,
                publisher=bus.publisher,
                query_client=bus.query_client,
                backlog=bus.backlog,
            )
            stack.push_async_callback(platform.close)
            runner = Runner([service], platform, bus)
            stack.push_async_callback(runner.stop)
            runners.append(runner)
            await runner.start()
        for runner in runners:
            await runner.until_running()
            assert {} == await runner.ready()
        for entry in service_table.MESSAGES:
            role, message = _published(entry)
            event_id = f"event-{entry.snake_name}"
            await buses[role].publisher.publish(outgoing(message, event_id))

        await until(lambda: all(recorder.finished == 1 for recorder in recorders.values()))
        for role in (Role.EXTRACTOR, Role.CHANGE_DETECTOR, Role.INDEXER, Role.FETCHER):
            assert 0 == await buses[Role.FETCHER].backlog(role)
        await asyncio.sleep(2 * running.LOOK_SECONDS)
    assert "Violation" not in server.log.read_text()


def _published(entry: MessageContract) -> tuple[Role, object]:
    """A message and a role that may publish it: its producer, else whose consumer it is about."""
    message = minimal(entry.message)
    if entry.producers:
        return entry.producers[0], message
    durable = service_table.durable_name(
        Role.EXTRACTOR, BY_TYPE[PageFetched], service_table.Lane.BULK
    )
    return Role.EXTRACTOR, replace(message, consumer=durable)


async def test_questions_and_answers_pass_between_users(open_as: Open) -> None:
    """Who may ask is answered, in an inbox of its own."""

    async def answer(request: RetrieveRequest) -> RetrieveResponse:
        return minimal(RetrieveResponse)  # type: ignore[no-any-return]

    retriever, explainer = await open_as("retriever"), await open_as("explainer")
    binding = QueryBinding(method=RETRIEVE, answer=answer)
    answering = NatsQueryServer(retriever.client, Desk([binding], clock=CLOCK, concurrency=1))
    await answering.start()

    asked = [
        await explainer.query_client.call(
            RETRIEVE, minimal(RetrieveRequest), deadline=CLOCK.now() + timedelta(seconds=5)
        )
        for _ in range(3)
    ]

    assert [minimal(RetrieveResponse)] * 3 == asked
    await answering.stop(timeout_seconds=1)


async def test_a_role_cannot_publish_what_it_does_not_own(open_as: Open) -> None:
    """The fetcher's verdict is refused by the server; what it owns is taken."""
    fetcher, provisioner = await open_as("fetcher"), await open_as(PROVISIONER)
    await fetcher.publisher.publish(outgoing(page_gone(), "gone-1"))
    foreign = [
        entry
        for entry in service_table.MESSAGES
        if entry.producers and Role.FETCHER not in entry.producers
    ]
    before = await _messages(provisioner)

    for entry in foreign:
        subject = service_table.subject_of(
            minimal(entry.message), lane=service_table.Lane.NOW, organisation_id="main"
        )
        with pytest.raises((nats.errors.Error, TimeoutError)):
            await fetcher.jetstream.publish(subject, b"x", stream=entry.stream.name, timeout=0.3)

    assert len(foreign) > 8
    assert before == await _messages(provisioner)


async def test_a_consumer_publishes_an_item_again_for_itself_alone(open_as: Open) -> None:
    """Under its name; the subject of another consumer, or of a message that is new, is refused."""
    extractor = await open_as("extractor")
    entry = BY_TYPE[PageFetched]
    stem = service_table.subject_stem(entry, service_table.Lane.BULK)

    async def publish(last: str) -> None:
        await extractor.jetstream.publish(
            f"{stem}.{last}", b"x", stream=entry.stream.name, timeout=0.3
        )

    await publish("extractor")
    for last in ("fetcher", "1c"):
        with pytest.raises((nats.errors.Error, TimeoutError)):
            await publish(last)


async def _messages(bus: NatsBus) -> dict[str, int]:
    names = [stream.name for stream in service_table.streams()]
    return {name: (await bus.jetstream.stream_info(name)).state.last_seq for name in names}


async def test_a_role_can_delete_and_create_nothing(open_as: Open) -> None:
    """Streams and durables belong to the provisioner."""
    for role in Role:
        bus = await open_as(role.value)
        impatient = bus.client.jetstream(timeout=0.3)
        stream = BY_TYPE[PageGone].stream.name
        durable = service_table.durable_name(
            Role.CHANGE_DETECTOR, BY_TYPE[PageGone], service_table.Lane.NOW
        )
        told = await asyncio.gather(
            impatient.delete_stream(stream),
            impatient.purge_stream(stream),
            impatient.add_stream(name="MINE", subjects=["mine.>"]),
            impatient.delete_consumer(stream, durable),
            impatient.delete_stream("KV_scops_scopes"),
            return_exceptions=True,
        )
        assert all(isinstance(one, nats.errors.Error | TimeoutError) for one in told), told

    provisioner = await open_as(PROVISIONER)
    assert stream in await _messages(provisioner)
    assert await provisioner.jetstream.consumer_info(stream, durable)


async def test_a_role_cannot_read_anothers_inbox_or_questions(open_as: Open) -> None:
    """Answers and questions of others never arrive."""
    indexer, gateway = await open_as("indexer"), await open_as("gateway")
    heard: list[str] = []

    async def hear(message: Msg) -> None:
        heard.append(message.subject)

    for subject in ("_INBOX_gateway.>", ">", RETRIEVE.subject, "scops.>"):
        await indexer.client.subscribe(subject, cb=hear)
    with pytest.raises((nats.errors.Error, TimeoutError)):
        await gateway.client.request(RETRIEVE.subject, b"a question", timeout=0.5)
    await gateway.jetstream.stream_info("KV_scops_scopes")

    assert [] == heard


async def test_a_role_takes_only_what_its_own_durables_are_owed(open_as: Open) -> None:
    """The extractor cannot take the change-detector's messages, nor acknowledge them."""
    fetcher, extractor = await open_as("fetcher"), await open_as("extractor")
    detector = await open_as("change-detector")
    await fetcher.publisher.publish(outgoing(page_gone(), "gone-1"))
    entry = BY_TYPE[PageGone]
    durable = service_table.durable_name(Role.CHANGE_DETECTOR, entry, service_table.Lane.BULK)

    theirs = await extractor.jetstream.pull_subscribe_bind(
        durable=durable, stream=entry.stream.name
    )
    with pytest.raises((nats.errors.Error, TimeoutError)):
        await theirs.fetch(1, timeout=0.5)

    own = await detector.jetstream.pull_subscribe_bind(durable=durable, stream=entry.stream.name)
    (message,) = await own.fetch(1, timeout=2)
    await message.ack_sync()


async def test_only_the_gateway_writes_scopes(open_as: Open) -> None:
    """Everybody reads the bucket, one role writes it."""
    gateway, fetcher = await open_as("gateway"), await open_as("fetcher")
    await ScopeProjection(gateway.jetstream, clock=CLOCK).publish_scope(SCOPE)

    with pytest.raises(StoreUnavailable):
        await ScopeProjection(fetcher.client.jetstream(timeout=0.2), clock=CLOCK).publish_scope(
            replace(SCOPE, revision=SCOPE.revision + 1)
        )


async def test_a_wrong_password_is_a_clear_error(
    server: NatsServer, common: CommonSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the settings, and never the password."""
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 1.0)
    wrong = common.model_copy(
        update={
            "nats_user": "fetcher",
            "nats_password": SecretStr("not-the-password"),
        }
    )

    with pytest.raises(StoreUnavailable, match="SCOPS_NATS_PASSWORD") as caught:
        await open_bus(bus_address(server), wrong)
    assert "not-the-password" not in str(caught.value)


async def test_a_password_in_the_address_works_and_is_not_told(
    server: NatsServer, common: CommonSettings, tmp_path: Path
) -> None:
    """Credentials in SCOPS_NATS_URL are as good; messages show the address without them."""
    password = (tmp_path / "passwords" / "gateway").read_text().strip()
    url = server.url.replace("nats://", f"nats://gateway:{password}@")
    bus = await open_bus(NatsAddress(url=url, monitor_url=""), common)
    with pytest.raises((nats.errors.Error, TimeoutError)):
        await bus.client.jetstream(timeout=0.3).delete_stream("SCOPS_FETCHER")
    await bus.close()

    assert password not in (await bus.problem() or "")


def test_permissions_name_every_user_once() -> None:
    """A user a role and one that provisions; every question has somebody who may ask it."""
    assert [*(role.value for role in Role), PROVISIONER] == [one.user for one in users()]
    for method in METHODS:
        assert all(method.subject in role_permissions(asker).publish for asker in method.askers)
    for role in Role:
        # Who consumes gives messages up, under its own name.
        dead = f"scops.crawl.v1.page_dead.*.{role.value}"
        consumes = bool(service_table.consumed_by(role))
        assert consumes == (dead in role_permissions(role).publish)
