"""When a research run has seen enough, or can expect no more."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from scops.common.contract.messages.explanation import Coverage
from scops.gateway.research.research import BATCH, KNOWN, Research, ResearchStep, StopReason

# At which what was found suffices.
COVERED = 0.8
# A step whose coverage rises by less gained nothing; so many of them in a row end a run.
GAIN_MIN, STEPS_WITHOUT_GAIN_MAX = 0.02, 5
# Expected gain of the best link, below which a fetch costs more than it is expected to bring: a
# link of which nothing speaks for the question has .003.
EXPECTED_MIN = 0.004


def total_of(coverage: Coverage | None, *, answered: bool) -> float:
    """Returns how far what was found suffices, in [0, 1].

    A reader that is sure of a sentence may be wrong where the question names what no cited passage
    does; so each word that is missing takes from what the reader believes.
    """
    if coverage is None or not answered:
        return 0.0
    return coverage.probability * coverage.words


def stop_before_links(run: Research, step: ResearchStep, now: datetime) -> StopReason:
    """Returns why a run ends after a look at the question, before any link is weighed."""
    if step.coverage >= COVERED:
        return StopReason.COVERED
    if now - run.created_time >= timedelta(seconds=run.budget.seconds):
        return StopReason.SECONDS
    if len(run.pages) >= run.budget.pages:
        return StopReason.PAGES
    if run.budget.bytes and run.fetched_bytes >= run.budget.bytes:
        return StopReason.BYTES
    if _gained_nothing((*run.steps, step)):
        return StopReason.LOW_GAIN
    return StopReason.NONE


def stop_after_links(gains: Sequence[float], coverage: float) -> StopReason:
    """Returns why a run ends although it may go on, by what links are expected to bring.

    Args:
        gains: probabilities that a page helps.
    """
    if not gains:
        return StopReason.NOTHING_LEFT
    return StopReason.COST if max(gains) * (1.0 - coverage) < EXPECTED_MIN else StopReason.NONE


def room_of(run: Research) -> int:
    """Returns how many pages a run may fetch next, at least one.

    How large a page is shows once it is there: where bytes are bounded, so many are fetched as the
    mean of those before lets expect to fit, and one where nothing is known yet.
    """
    room = min(BATCH, run.budget.pages - len(run.pages))
    if run.budget.bytes:
        left = run.budget.bytes - run.fetched_bytes
        fetched = sum(page.outcome != KNOWN for page in run.pages)
        fitting = left * fetched // run.fetched_bytes if run.fetched_bytes else 1
        room = min(room, fitting)
    return max(room, 1)


def _gained_nothing(steps: Sequence[ResearchStep]) -> bool:
    """Returns whether the last steps brought no more than was there, once something was."""
    last = steps[-STEPS_WITHOUT_GAIN_MAX - 1 :]
    if len(last) <= STEPS_WITHOUT_GAIN_MAX:
        return False
    best = [max(one.coverage, one.words / 2) for one in last]
    return max(best[1:]) - best[0] < GAIN_MIN
