"""The first ten minutes work as they are shown."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.system import COMMAND_SECONDS, System, clean_environment

REPOSITORY = Path(__file__).resolve().parents[2]
BEFORE = "The River plan costs 14 euros a month."
AFTER = "The River plan costs 17 euros a month."


@pytest.fixture(scope="module")
def demo() -> "subprocess.CompletedProcess[str]":
    return run_python("-m", "examples.demo", environment=clean_environment())


def run_python(*words: str, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """Runs Python in the repository to its end."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        timeout=2 * COMMAND_SECONDS,
        check=False,
    )


def test_the_demo_runs_through(demo: "subprocess.CompletedProcess[str]") -> None:
    """It ends well, and nothing but the start is said on stderr."""
    assert 0 == demo.returncode, demo.stdout + demo.stderr
    assert 1 == len(demo.stderr.splitlines()), demo.stderr
    assert demo.stderr.startswith("scops: ready, ")


def test_the_demo_shows_the_price_before_and_after(
    demo: "subprocess.CompletedProcess[str]",
) -> None:
    """The old price, the new one, and as of before the edit the old one again."""
    answers = [section(demo.stdout, number) for number in (1, 3, 4)]

    assert [BEFORE, AFTER, BEFORE] == [next(p for p in (BEFORE, AFTER) if p in a) for a in answers]
    assert "no longer what the page says" in answers[2]
    assert "Ranks 1: it is ahead of rank 2 by " in answers[0]


def test_the_demo_ends_by_saying_how_to_connect_an_assistant(
    demo: "subprocess.CompletedProcess[str]",
) -> None:
    """With a command that there is."""
    assert "scops mcp install claude-desktop" in " ".join(demo.stdout.split()[-20:])


def test_the_demo_answers_only_what_the_site_says(
    demo: "subprocess.CompletedProcess[str]",
) -> None:
    """A question about something else stays without an answer."""
    assert "Not answered" in section(demo.stdout, 2)


def test_the_demo_shows_what_the_recrawl_cost(demo: "subprocess.CompletedProcess[str]") -> None:
    """Changed pages are indexed, the removed one is gone, all others are unchanged.

    `/index.html` is found to be `/` by the first crawl, or by the second where it was fetched
    before the index had `/`.
    """
    first, second = (counts(line) for line in demo.stdout.splitlines() if " completed in " in line)
    late = second.get("joined", 0)

    assert {"indexed": 44 + late, "joined": 1 - late, "blocked": 1} == {"joined": 0} | first
    assert {"indexed": 4, "unchanged": 40, "gone": 1, "blocked": 1, "joined": late} == (
        {"joined": 0} | second
    )
    told = f"Of {45 + late} pages that were asked for, {39 + late} cost only a 304."
    assert told in demo.stdout


def test_the_demo_shows_history_and_difference(demo: "subprocess.CompletedProcess[str]") -> None:
    """Two versions, and the one word that differs."""
    assert "first version" in demo.stdout
    assert "[-14-]{+17+}" in demo.stdout


def test_the_python_example_prints_answer_and_citations(shared: System) -> None:
    """Ten lines against the stubs are a client."""
    environment = {**os.environ, "SCOPS_COMMAND_ADDRESS": shared.address}
    question = "How much does the River plan cost?"
    ended = run_python("examples/python/ask.py", question, environment=environment)

    assert 0 == ended.returncode, ended.stderr
    assert BEFORE in ended.stdout
    assert "/policies/prices.html#:~:text=" in ended.stdout


def section(output: str, number: int) -> str:
    """Returns what the n-th question of the demo printed, from 1."""
    return output.split("$ scops ask ")[number].split("$ scops ")[0]


def counts(line: str) -> dict[str, int]:
    """Returns how many pages of a job ended in which way, as its last line tells them."""
    told = line.split(" s, ")[1].split(", ")
    return {outcome: int(number) for number, outcome in (part.split() for part in told)}
