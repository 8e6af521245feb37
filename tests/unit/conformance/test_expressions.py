"""Every regular expression of the code takes time in proportion to its text.

Each is run on long runs of its own characters and of what its repetitions repeat.
A run that is done at once has passed; one that is not may take no more than in proportion when
it gets longer, which holds on a busy machine too.
"""

import contextlib
import re
import signal
import time
from collections import deque
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from tests.unit.conformance.expressions import (
    ANYWHERE,
    Expression,
    computed_expressions,
    every_expression,
    modules,
)
from tests.unit.conformance.hostile_runs import ENDS, hostile_units

SHORT, LONG = 5_000, 20_000
# An expression without backtracking does 5,000 characters in 0.1 to 1 ms.
AT_ONCE_SECONDS = 0.0025
# Four times the text takes four times as long, or sixteen times where places are read twice.
GROWTH_MAX = 8.0
SECONDS_MAX = 0.3
ATTEMPTS = 3
EXPRESSIONS = every_expression()
KNOWN_COMPUTED = {
    # Words and numbers of ours or of a question, escaped: they repeat nothing.
    "evidence.py: f'\\\\b{re.escape(key)}\\\\b'",
    "expressions.py: f'\\\\b{word}\\\\b'",
    # Stop words of a script that has no other characters.
    "phrases.py: '|'.join(inside) or '(?!)'",
    "schema.py: re.escape(owner.prefix) + '(\\\\d+)'",
}


def _texts(pattern: Any, lead: str, unit: str, characters: int) -> Iterator[Any]:
    for end in ENDS:
        text = lead + unit * (characters // len(unit)) + end
        yield text.encode("utf-8") if isinstance(pattern.pattern, bytes) else text


def _run(expression: Expression, text: Any) -> None:
    for method in expression.methods:
        found = getattr(expression.pattern, method)(text)
        if method == "finditer":
            deque(found, maxlen=0)


class _TooLong(Exception):
    """A run was ended, for want of patience."""


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def give_up(number: int, frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _seconds(expression: Expression, text: Any) -> float:
    started = time.process_time()
    try:
        with _at_most(2 * SECONDS_MAX):
            _run(expression, text)
    except _TooLong:
        return 2 * SECONDS_MAX
    return time.process_time() - started


def _is_linear(expression: Expression, lead: str, unit: str) -> bool:
    pairs = zip(
        _texts(expression.pattern, lead, unit, SHORT),
        _texts(expression.pattern, lead, unit, LONG),
        strict=True,
    )
    return all(_grows_in_proportion(expression, short, long) for short, long in pairs)


def _grows_in_proportion(expression: Expression, short: Any, long: Any) -> bool:
    for _ in range(ATTEMPTS):
        taken = _seconds(expression, short)
        if taken < AT_ONCE_SECONDS:
            return True
        longer = _seconds(expression, long)
        if longer < min(SECONDS_MAX, GROWTH_MAX * taken):
            return True
    return False


def _name(expression: Expression) -> str:
    return expression.place.removeprefix("scops.").replace("/", ".")


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=_name)
def test_expression_is_linear_in_its_text(expression: Expression) -> None:
    """No text of a page makes an expression read the same characters again and again."""
    slow = [
        (lead, unit)
        for lead, unit in hostile_units(expression.pattern)
        if not _is_linear(expression, lead, unit)
    ]

    assert [] == slow, expression.pattern.pattern


def test_every_expression_is_found() -> None:
    """Modules of every service are read: constants, members of classes and tables, calls."""
    places = " ".join(expression.place for expression in EXPRESSIONS)

    assert len(EXPRESSIONS) > 150
    assert len(modules()) > 500
    for service in ("common.", "fetcher.", "extractor.", "change_detector.", "retriever."):
        assert f"scops.{service}" in places
    assert "services/explainer/scops/explainer/quotes" not in places
    assert "retriever/time/expressions.py" in places


def test_expressions_made_at_run_time_are_known() -> None:
    """What is made of a variable is looked at by a person: a literal inside, or users' rules."""
    assert KNOWN_COMPUTED >= {place.rpartition("/")[2] for place in computed_expressions()}


@pytest.mark.parametrize("bad", [r"(a+)+b", r"\s*\n", r"\w+-x", r"(?:a|a)*c", r"\[[^\]]*\]\("])
def test_expression_that_is_not_linear_is_seen(bad: str) -> None:
    """The test itself: expressions that are known to be slow are found to be."""
    expression = Expression("bad", re.compile(bad), ANYWHERE)
    units = hostile_units(expression.pattern)

    assert any(not _is_linear(expression, lead, unit) for lead, unit in units)
