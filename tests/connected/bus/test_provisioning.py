"""The provisioner makes what the contract says, may be repeated, and never changes in silence."""

import pytest
from nats.js import api

from scops.common.bus.admin.durability import durability_check, syncs_always
from scops.common.bus.admin.provisioner import provision
from scops.common.bus.admin.topology import ADVISORY_STREAM, SCOPE_BUCKET, durables_of
from scops.common.bus.embedded.nats_child import NatsChild
from scops.common.bus.nats_bus import NatsBus
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import Conflict
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import BY_TYPE, MESSAGES, Lane, Role, durable_name, streams
from tests.connected.waiting import until

ROLES = list(Role)


async def test_provisioning_twice_changes_nothing(
    bare_bus: NatsBus, common: CommonSettings
) -> None:
    """The first run creates everything, the second finds everything."""
    first = await provision(bare_bus.jetstream, ROLES, common=common)
    second = await provision(bare_bus.jetstream, ROLES, common=common)

    durables = {durable.name for durable in durables_of(ROLES)}
    names = {stream.name for stream in streams()} | durables | {ADVISORY_STREAM, SCOPE_BUCKET}
    assert set(first.created) == names
    assert set(second.unchanged) == names
    assert second.created == second.widened == ()


async def test_only_the_durables_of_the_given_roles_are_made(
    bare_bus: NatsBus, common: CommonSettings
) -> None:
    """A durable of a role that does not run would hold messages for ever."""
    await provision(bare_bus.jetstream, [Role.EXTRACTOR], common=common)

    infos = await bare_bus.jetstream.consumers_info("SCOPS_FETCHER")

    assert sorted(info.name for info in infos) == [
        "extractor-page_fetched-bulk",
        "extractor-page_fetched-frames",
        "extractor-page_fetched-now",
    ]


async def test_streams_and_durables_have_the_measured_options(bus: NatsBus) -> None:
    """Interest, file, discard new, bounded size; explicit acks without a limit of deliveries."""
    info = await bus.jetstream.stream_info("SCOPS_FETCHER")
    consumer = await bus.jetstream.consumer_info(
        "SCOPS_FETCHER", durable_name(Role.CHANGE_DETECTOR, BY_TYPE[PageGone], Lane.NOW)
    )

    assert info.config.retention == api.RetentionPolicy.INTEREST
    assert info.config.storage == api.StorageType.FILE
    assert info.config.discard == api.DiscardPolicy.NEW
    assert info.config.max_bytes == 16 * 1024 * 1024
    assert info.config.duplicate_window == 120
    assert consumer.config.ack_policy == api.AckPolicy.EXPLICIT
    assert consumer.config.max_deliver == -1
    assert consumer.config.filter_subject == "scops.crawl.v1.page_gone.now.*"


async def test_a_changed_stream_is_refused_with_what_differs(
    bus: NatsBus, common: CommonSettings
) -> None:
    """An update could cut stored messages; the operator decides."""
    config = (await bus.jetstream.stream_info("SCOPS_INDEXER")).config
    await bus.jetstream.update_stream(config.evolve(max_age=600.0))

    with pytest.raises(Conflict, match=r"SCOPS_INDEXER exists and differs: .*max_age is 600"):
        await provision(bus.jetstream, ROLES, common=common)


async def test_a_changed_durable_is_refused(bus: NatsBus, common: CommonSettings) -> None:
    """A limit of deliveries would strand messages unseen."""
    name = durable_name(Role.CHANGE_DETECTOR, BY_TYPE[PageGone], Lane.NOW)
    config = (await bus.jetstream.consumer_info("SCOPS_FETCHER", name)).config
    await bus.jetstream.add_consumer("SCOPS_FETCHER", config.evolve(max_deliver=3))

    with pytest.raises(Conflict, match="max_deliver is 3, wanted -1"):
        await provision(bus.jetstream, ROLES, common=common)


async def test_more_messages_in_hand_are_given_in_place(
    bus: NatsBus, common: CommonSettings
) -> None:
    """No message is touched by it; what has more than is wanted stays as it is."""
    name = durable_name(Role.CHANGE_DETECTOR, BY_TYPE[PageGone], Lane.NOW)
    config = (await bus.jetstream.consumer_info("SCOPS_FETCHER", name)).config
    wanted = int(config.max_ack_pending or 0)
    seen = []
    for given in (wanted // 4, wanted * 2):
        await bus.jetstream.add_consumer("SCOPS_FETCHER", config.evolve(max_ack_pending=given))
        done = await provision(bus.jetstream, ROLES, common=common)
        found = (await bus.jetstream.consumer_info("SCOPS_FETCHER", name)).config
        seen.append((name in done.widened, found.max_ack_pending))

    assert [(True, wanted), (False, wanted * 2)] == seen


async def test_more_room_and_new_messages_widen_a_stream_in_place(
    bus: NatsBus, common: CommonSettings
) -> None:
    """What only adds is done: a larger limit, a subject of a newer version."""
    config = (await bus.jetstream.stream_info("SCOPS_FETCHER")).config
    fewer = [subject for subject in config.subjects or [] if "page_gone" not in subject]
    for lane in Lane:
        name = durable_name(Role.CHANGE_DETECTOR, BY_TYPE[PageGone], lane)
        await bus.jetstream.delete_consumer("SCOPS_FETCHER", name)
    await bus.jetstream.update_stream(config.evolve(subjects=fewer))
    roomier = common.model_copy(update={"bus_stream_bytes_max": 20 * 1024 * 1024})

    done = await provision(bus.jetstream, ROLES, common=roomier)

    found = (await bus.jetstream.stream_info("SCOPS_FETCHER")).config
    assert set(done.widened) == {stream.name for stream in streams()}
    assert sorted(found.subjects or []) == sorted(config.subjects or [])
    assert found.max_bytes == 20 * 1024 * 1024


async def test_every_subject_has_exactly_one_stream(bus: NatsBus) -> None:
    """No message can fall between streams, or into two."""
    for entry in MESSAGES:
        for lane in Lane:
            subject = f"scops.{entry.message.__module__.rsplit('.', 1)[-1]}.v1.{entry.snake_name}"
            found = await bus.jetstream.find_stream_name_by_subject(f"{subject}.{lane}.00")
            assert (entry.stream.name, subject) == (found, subject)


async def test_advisories_are_kept(bus: NatsBus) -> None:
    """What the server says about deliveries given up is stored: advisories are core messages."""
    jetstream = bus.jetstream
    await jetstream.add_stream(api.StreamConfig(name="OTHER", subjects=["other"]))
    await jetstream.add_consumer("OTHER", api.ConsumerConfig(durable_name="d", ack_wait=30))
    await jetstream.publish("other", b"x", stream="OTHER")
    pull = await jetstream.pull_subscribe_bind(durable="d", stream="OTHER")
    (message,) = await pull.fetch(1, timeout=5)
    await message.term()

    async def kept() -> bool:
        return (await jetstream.stream_info(ADVISORY_STREAM)).state.messages == 1

    await until(kept)


async def test_the_embedded_server_syncs_every_write(nats_server: NatsChild) -> None:
    """An acknowledged publication survives a power cut; readiness asserts it."""
    assert await syncs_always(nats_server.address.monitor_url)
    assert await durability_check(nats_server.address.monitor_url).probe() is None


async def test_an_unsynced_or_silent_server_is_not_ready(
    nats_server: NatsChild, common: CommonSettings
) -> None:
    """A monitoring endpoint that does not answer is a problem, not a pass."""
    problem = await durability_check("http://127.0.0.1:9").probe()

    assert problem is not None
    assert "does not answer" in problem
