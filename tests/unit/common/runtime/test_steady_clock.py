"""Time that runs evenly whatever is done to the machine's clock, and follows its reference."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from scops.common.runtime.steady_clock import ANSWER_SECONDS_MAX, SLEW_RATIO, SteadyClock
from tests.fakes.clock import START, ManualClock

HOUR = 3600.0


@dataclass
class Machine:
    """A machine's two clocks, the one that people set and the one that nobody can, and a server."""

    clock: ManualClock
    ran: float = 1000.0
    server_ahead: float = 0.0
    answer_seconds: float = 0.002

    def run(self, seconds: float) -> None:
        self.ran += seconds
        self.clock.advance(seconds)

    def elapsed(self) -> float:
        return self.ran

    async def server(self) -> datetime:
        self.run(self.answer_seconds / 2)
        told = START + timedelta(seconds=self.ran - 1000.0 + self.server_ahead)
        self.run(self.answer_seconds / 2)
        return told


@pytest.fixture
def machine() -> Machine:
    return Machine(ManualClock())


def alone(machine: Machine) -> SteadyClock:
    return SteadyClock(machine.clock, elapsed=machine.elapsed)


def of_server(machine: Machine) -> SteadyClock:
    return SteadyClock(machine.clock, reference=machine.server, elapsed=machine.elapsed)


@pytest.mark.parametrize("jump", [HOUR, -HOUR, 75.0, -75.0, 2.0])
async def test_a_jump_is_not_seen_until_it_is_told(machine: Machine, jump: float) -> None:
    """Leases and pauses go by time as it ran; the jump is told, and then it is taken over."""
    clock = alone(machine)
    machine.clock._now += timedelta(seconds=jump)
    machine.run(3)
    before = clock.now()
    await clock.follow()

    assert START + timedelta(seconds=3) == before
    assert machine.clock.now() == clock.now()


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
async def test_after_a_jump_it_is_unsettled_for_a_while(machine: Machine, jump: float) -> None:
    """As long as anything that was measured before the jump may last."""
    clock = alone(machine)
    machine.run(10)
    await clock.follow()
    calm = clock.settled(75)
    machine.clock._now += timedelta(seconds=jump)
    await clock.follow()
    jumped = clock.settled(75)
    machine.run(74)
    still = clock.settled(75)
    machine.run(1)

    assert (True, False, False, True) == (calm, jumped, still, clock.settled(75))


async def test_small_differences_are_made_up_for_slowly(machine: Machine) -> None:
    """A drifting clock shortens no host's pause by more than a thousandth."""
    clock = alone(machine)
    for _ in range(100):
        machine.run(5)
        machine.clock._now += timedelta(seconds=0.004)
        before = clock.now()
        await clock.follow()
        assert abs((clock.now() - before).total_seconds()) <= 5 * SLEW_RATIO + 1e-9

    assert clock.settled(1e9)


@pytest.mark.parametrize("skew", [75.0, -75.0, HOUR])
async def test_machines_that_differ_agree_by_the_server(machine: Machine, skew: float) -> None:
    """Whatever their own clocks say, all go by the database's."""
    wrong = Machine(ManualClock(START + timedelta(seconds=skew)))
    right, other = of_server(machine), of_server(wrong)
    early = other.settled(0)
    await right.follow()
    await other.follow()

    assert not early
    assert other.settled(75)
    assert abs((right.now() - other.now()).total_seconds()) < 0.01


async def test_a_late_answer_is_not_believed(machine: Machine) -> None:
    """It says too little of when the server said it; time runs on."""
    clock = of_server(machine)
    await clock.follow()
    machine.answer_seconds = ANSWER_SECONDS_MAX * 10
    machine.server_ahead = 20.0
    before = clock.now()
    await clock.follow()
    taken = (clock.now() - before).total_seconds()

    assert taken == pytest.approx(machine.answer_seconds)
    assert clock.settled(75)


async def test_a_server_that_jumps_unsettles(machine: Machine) -> None:
    """Its clock is the one that counts; its jumps are told like the machine's."""
    clock = of_server(machine)
    await clock.follow()
    machine.server_ahead = -HOUR
    await clock.follow()

    assert not clock.settled(75)
    assert abs((clock.now() - START).total_seconds() + HOUR) < 1
