"""When a stream that broke off is opened again, from where, and when not."""

import random
from typing import Any

import pytest

from scops.client import Exhausted, NotAuthenticated, Unavailable
from scops.client.attempts import ATTEMPTS_MAX
from scops.client.calls import Call, Coming, Opening, Part, Pause, Renewal, Streaming
from scops.client.errors import ScopsError
from scops.client.parts import parts

CALL = Call("JobService", "WatchJob", {"name": "jobs/a"})
LOST = Unavailable("lost", reason="GATEWAY_STOPPING")


class Message:
    """Says something, and where it stands."""

    def __init__(self, item: str, cursor: str = "") -> None:
        self.item, self.cursor = item, cursor


class Read:
    """Carries a stream by hand: what comes next is a message, an error, or its end.

    Args:
        renews: whether a fresh credential is to be had.
    """

    def __init__(self, *coming: Message | ScopsError | None, renews: bool = False) -> None:
        self._coming = list(coming)
        self._renews = renews
        self.requests: list[Any] = []
        self.pauses = 0
        self.items: list[str] = []
        self.seconds: list[float | None] = []

    def carry(self, *, lasts: bool, cursor: str = "") -> None:
        """Reads to the end."""
        streaming = Streaming(CALL, lambda message: message.item, lasts=lasts, cursor=cursor)
        plan = parts(
            streaming,
            lambda call: dict(call.fields),
            seconds=30.0,
            clock=lambda: 100.0,
            chance=random.Random(1),
        )
        try:
            step = next(plan)
            while True:
                try:
                    done = self._do(step)
                except ScopsError as error:
                    step = plan.throw(error)
                else:
                    step = plan.send(done)
        except StopIteration:
            return

    def _do(self, step: Any) -> Any:
        if isinstance(step, Opening):
            self.requests.append(step.request)
            self.seconds.append(step.seconds)
        elif isinstance(step, Coming):
            found = self._coming.pop(0)
            if isinstance(found, ScopsError):
                raise found
            return found
        elif isinstance(step, Part):
            self.items.append(step.item)
        elif isinstance(step, Pause):
            self.pauses += 1
        elif isinstance(step, Renewal):
            return self._renews
        return None


def test_what_lasts_is_opened_again() -> None:
    """What it begins with is not told twice."""
    read = Read(Message("queued"), LOST, Message("queued"), Message("ended"), None)
    read.carry(lasts=True)

    assert (["queued", "ended"], 1) == (read.items, read.pauses)
    assert [{"name": "jobs/a"}] * 2 == read.requests
    assert [30.0, 30.0] == read.seconds


def test_it_goes_on_from_where_it_was() -> None:
    """By the cursor of the last message."""
    read = Read(Message("a", "c1"), Message("b", "c2"), LOST, Message("c", "c3"), None)
    read.carry(lasts=True, cursor="cursor")

    assert ["a", "b", "c"] == read.items
    assert [None, "c2"] == [request.get("cursor") for request in read.requests]


def test_an_answer_is_asked_again_only_while_nothing_of_it_was_told() -> None:
    """What was told cannot be taken back."""
    Read(LOST, Message("sources"), None).carry(lasts=False)
    read = Read(Message("sources"), LOST)
    with pytest.raises(Unavailable):
        read.carry(lasts=False)

    assert ["sources"] == read.items


def test_attempts_end() -> None:
    """Each message that comes begins a new count of them."""
    some: list[Any] = [LOST] * (ATTEMPTS_MAX - 1)
    read = Read(*some, Message("a"), *some, LOST)
    with pytest.raises(Unavailable):
        read.carry(lasts=True)

    assert 2 * (ATTEMPTS_MAX - 1) == read.pauses


@pytest.mark.parametrize(
    "error", [Exhausted("no", reason="QUOTA"), NotAuthenticated("no", reason="KEY_INVALID")]
)
def test_what_waiting_does_not_help_is_raised(error: ScopsError) -> None:
    """At once."""
    read = Read(error)
    with pytest.raises(type(error)):
        read.carry(lasts=True)

    assert 0 == read.pauses


def test_a_login_is_renewed_once() -> None:
    """As for any call."""
    ended = NotAuthenticated("over", reason="TOKEN_INVALID")
    read = Read(ended, Message("a"), None, renews=True)
    read.carry(lasts=True)

    assert ["a"] == read.items
