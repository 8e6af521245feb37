"""A principal's budget: what it holds, how it fills, and what it costs to keep many."""

from scops.gateway.admission import budgets
from scops.gateway.admission.budgets import BURST_SECONDS, Budgets

RATE = 4.0


class Watch:
    """Seconds that a test moves."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_full_bucket_is_spent_and_fills_up_steadily() -> None:
    """The wait that is told is the wait that it takes."""
    watch = Watch()
    bucket = Budgets(RATE, watch)
    spent = sum(1 for _ in range(100) if not bucket.take("ann", 1))
    wait = bucket.take("ann", 5)
    watch.seconds += wait - 0.01
    early = bucket.take("ann", 5)
    watch.seconds += 0.02

    assert (RATE * BURST_SECONDS, 5 / RATE) == (spent, wait)
    assert early > 0
    assert not bucket.take("ann", 5)


def test_principals_do_not_spend_each_others() -> None:
    """One who asks all the time takes nothing from another."""
    bucket = Budgets(RATE, Watch())
    while not bucket.take("ann", 10):
        pass

    assert not bucket.take("bob", 40)


def test_nobody_is_bounded_without_a_rate() -> None:
    """An operator may turn it off."""
    bucket = Budgets(0, Watch())

    assert {0.0} == {bucket.take("ann", 10) for _ in range(1000)}


def test_buckets_are_bounded_and_the_emptiest_stay(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """A caller with many names does not get a full bucket back by filling memory."""
    monkeypatch.setattr(budgets, "BUCKETS_MAX", 100)
    watch = Watch()
    bucket = Budgets(RATE, watch)
    bucket.take("ann", int(RATE * BURST_SECONDS))
    for number in range(1000):
        bucket.take(f"user-{number}", 1)

    assert bucket.left("ann") < 1
    assert len(bucket._left) <= 100
