"""A loop on which patient work waits, and is not starved."""

import asyncio
import socket
import threading
from collections.abc import Coroutine
from contextlib import nullcontext, suppress
from typing import Any

import pytest

from scops.common.runtime import prompt_loop
from scops.common.runtime.prompt_loop import (
    PROMPT_STEPS_MAX,
    PromptLoop,
    give_way,
    is_patient,
    patiently,
)

CROWD = 50


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=PromptLoop) as runner:
        return runner.run(work)


class _Steps:
    """Tasks that always have a step to run, and how many each kind has run."""

    def __init__(self) -> None:
        self.patient = self.prompt = 0

    async def go_on_patiently(self) -> None:
        while True:
            self.patient += 1
            await asyncio.sleep(0)

    async def go_on_promptly(self) -> None:
        while True:
            self.prompt += 1
            await asyncio.sleep(0)

    def crowd(self) -> list[asyncio.Task[None]]:
        with patiently():
            return [asyncio.create_task(self.go_on_patiently()) for _ in range(CROWD)]


def test_a_prompt_step_waits_for_one_patient_step_and_no_more() -> None:
    async def ask(steps: int) -> int:
        counted = _Steps()
        crowd = counted.crowd()
        await asyncio.sleep(0)
        before = counted.patient
        for _ in range(steps):
            await asyncio.sleep(0)
        found = counted.patient - before
        for task in crowd:
            task.cancel()
        return found

    # On asyncio's own loop each step of the question waits for the whole crowd.
    assert asyncio.run(ask(20)) == 20 * CROWD
    assert _run(ask(20)) <= 21


def test_patient_work_is_not_starved() -> None:
    async def busy() -> tuple[int, int]:
        counted = _Steps()
        others = [
            asyncio.create_task(counted.go_on_promptly()) for _ in range(4 * PROMPT_STEPS_MAX)
        ]
        crowd = counted.crowd()
        for _ in range(25):
            await asyncio.sleep(0)
        for task in (*others, *crowd):
            task.cancel()
        return counted.patient, counted.prompt

    patient, prompt = _run(busy())
    assert patient >= prompt // PROMPT_STEPS_MAX - 1


def test_tasks_are_as_patient_as_what_made_them() -> None:
    async def made() -> list[bool]:
        async def inner() -> bool:
            await asyncio.sleep(0)
            return await asyncio.create_task(asyncio.to_thread(is_patient))

        with patiently():
            patient = asyncio.create_task(inner())
        return [await patient, await asyncio.create_task(inner()), is_patient()]

    assert _run(made()) == [True, False, False]


def test_patient_work_gives_way_once_its_turn_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """As often as it is asked to after its turn, and never before its end."""

    async def compute(asked: int) -> int:
        others = _Steps()
        other = asyncio.create_task(others.go_on_promptly())
        await asyncio.sleep(0)
        before = others.prompt
        for _ in range(asked):
            await give_way()
        found = others.prompt - before
        other.cancel()
        return found

    async def patient_and_prompt() -> tuple[int, int]:
        with patiently():
            task = asyncio.create_task(compute(10))
        return await task, await compute(10)

    monkeypatch.setattr(prompt_loop, "TURN_SECONDS", -1.0)
    assert _run(patient_and_prompt()) == (10, 0)
    monkeypatch.setattr(prompt_loop, "TURN_SECONDS", 60.0)
    assert _run(patient_and_prompt()) == (0, 0)
    # Another loop knows no turns.
    assert asyncio.run(patient_and_prompt()) == (0, 0)


@pytest.mark.parametrize("is_patient_too", [False, True])
def test_patient_work_stands_aside_for_a_thread_of_who_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, is_patient_too: bool
) -> None:
    """And goes on beside a thread that works for patient work."""
    monkeypatch.setattr(prompt_loop, "ASIDE_SECONDS", 60.0)

    async def beside_a_thread() -> int:
        counted, begun, ended = _Steps(), threading.Event(), threading.Event()

        def work() -> None:
            begun.set()
            assert ended.wait(60)

        with patiently() if is_patient_too else nullcontext():
            task = asyncio.create_task(asyncio.to_thread(work))
        crowd = counted.crowd()
        while not begun.is_set():
            await asyncio.sleep(0)
        before = counted.patient
        for _ in range(20 * PROMPT_STEPS_MAX):
            await asyncio.sleep(0)
        found = counted.patient - before
        ended.set()
        await task
        while counted.patient == before + found:
            await asyncio.sleep(0)
        for one in crowd:
            one.cancel()
        return found

    found = _run(beside_a_thread())
    assert found >= 19 if is_patient_too else found == 0


def test_patient_work_stands_aside_for_a_moment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else happens: the loop wakes by itself, and the thread goes on."""
    monkeypatch.setattr(prompt_loop, "ASIDE_SECONDS", 0.005)

    async def until_it_goes_on() -> bool:
        counted, ended = _Steps(), threading.Event()
        task = asyncio.create_task(asyncio.to_thread(ended.wait, 60))
        with patiently():

            async def end_it() -> None:
                await asyncio.sleep(0)
                counted.patient += 1
                ended.set()

            other = asyncio.create_task(end_it())
        found = await task
        await other
        return found

    assert _run(until_it_goes_on())


def test_steps_of_one_kind_keep_their_order() -> None:
    async def ordered() -> tuple[list[int], list[int]]:
        prompt: list[int] = []
        patient: list[int] = []
        loop = asyncio.get_running_loop()
        for number in range(2 * CROWD):
            loop.call_soon(prompt.append, number)
            with patiently():
                loop.call_soon(patient.append, number)
        while len(patient) < 2 * CROWD:
            await asyncio.sleep(0)
        return prompt, patient

    assert _run(ordered()) == (list(range(2 * CROWD)), list(range(2 * CROWD)))


def test_a_socket_of_patient_work_is_read_once_for_what_it_brings() -> None:
    """The selector tells of it in each round: it must not be added to the steps that wait."""

    async def readings() -> int:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        loop, crowd, found = asyncio.get_running_loop(), _Steps().crowd(), []

        def read() -> None:
            with suppress(BlockingIOError):
                found.append(b"")
                found[-1] = ours.recv(10)

        with patiently():
            loop.add_reader(ours, read)
        for number in range(CROWD):
            theirs.send(b"here")
            while found.count(b"here") <= number:
                await asyncio.sleep(0)
        # What was added twice would be run now, with nothing to read.
        for _ in range(CROWD * CROWD):
            await asyncio.sleep(0)
        loop.remove_reader(ours)
        for task in crowd:
            task.cancel()
        ours.close()
        theirs.close()
        return len(found)

    assert CROWD == _run(readings())


def test_threads_timers_and_sockets_come_back_to_it() -> None:
    async def everything() -> bytes:
        async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(await reader.readexactly(4))
            writer.close()

        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        crowd = _Steps().crowd()
        with patiently():
            waited = asyncio.create_task(asyncio.sleep(0.01))
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(await asyncio.to_thread(bytes, b"here"))
        said = await reader.read()
        await waited
        writer.close()
        server.close()
        for task in crowd:
            task.cancel()
        return said

    assert _run(everything()) == b"here"
