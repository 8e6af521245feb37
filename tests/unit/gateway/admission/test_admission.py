"""Which calls are let in: by who calls, by what they cost, and by how much is asked."""

from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest
from prometheus_client import REGISTRY

from scops.common.access.principal import anonymous_principal, local_principal
from scops.common.contract.errors import ResourceExhausted
from scops.gateway.admission.admission import Admission
from scops.gateway.admission.cost import CallCost
from scops.gateway.admission.slots import PATIENCE_SECONDS
from scops.gateway.identity.caller import Caller, CredentialKind
from tests.fakes.worlds.methods import BOUND, person

ANN = Caller(person("ann"), CredentialKind.KEY)
BOB = Caller(person("bob"), CredentialKind.TOKEN)
NOBODY = Caller(anonymous_principal("main"), CredentialKind.NONE)
LOCAL = Caller(local_principal("main"), CredentialKind.LOCAL)


class Watch:
    """Seconds that a test moves."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def watch() -> Iterator[Watch]:
    return Watch()


def admission(watch: Watch, rate: float = 4.0) -> Admission:
    return Admission(units_per_second=rate, slots_max=4, now=watch)


async def let_in(
    door: Admission,
    caller: Caller,
    cost: CallCost = CallCost.LOOKUP,
    *,
    peer: str = "192.0.2.1",
    count: int = 1000,
) -> int:
    """Returns how many calls are let in, one after the other, until one is refused."""
    for number in range(count):
        try:
            async with door.admitted(caller, peer, cost, 10.0):
                pass
        except ResourceExhausted:
            return number
    return count


@pytest.mark.parametrize(
    ("cost", "count"),
    [
        (CallCost.LOOKUP, 40),
        (CallCost.SEARCH, 8),
        (CallCost.ANSWER, 4),
        (CallCost.EMBED, 4),
    ],
)
async def test_a_principal_has_ten_seconds_worth_at_once(
    watch: Watch, cost: CallCost, count: int
) -> None:
    """What costs more is let in less often; others are let in meanwhile."""
    door = admission(watch)

    assert count == await let_in(door, ANN, cost)
    assert count == await let_in(door, BOB, cost)


async def test_a_refusal_says_when_and_how_much(watch: Watch) -> None:
    """For programs too; after that long the call is let in."""
    door = admission(watch)
    await let_in(door, ANN, CallCost.ANSWER)
    refused = refusals("rate")
    with pytest.raises(ResourceExhausted, match="units") as caught:
        async with door.admitted(ANN, "", CallCost.ANSWER, 10.0):
            pass
    error = caught.value
    assert ("RATE_LIMITED", 2.5, "40") == (
        error.reason,
        error.retry_after_seconds,
        error.metadata["limit"],
    )
    assert 1 == refusals("rate") - refused
    watch.seconds += error.retry_after_seconds or 0
    assert 1 == await let_in(door, ANN, CallCost.ANSWER)


def refusals(reason: str) -> float:
    labels = {"reason": reason}
    return REGISTRY.get_sample_value("scops_gateway_calls_refused_total", labels) or 0.0


async def test_one_person_on_one_machine_is_never_refused(watch: Watch) -> None:
    """For how often they ask; and for how much at once only by the bound of the process."""
    door = Admission(units_per_second=4, slots_max=200, now=watch)
    async with AsyncExitStack() as stack:
        for _ in range(200):
            await stack.enter_async_context(door.admitted(LOCAL, "", CallCost.SEARCH, 0.01))


async def test_who_has_not_said_who_they_are_counts_by_address(watch: Watch) -> None:
    """One stranger does not keep another from logging in."""
    door = admission(watch)

    assert 40 == await let_in(door, NOBODY, peer="192.0.2.1")
    assert 40 == await let_in(door, NOBODY, peer="192.0.2.2")


async def test_too_much_at_once_is_refused_early(watch: Watch) -> None:
    """Searches leave answers and lookups their room."""
    door = admission(watch, rate=0)
    refused = refusals("overload")
    async with AsyncExitStack() as stack:
        for _ in range(4):
            await stack.enter_async_context(door.admitted(ANN, "", CallCost.SEARCH, 10.0))
        watch.seconds += PATIENCE_SECONDS
        with pytest.raises(ResourceExhausted, match="shortly") as caught:
            await stack.enter_async_context(door.admitted(ANN, "", CallCost.SEARCH, 10.0))
        await stack.enter_async_context(door.admitted(BOB, "", CallCost.ANSWER, 10.0))
        await stack.enter_async_context(door.admitted(BOB, "", CallCost.LOOKUP, 10.0))

    assert ("OVERLOADED", 1) == (caught.value.reason, refusals("overload") - refused)
    assert caught.value.retry_after_seconds


async def test_a_call_waits_no_longer_than_half_of_what_it_has_left(watch: Watch) -> None:
    """So that something is left for its answer."""
    door = admission(watch, rate=0)
    async with AsyncExitStack() as stack:
        for _ in range(4):
            await stack.enter_async_context(door.admitted(ANN, "", CallCost.SEARCH, 10.0))
        with pytest.raises(ResourceExhausted):
            await stack.enter_async_context(door.admitted(BOB, "", CallCost.SEARCH, 0.02))


@pytest.mark.parametrize("caller", [LOCAL, ANN])
async def test_what_ends_work_is_let_in_whatever_else_there_is(
    watch: Watch, caller: Caller
) -> None:
    """A principal that has spent everything can cancel, in a process that serves its most."""
    door = admission(watch, rate=1)
    async with AsyncExitStack() as stack:
        for _ in range(4):
            await stack.enter_async_context(door.admitted(caller, "", CallCost.LOOKUP, 10.0))
        with pytest.raises(ResourceExhausted):
            await stack.enter_async_context(door.admitted(caller, "", CallCost.LOOKUP, 10.0))

        assert 1000 == await let_in(door, caller, BOUND["CancelJob"].method.cost)
    assert 1 == await let_in(door, caller, count=1)
