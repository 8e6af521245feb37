"""Jobs: accepted requests to crawl."""

from dataclasses import dataclass
from datetime import datetime

from scops.client.values.words import JobState

ENDED = frozenset({JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCounts:
    """Pages of a job by outcome; `joined` are those whose URL names another page now."""

    open: int = 0
    indexed: int = 0
    unchanged: int = 0
    gone: int = 0
    blocked: int = 0
    dead: int = 0
    cancelled: int = 0
    joined: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """An accepted request to crawl.

    Attributes:
        name: `jobs/{job}`.
        scope: `scopes/{scope}`.
        urls: to fetch now, without following links; empty crawls the scope.
        page_limit: most pages to fetch; 0 is the scope's.
        cancel_reason: why it was to be cancelled where no caller asked.
    """

    name: str = ""
    scope: str = ""
    state: JobState = JobState.UNSPECIFIED
    counts: JobCounts = JobCounts()
    create_time: datetime | None = None
    finish_time: datetime | None = None
    urls: tuple[str, ...] = ()
    page_limit: int = 0
    cancel_reason: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether no page is open any more."""
        return self.state in ENDED


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOutcome:
    """The outcome of one page in a job.

    Attributes:
        outcome: indexed | unchanged | joined | gone | blocked | dead | cancelled | open.
        joined_uri: the page that the URL names now, where the outcome is joined.
    """

    page: str = ""
    uri: str = ""
    outcome: str = ""
    reason: str = ""
    joined_uri: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobProgress:
    """A job, with the outcome of each page.

    Attributes:
        outcomes_missing_reason: why the outcomes are missing; empty otherwise.
    """

    job: Job = Job()
    outcomes: tuple[PageOutcome, ...] = ()
    outcomes_missing_reason: str = ""
