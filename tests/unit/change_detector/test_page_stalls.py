"""No page holds up the change-detector's event loop, whatever it shows and how it changes."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from scops.change_detector.handlers.queries import answer_diff
from scops.change_detector.handlers.templates import answer_templates, learn_templates
from scops.change_detector.handlers.what_changed import answer_what_changed
from scops.change_detector.settings import ChangeDetectorSettings
from scops.common.contract.messages.change import (
    ChangeRule,
    DiffRequest,
    TemplatesRequest,
    WhatChangedRequest,
)
from scops.common.contract.messages.types import ScopeId, ScopeRef
from scops.common.processes.compute import ChildCompute
from scops.common.processes.pool import ChildPool
from tests.fakes.stalls import hostile_texts, measured_stalls
from tests.fakes.worlds.change import PAGE, ChangeWorld, at, scope_of, sql_world
from tests.unit.common.processes.children import limits

# CPU time of the loop's thread in one turn.
SECONDS_MAX = 0.05
CHARACTERS = 24_000
# Beyond any bound of this test: what is measured is who works, not how fast.
TASK_SECONDS = 300.0


@dataclass(frozen=True)
class Pages:
    """Two versions of a page."""

    old: str
    new: str


def _lines(number: int, words: str) -> str:
    return "\n".join(f"{words} {place}" for place in range(number))


PAGES = {
    "tiny blocks": Pages(_lines(3_000, "| a"), _lines(3_000, "| b")),
    "one run": Pages("a" * CHARACTERS, "b" * CHARACTERS),
    "tiny sentences": Pages("It a. " * (CHARACTERS // 6), "It b. " * (CHARACTERS // 6)),
    "headings": Pages(_lines(1_500, "# A\nx"), _lines(1_500, "# B\nx")),
    **{
        repr(old[:12]): Pages(old, new + old[7:])
        for old, new in zip(
            hostile_texts(9_000, seed=7, count=3)[-4:],
            hostile_texts(200, seed=8, count=3)[-4:],
            strict=True,
        )
    },
}


@pytest.fixture
async def world() -> AsyncIterator[ChangeWorld]:
    """Yields the change-detector with the child processes that it has in service."""
    world = await sql_world(settings=ChangeDetectorSettings())
    children = ChildPool(processes=1, limits=limits())
    compute = ChildCompute(children, seconds=TASK_SECONDS)
    world.ports = replace(world.ports, compute=compute)
    world.ports.scopes.apply(scope_of("docs"))
    yield world
    await children.close()
    await world.close()


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_is_worked_on_beside_the_loop(world: ChangeWorld, name: str) -> None:
    """From its first version through a change to every question that shows its text."""
    page, ports = PAGES[name], world.ports
    asked = WhatChangedRequest(
        scope=ScopeRef(scope_id=ScopeId("docs"), revision=1),
        since=at(5),
        rule=ChangeRule(with_noise=True),
    )
    first = await world.extracted("first", page.old, 0)
    second = await world.extracted("second", page.new, 10)
    answers: list[Any] = []
    async with measured_stalls() as stalls:
        await world.handle(first)
        await learn_templates(ports)
        await world.handle(second)
        answers.append(await answer_diff(DiffRequest(page_id=PAGE), ports))
        answers.append(await answer_what_changed(asked, ports))
        await answer_templates(TemplatesRequest(page_id=PAGE), ports)

    assert answers[0].hunks
    assert [PAGE] == [change.page_id for change in answers[1].changes]
    assert stalls.longest < SECONDS_MAX
