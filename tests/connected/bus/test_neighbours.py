"""A role that was taken over tries to act as another one, on a server with the real permissions."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import nats.errors
import pytest
from nats.aio.msg import Msg
from nats.js import api

from scops.common.bus.admin.dead_letters import MALFORMED, DeadLetters, HeldLetter
from scops.common.bus.admin.permissions import PROVISIONER, role_permissions, users
from scops.common.bus.admin.topology import durables_of
from scops.common.bus.consume.pulls import Gate, SharedPull
from scops.common.bus.nats_bus import NatsBus
from scops.common.contract import service_table, wire
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import derived_id
from scops.common.contract.messages.change import VersionAdded
from scops.common.contract.messages.crawl import DeadLetter, PageDead, PageFetched, PageGone
from scops.common.contract.messages.explanation import AnswerRequest, AnswerResponse
from scops.common.contract.service_table import BY_TYPE, DEAD_LETTER_STREAM, Lane, Role
from scops.common.observe.trail import NOWHERE
from scops.common.query.codec import request_headers
from scops.common.query.desk import Desk
from scops.common.query.nats_server import NatsQueryServer
from scops.common.query.ports import ANSWER, METHODS, RETRIEVE
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.service import QueryBinding
from tests.connected.bus.conftest import Open
from tests.connected.waiting import until
from tests.fakes.worlds.services import minimal, outgoing, page_gone

CLOCK = SystemClock()
SCOPES = "KV_scops_scopes"
REFUSED = (nats.errors.Error, TimeoutError)


def _letters(bus: NatsBus) -> DeadLetters:
    return DeadLetters(bus.jetstream, bus.publisher, clock=CLOCK)


def _letter(role: Role, message: type, **changes: Any) -> DeadLetter:
    """A letter as a consumer of a role writes it."""
    entry = BY_TYPE[message]
    subject = service_table.subject_of(minimal(message), lane=Lane.BULK, organisation_id="main")
    letter = DeadLetter(
        dead_letter_id=derived_id("letter", role, message.__name__),
        consumer=service_table.durable_name(role, entry, Lane.BULK),
        stream=entry.stream.name,
        stream_sequence=99,
        subject=subject,
        headers={"ce-id": "one", "ce-type": wire.full_name(message), "Nats-Rollup": "all"},
        data=wire.encode(minimal(message)),
        reason="BUG",
        detail="",
        dead_time=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return replace(letter, **changes)


def _subject(role: Role) -> str:
    return f"scops.crawl.v1.dead_letter.bulk.{role.value}"


async def _put(
    bus: NatsBus, letter: DeadLetter | bytes, subject: str, *, seconds: float = 10.0
) -> None:
    data = letter if isinstance(letter, bytes) else wire.encode(letter)
    await bus.jetstream.publish(subject, data, stream=DEAD_LETTER_STREAM.name, timeout=seconds)


async def _one(bus: NatsBus) -> HeldLetter:
    (held,) = await _letters(bus).all()
    return held


async def test_a_role_writes_letters_under_its_own_name_alone(open_as: Open) -> None:
    """The server refuses a letter on the subject of another role, or of none."""
    extractor, provisioner = await open_as("extractor"), await open_as(PROVISIONER)
    forged = _letter(Role.INDEXER, VersionAdded)

    for subject in (_subject(Role.INDEXER), "scops.crawl.v1.dead_letter.bulk.0c"):
        with pytest.raises(REFUSED):
            # The server answers nothing to what it refuses.
            await _put(extractor, forged, subject, seconds=0.5)

    assert () == await _letters(provisioner).all()


FORGERIES: dict[str, Callable[[], DeadLetter]] = {
    "of another's consumer": lambda: _letter(Role.INDEXER, VersionAdded),
    "of another's event": lambda: _letter(
        Role.EXTRACTOR,
        PageFetched,
        subject="scops.change.v1.version_added.bulk.00",
        stream="SCOPS_CHANGE_DETECTOR",
    ),
    "of another stream": lambda: _letter(Role.EXTRACTOR, PageFetched, stream="SCOPS_INDEXER"),
    "with a wildcard": lambda: _letter(
        Role.EXTRACTOR, PageFetched, subject="scops.crawl.v1.page_fetched.bulk.*"
    ),
    "with an id of its own making": lambda: _letter(
        Role.EXTRACTOR, PageFetched, dead_letter_id="\x1b[2Jall"
    ),
    "of an unknown consumer": lambda: _letter(Role.EXTRACTOR, PageFetched, consumer="nobody"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_a_forged_letter_is_never_replayed(open_as: Open, forgery: str) -> None:
    """It is listed with what is wrong with it, nothing is published for it, it can be dropped."""
    extractor, provisioner = await open_as("extractor"), await open_as(PROVISIONER)
    await _put(extractor, FORGERIES[forgery](), _subject(Role.EXTRACTOR))
    held = await _one(provisioner)
    before = await _sequences(provisioner)

    with pytest.raises(InvalidInput, match="cannot be replayed"):
        await _letters(provisioner).replay(held, unbound=True)

    assert held.fault
    assert before == await _sequences(provisioner)
    await _letters(provisioner).drop(held)
    assert () == await _letters(provisioner).all()


async def _sequences(bus: NatsBus) -> dict[str, int]:
    names = [stream.name for stream in service_table.streams()]
    return {name: (await bus.jetstream.stream_info(name)).state.last_seq for name in names}


@pytest.mark.parametrize("data", [b"", b"\xff\xff\xff", b"text", wire.encode(minimal(PageGone))])
async def test_a_malformed_letter_hides_no_other(open_as: Open, data: bytes) -> None:
    """Whole letters are read beside it; it has an id by which it can be dropped."""
    extractor, provisioner = await open_as("extractor"), await open_as(PROVISIONER)
    await _put(extractor, data, _subject(Role.EXTRACTOR))
    await _put(extractor, _letter(Role.EXTRACTOR, PageFetched), _subject(Role.EXTRACTOR))
    letters = _letters(provisioner)

    malformed, whole = await letters.all()

    assert (MALFORMED, "BUG") == (malformed.letter.reason, whole.letter.reason)
    assert malformed == await letters.find(malformed.letter.dead_letter_id)
    await letters.drop(malformed)
    assert (whole,) == await letters.all()


async def test_a_letter_hides_no_letter_of_another_role(open_as: Open) -> None:
    """Two roles that give one id to their letters both keep them."""
    extractor, indexer = await open_as("extractor"), await open_as("indexer")
    honest = _letter(Role.INDEXER, VersionAdded)
    await _put(indexer, honest, _subject(Role.INDEXER))
    copied = _letter(Role.EXTRACTOR, PageFetched, dead_letter_id=honest.dead_letter_id)
    await _put(extractor, copied, _subject(Role.EXTRACTOR))

    held = await _letters(await open_as(PROVISIONER)).all()

    assert [Role.INDEXER, Role.EXTRACTOR] == [one.author for one in held]


async def test_the_streams_own_message_is_replayed(open_as: Open) -> None:
    """What a letter says of body and headers counts for nothing while the stream has both."""
    fetcher, detector = await open_as("fetcher"), await open_as("change-detector")
    provisioner = await open_as(PROVISIONER)
    await fetcher.publisher.publish(outgoing(page_gone(7), "gone-7"))
    stream = BY_TYPE[PageGone].stream.name
    true = await provisioner.jetstream.get_msg(stream, seq=1)
    lie = _letter(
        Role.CHANGE_DETECTOR,
        PageGone,
        stream_sequence=1,
        data=b"a lie",
        subject=true.subject,
        headers={"ce-id": "gone-7", "scops-organisation": "another"},
    )
    await _put(detector, lie, _subject(Role.CHANGE_DETECTOR))

    await _letters(provisioner).replay(await _one(provisioner))

    replayed = await provisioner.jetstream.get_msg(stream, seq=2)
    assert true.data == replayed.data
    assert "main" == (replayed.headers or {})["scops-organisation"]


async def test_a_copy_goes_to_its_authors_consumer_without_the_servers_headers(
    open_as: Open,
) -> None:
    """What the stream forgot is published for the one durable of whoever copied it."""
    extractor, provisioner = await open_as("extractor"), await open_as(PROVISIONER)
    await _put(extractor, _letter(Role.EXTRACTOR, PageFetched), _subject(Role.EXTRACTOR))

    await _letters(provisioner).replay(await _one(provisioner))

    headers = (await provisioner.jetstream.get_msg("SCOPS_FETCHER", seq=1)).headers or {}
    assert "extractor-page_fetched-bulk" == headers["scops-replayed-for"]
    assert "Nats-Rollup" not in headers


async def test_a_letter_of_the_release_before_is_read_and_replayed_by_name(
    open_as: Open,
) -> None:
    """Its subject names no role: the copy in it is published only where the operator says so."""
    provisioner = await open_as(PROVISIONER)
    await _put(
        provisioner, _letter(Role.EXTRACTOR, PageFetched), "scops.crawl.v1.dead_letter.bulk.0c"
    )
    held = await _one(provisioner)

    with pytest.raises(InvalidInput, match="--unbound"):
        await _letters(provisioner).replay(held)

    assert ("", None) == (held.fault, held.author)
    assert await _letters(provisioner).replay(held, unbound=True)


async def test_no_reply_of_the_server_is_taken_for_a_question(open_as: Open) -> None:
    """The fetcher has its own message, and the server's answers, sent to a question's subject."""
    fetcher, explainer = await open_as("fetcher"), await open_as("explainer")
    asked: list[AnswerRequest] = []

    async def answer(request: AnswerRequest) -> AnswerResponse:
        asked.append(request)
        return minimal(AnswerResponse)  # type: ignore[no-any-return]

    server = NatsQueryServer(
        explainer.client, Desk([QueryBinding(method=ANSWER, answer=answer)], clock=CLOCK)
    )
    await server.start()
    until_then = CLOCK.now() + timedelta(seconds=60)
    await fetcher.jetstream.publish(
        "scops.crawl.v1.page_dead.bulk.fetcher",
        wire.encode(minimal(AnswerRequest)),
        headers=request_headers(until_then, organisation_id="main", trail=NOWHERE, assertion=""),
    )
    for subject, request in (
        ("CONSUMER.MSG.NEXT.SCOPS_DEAD_PAGES.fetcher-page_dead-bulk", {"batch": 1}),
        ("STREAM.MSG.GET.SCOPS_DEAD_PAGES", {"seq": 1}),
        ("STREAM.INFO.SCOPS_DEAD_PAGES", {}),
    ):
        body = json.dumps(request).encode()
        await fetcher.client.publish(f"$JS.API.{subject}", body, reply=ANSWER.subject)
    await fetcher.client.flush()
    await asyncio.sleep(0.5)

    assert [] == asked
    await server.stop(timeout_seconds=1)


async def test_an_answer_goes_to_an_inbox_alone(open_as: Open) -> None:
    """An asker cannot have the answering role publish an event, nor a question of its own."""
    gateway, retriever = await open_as("gateway"), await open_as("retriever")
    provisioner = await open_as(PROVISIONER)
    answered: list[object] = []

    async def answer(request: object) -> object:
        answered.append(request)
        return minimal(RETRIEVE.response)

    server = NatsQueryServer(
        retriever.client, Desk([QueryBinding(method=RETRIEVE, answer=answer)], clock=CLOCK)
    )
    await server.start()
    before = await _sequences(provisioner)
    headers = request_headers(
        CLOCK.now() + timedelta(seconds=60), organisation_id="main", trail=NOWHERE, assertion=""
    )
    for reply in (
        "scops.change.v1.version_added.bulk.00",
        "$JS.API.STREAM.DELETE.SCOPS_FETCHER",
        "scops.query.v1.fetcher.verify",
        "_INBOX_indexer.abc",
        "",
    ):
        data = wire.encode(minimal(RETRIEVE.request))
        await gateway.client.publish(RETRIEVE.subject, data, reply=reply, headers=headers)
    await gateway.client.flush()
    await asyncio.sleep(0.3)

    assert ([], before) == (answered, await _sequences(provisioner))
    await server.stop(timeout_seconds=1)


async def test_a_message_of_another_durable_is_not_handled(open_as: Open) -> None:
    """A message that the fetcher has sent to the pull of the change-detector is let fall."""
    fetcher, detector = await open_as("fetcher"), await open_as("change-detector")
    handled: list[str] = []

    async def handle(message: Msg) -> None:
        handled.append(message.subject)
        await message.ack()

    (durable,) = (
        one
        for one in durables_of([Role.CHANGE_DETECTOR])
        if one.contract.message is PageGone and one.lane is Lane.BULK
    )
    pull = SharedPull(detector.client, durable, slots=1, gate=Gate(), clock=CLOCK)
    await pull.open()
    serving = asyncio.create_task(pull.serve(handle))
    data = wire.encode(minimal(PageDead))
    await fetcher.jetstream.publish("scops.crawl.v1.page_dead.bulk.fetcher", data)
    await fetcher.client.publish(
        "$JS.API.CONSUMER.MSG.NEXT.SCOPS_DEAD_PAGES.fetcher-page_dead-bulk",
        b'{"batch": 1}',
        reply=pull._inbox,
    )
    await asyncio.sleep(0.3)
    await fetcher.publisher.publish(outgoing(page_gone(), "gone-1"))
    await until(lambda: bool(handled))

    assert ["page_gone"] == [subject.split(".")[3] for subject in handled]
    serving.cancel()


async def test_no_role_makes_a_consumer(open_as: Open) -> None:
    """Neither of the scopes' bucket nor of a stream, by none of the server's three ways."""
    provisioner = await open_as(PROVISIONER)
    streams = [SCOPES, *(stream.name for stream in service_table.streams())]
    before = {one: (await provisioner.jetstream.stream_info(one)).state for one in streams}
    for role in Role:
        bus = await open_as(role.value)
        for stream in streams:
            config = {"deliver_subject": "anywhere", "ack_policy": "none"}
            for place, named in (
                (f"CREATE.{stream}", {}),
                (f"CREATE.{stream}.mine", {"name": "mine"}),
                (f"CREATE.{stream}.mine.$KV.scops_scopes.>", {"name": "mine"}),
                (f"DURABLE.CREATE.{stream}.mine", {"durable_name": "mine"}),
            ):
                body = {"stream_name": stream, "config": {**config, **named}}
                await bus.client.publish(
                    f"$JS.API.CONSUMER.{place}", json.dumps(body).encode(), reply="_INBOX.x"
                )
        await bus.client.flush()

    for one in streams:
        state: api.StreamState = (await provisioner.jetstream.stream_info(one)).state
        assert before[one].consumer_count == state.consumer_count


async def test_a_role_speaks_of_its_own_consumers_deaths_alone(open_as: Open) -> None:
    """A `PageDead` in the name of another role's subject is refused by the server."""
    extractor, retriever = await open_as("extractor"), await open_as("retriever")
    data = wire.encode(minimal(PageDead))

    for bus, end in ((extractor, "indexer"), (extractor, "0c"), (retriever, "retriever")):
        with pytest.raises(REFUSED):
            await bus.jetstream.publish(
                f"scops.crawl.v1.page_dead.bulk.{end}", data, stream="SCOPS_DEAD_PAGES", timeout=0.3
            )


def test_no_permission_spans_the_streams() -> None:
    """Every subject of the server's API that a role may use names its stream and its durable."""
    for role in Role:
        for subject in role_permissions(role).publish:
            if subject.startswith(("$JS.API.CONSUMER", "$JS.API.STREAM")):
                assert not {"*", ">"} & set(subject.split(".")), subject
    assert len(users()) == len(Role) + 1
    assert all(method.askers for method in METHODS)


def test_the_release_before_may_run_beside() -> None:
    """With `--previous` its letters and its watches are allowed, and nothing is taken away."""
    for role in Role:
        now, beside = role_permissions(role), role_permissions(role, previous=True)
        assert set(now.publish) < set(beside.publish)
        assert "scops.crawl.v1.dead_letter.*.*" in beside.publish
        assert f"$JS.API.CONSUMER.CREATE.{SCOPES}" in beside.publish
