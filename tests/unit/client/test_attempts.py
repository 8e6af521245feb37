"""When a call that failed is made again, and when not."""

import random
from typing import Any

import pytest

from scops.client import Conflict, DeadlineExceeded, Exhausted, NotAuthenticated, Unavailable
from scops.client.attempts import ATTEMPT_SECONDS_MAX, ATTEMPTS_MAX, attempts
from scops.client.calls import Attempt, Call, Pause, Renewal
from scops.client.errors import ScopsError

CALL = Call("JobService", "GetJob")


class Tried:
    """Carries attempts by hand: each fails with the next error, and the rest are answered.

    Args:
        renews: whether a fresh credential is to be had.
    """

    def __init__(self, *errors: ScopsError, renews: bool = False) -> None:
        self._errors = list(errors)
        self._renews = renews
        self.now = 100.0
        self.steps: list[Any] = []

    def carry(self, *, is_harmless: bool = True, seconds: float = 30.0) -> Any:
        """Returns what the call returns."""
        plan = attempts(
            CALL,
            None,
            is_harmless=is_harmless,
            seconds=seconds,
            clock=lambda: self.now,
            chance=random.Random(1),
        )
        try:
            step = next(plan)
            while True:
                self.steps.append(step)
                if isinstance(step, Attempt) and self._errors:
                    step = plan.throw(self._errors.pop(0))
                elif isinstance(step, Attempt):
                    step = plan.send("response")
                elif isinstance(step, Renewal):
                    step = plan.send(self._renews)
                else:
                    self.now += step.seconds
                    step = plan.send(None)
        except StopIteration as end:
            return end.value

    @property
    def made(self) -> int:
        """How many attempts were made."""
        return sum(isinstance(step, Attempt) for step in self.steps)

    @property
    def pauses(self) -> list[float]:
        """The seconds between them."""
        return [step.seconds for step in self.steps if isinstance(step, Pause)]


def unavailable(retry_after: float | None = None) -> ScopsError:
    return Unavailable("nobody answers", retry_after=retry_after)


def test_what_may_be_done_twice_is_tried_again_with_growing_pauses() -> None:
    """Spread, so that many clients do not come back at once."""
    tried = Tried(unavailable(), unavailable(), unavailable())

    assert "response" == tried.carry()
    assert 4 == tried.made
    for least, pause in zip((0.1, 0.2, 0.4), tried.pauses, strict=True):
        assert least <= pause <= 3 * least


def test_what_the_gateway_says_is_waited_for() -> None:
    """Never shorter than `retry_after`."""
    tried = Tried(unavailable(retry_after=7.0))
    tried.carry()

    assert [7.0] == tried.pauses


def test_a_change_without_a_request_id_is_not_repeated() -> None:
    """Nobody knows whether it was made."""
    tried = Tried(unavailable())
    with pytest.raises(Unavailable):
        tried.carry(is_harmless=False)

    assert 1 == tried.made


def test_a_spent_budget_is_waited_for_whatever_the_call_does() -> None:
    """It was refused before anything was done; a quota is not waited for."""
    tried = Tried(Exhausted("later", retry_after=2.0))
    full = Tried(Exhausted("you have as much as each may have"))

    assert "response" == tried.carry(is_harmless=False)
    with pytest.raises(Exhausted):
        full.carry()


@pytest.mark.parametrize("error", [Conflict("changed"), DeadlineExceeded("late")])
def test_other_errors_are_for_the_caller(error: ScopsError) -> None:
    """Read again, or give more time."""
    tried = Tried(error)
    with pytest.raises(type(error)):
        tried.carry()

    assert 1 == tried.made


def test_attempts_have_an_end() -> None:
    """By number, and by the time that the caller gives."""
    endless = Tried(*[unavailable()] * 100)
    with pytest.raises(Unavailable):
        endless.carry()
    short = Tried(*[unavailable(retry_after=2.0)] * 100)
    with pytest.raises(Unavailable):
        short.carry(seconds=5.0)

    assert ATTEMPTS_MAX == endless.made
    assert (3, 104.0) == (short.made, short.now)


def test_an_attempt_gets_what_is_left_of_the_time() -> None:
    """And no more than the gateway serves."""
    tried = Tried(unavailable(retry_after=3.0))
    tried.carry(seconds=10.0)
    long = Tried()
    long.carry(seconds=600.0)

    assert [10.0, 7.0] == [one.seconds for one in tried.steps if isinstance(one, Attempt)]
    assert [ATTEMPT_SECONDS_MAX] == [one.seconds for one in long.steps]


def test_a_refused_login_is_renewed_once() -> None:
    """Where it can be renewed at all."""
    refused = NotAuthenticated("ended")
    renewed, again, key = (
        Tried(refused, renews=True),
        Tried(refused, refused, renews=True),
        Tried(refused),
    )

    assert "response" == renewed.carry(is_harmless=False)
    for tried in (again, key):
        with pytest.raises(NotAuthenticated):
            tried.carry()
    assert (2, 2, 1) == (renewed.made, again.made, key.made)
