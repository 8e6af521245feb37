"""Pages that showed again what their newest version says: the plain case of the algebra.

Pure. Whatever is not plain is placed alone, by `algebra.apply_observation`.
"""

from dataclasses import dataclass
from datetime import datetime

from scops.change_detector.timeline.runs import (
    GivenVerdict,
    Observation,
    ObservationKind,
    Run,
    VerdictKind,
    Version,
)
from scops.common.contract.messages.crawl import ConfirmedPage


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenContext:
    """What is known of a page when it is seen again.

    Attributes:
        confirmed: the observation of the fetch that is confirmed.
        newest: the newest run of the page, with its versions.
        known: the observation of this very fetch, where it was recorded already.
        given: how that was answered.
    """

    purged_before: datetime | None
    confirmed: Observation | None
    newest: Run | None
    known: Observation | None = None
    given: GivenVerdict | None = None


def standing_version(seen: ConfirmedPage, context: SeenContext) -> Version | None:
    """Returns the version that a page shows again if nothing else follows from that, else None.

    It is then the text of the confirmed fetch as its pipeline read it, the page's newest run holds
    both fetches, and nothing later is known of the page.
    """
    run, confirmed = context.newest, context.confirmed
    if run is None or confirmed is None or run.kind is not ObservationKind.TEXT:
        return None
    if not run.versions or run.versions[-1].dropped:
        return None
    version, at = run.versions[-1], seen.observed_time
    says_the_same = (version.text_digest, version.pipeline_version) == (
        confirmed.text_digest,
        confirmed.pipeline_version,
    )
    holds_confirmed = run.first_observed <= confirmed.observed_time <= run.last_observed
    is_purged = context.purged_before is not None and at < context.purged_before
    if not says_the_same or not holds_confirmed or is_purged:
        return None
    if context.known is not None:
        return version if _was_plain(context.known, context.given, run) else None
    return version if run.last_observed < at else None


def _was_plain(known: Observation, given: GivenVerdict | None, run: Run) -> bool:
    """Says whether a fetch that is recorded already was as plain, and still is."""
    plain = GivenVerdict(kind=VerdictKind.UNCHANGED)
    return given == plain and run.first_observed < known.observed_time <= run.last_observed
