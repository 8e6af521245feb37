"""A research run as a value: what was asked, what was looked at, and why it stopped."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType

from scops.common.contract.ids import JobId, ScopeId
from scops.gateway.chats.chat import ChatId
from scops.gateway.watches.watch import WatchBounds

ResearchId = NewType("ResearchId", str)
NO_JOB = JobId("")
# Of a run; more are refused.
PAGES_MAX, PAGES_DEFAULT = 200, 25
SECONDS_MAX, SECONDS_DEFAULT = 1800, 120
# What the way to a page says that the site's own search found, in the place of a link's text.
SITE_SEARCH_TEXT = "site search"
BYTES_MAX = 4 * 1024**3
KEEP_DAYS_MAX = 3650
# Pages not tried again that a run tells of.
PASSED_MAX = 100
# Pages that are fetched together before the question is looked at again.
BATCH = 4
# Outcome of a start that is not fetched, since it stands in the index.
KNOWN = "known"


class ResearchState(StrEnum):
    """Where a run stands."""

    RUNNING = "running"
    ENDED = "ended"
    CANCELLED = "cancelled"
    FAILED = "failed"


class StopReason(StrEnum):
    """Why a run went no further."""

    NONE = ""
    COVERED = "covered"
    LOW_GAIN = "low_gain"
    COST = "cost"
    PAGES = "pages"
    SECONDS = "seconds"
    BYTES = "bytes"
    NOTHING_LEFT = "nothing_left"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchBudget:
    """What a run may spend.

    Attributes:
        pages: that are fetched, whatever comes of them.
        seconds: from its begin.
        bytes: of the bodies that are sent for its pages; 0 for no bound of its own.
    """

    pages: int = PAGES_DEFAULT
    seconds: int = SECONDS_DEFAULT
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchPage:
    """A page that a run chose to fetch, and the link by which it was found.

    The index of a site's own search is one too; its links are the pages that it finds.

    Attributes:
        found_on: URL of the page whose link led to it, or of that index; empty for the start.
        link_text: what that link says; the title of a page that the index found, and
            `SITE_SEARCH_TEXT` of the index, and the name of an llms.txt.
        gain, meaning, words, path: what spoke for it; see the explainer's `LinkGain`.
        step: number of the step that chose it, from 1.
        outcome: of its job; empty while it is open. Of an index `searched`, or `known` where it
            was held from before.
        reason: why it has that outcome, where it is no page.
        page_id: opaque; empty where none came of it.
        cited: whether the answer rests on it.
        useful: whether it came among the nearest passages.
    """

    url: str
    found_on: str = ""
    link_text: str = ""
    gain: float = 0.0
    meaning: float = 0.0
    words: float = 0.0
    path: float = 0.0
    step: int = 0
    outcome: str = ""
    reason: str = ""
    page_id: str = ""
    cited: bool = False
    useful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedPage:
    """A page that links lead to and that is not tried again yet: a run before it found nothing.

    Attributes:
        outcome, reason: of that run.
        until: from then on it is a page like any.
    """

    url: str
    outcome: str
    reason: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchStep:
    """One look at the question, and what was decided.

    Attributes:
        number: from 1.
        fetched: pages fetched before it, in all.
        fetched_bytes: of the bodies that were sent for them.
        coverage: how far what is known suffices, in [0, 1]; `probability` and `words` are its
            parts, see the explainer's `Coverage`.
        missing_words: of the question, that nothing found holds.
        candidates: links that were weighed.
        best_gain: of them, the largest.
        chosen: how many of them are fetched next.
        stopped: why there is no further step; empty where there is.
        time: when it was decided.
    """

    number: int
    fetched: int
    fetched_bytes: int = 0
    coverage: float
    probability: float
    words: float
    missing_words: tuple[str, ...] = ()
    candidates: int = 0
    best_gain: float = 0.0
    chosen: int = 0
    stopped: StopReason = StopReason.NONE
    time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Research:
    """A run.

    Attributes:
        research_id: UUIDv7.
        principal_id: who asked, for whom everything is done.
        bounds: what the credential allowed that it was asked with.
        question: as it was put.
        start_url: canonical; empty where it starts from what the scopes hold.
        hosts: beside that of the start, to which its own scope was made to reach.
        scope_id: where its pages are fetched for and looked up in.
        asked: ids of other scopes that are asked too.
        chat_id: that keeps the answer.
        job_id: of the pages that are being fetched; empty for none.
        passed: pages that it did not try, since another run had in vain; the first that it met.
        jobs: all that it has begun.
        fetched_bytes: of the bodies that were sent for these by the end of the last one.
        turn: number of the answer in its chat; 0 without one.
        message: what went wrong, where it failed.
        keep_days: that its own scope is kept after its end; None for good.
        dropped_time: when that scope was deleted, since its days had passed.
    """

    research_id: ResearchId
    organisation_id: str
    principal_id: str
    bounds: WatchBounds
    question: str
    start_url: str
    hosts: tuple[str, ...] = ()
    scope_id: ScopeId
    asked: tuple[ScopeId, ...] = ()
    chat_id: ChatId
    budget: ResearchBudget = field(default_factory=ResearchBudget)
    state: ResearchState = ResearchState.RUNNING
    stopped: StopReason = StopReason.NONE
    message: str = ""
    pages: tuple[ResearchPage, ...] = ()
    steps: tuple[ResearchStep, ...] = ()
    passed: tuple[PassedPage, ...] = ()
    job_id: JobId = NO_JOB
    jobs: tuple[JobId, ...] = ()
    fetched_bytes: int = 0
    turn: int = 0
    created_time: datetime
    ended_time: datetime | None = None
    keep_days: int | None = None
    dropped_time: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether it goes on."""
        return self.state is ResearchState.RUNNING
