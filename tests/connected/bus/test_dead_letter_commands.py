"""`scops deadletters` on a real bus: JSON for programs, a table for people."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from scops.common.bus.nats_bus import NatsBus
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import Role
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Service
from tests.connected.bus.test_dead_letters import Broken, dead_letters
from tests.connected.waiting import until
from tests.e2e.system import Ended, clean_environment, run_command
from tests.fakes.worlds.services import Recorder, outgoing, page_gone, service_of

Run = Callable[[Sequence[Service]], Awaitable[Runner]]


async def _scops(bus: NatsBus, *words: str) -> Ended:
    environment = {**clean_environment(), "SCOPS_NATS_URL": bus.address.url}
    return await asyncio.to_thread(run_command, *words, environment=environment)


async def test_letters_are_listed_shown_replayed_and_dropped(bus: NatsBus, run: Run) -> None:
    """From what died to what was mended, by the command alone."""
    broken = Broken()
    recorder = Recorder(react=broken)
    await run([service_of(Role.CHANGE_DETECTOR, PageGone, recorder)])
    for number in range(3):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
    await until(lambda: _count(bus, 3))

    listed = (await _scops(bus, "deadletters", "list", "--reason", "BUG")).json
    assert ["page-0", "page-1", "page-2"] == sorted(letter["about"] for letter in listed)
    first = listed[0]
    shown = (await _scops(bus, "deadletters", "show", first["id"][:10])).json
    assert first["about"] == shown["message"]["page_id"]
    assert "scops.crawl.v1.PageGone" == shown["headers"]["ce-type"]
    assert "The handler has a bug." == shown["detail"]

    broken.mended = True
    assert 1 == len((await _scops(bus, "deadletters", "replay", first["id"])).json["replayed"])
    await until(lambda: recorder.finished == 4)
    rest = (await _scops(bus, "deadletters", "replay", "--all")).json["replayed"]
    await until(lambda: recorder.finished == 6)
    assert {letter["id"] for letter in listed[1:]} == {letter["id"] for letter in rest}

    assert [] == (await _scops(bus, "deadletters", "drop", "--all")).json["dropped"]
    dropped = await _scops(bus, "deadletters", "drop", *(letter["id"] for letter in listed))
    assert 3 == len(dropped.json["dropped"])
    assert () == await dead_letters(bus).all()
    table = await _scops(bus, "--output", "text", "deadletters", "list")
    assert (0, True) == (table.code, "reason" in table.out)


async def _count(bus: NatsBus, wanted: int) -> bool:
    return len(await dead_letters(bus).all()) == wanted


async def test_bad_words_get_a_clear_error(bus: NatsBus) -> None:
    """An unknown id, and a command that names nothing, say what to do."""
    unknown = await _scops(bus, "deadletters", "show", "nothing")
    nameless = await _scops(bus, "deadletters", "drop")

    assert (3, "DEAD_LETTER_NOT_FOUND") == (unknown.code, unknown.json["error"]["reason"])
    assert (2, "DEAD_LETTERS_NOT_NAMED") == (nameless.code, nameless.json["error"]["reason"])
