"""Research: a question for which pages are fetched until they suffice."""

from dataclasses import dataclass
from datetime import datetime

from scops.client.values.answers import Answer
from scops.client.values.words import ResearchState


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchBudget:
    """What a run may spend.

    Attributes:
        pages: that it fetches.
        seconds: from its begin.
        bytes: of the bodies that are sent for its pages; 0 for no bound.
    """

    pages: int = 0
    seconds: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchPage:
    """A page that a run chose to fetch, and the link by which it was found.

    Attributes:
        found_on_uri: the page whose link led to it, or the index of the site's own search; empty
            for the start.
        gain: probability that it helps, as it was expected; `meaning`, `words` and `path` spoke
            for it, each in [0, 1].
        step: number of the step that chose it; 0 for the start.
        outcome: known | indexed | unchanged | joined | gone | blocked | dead | cancelled | late |
            searched (that index); empty while it is fetched.
        useful, cited: whether it came among the nearest passages, and whether the answer rests on
            it.
    """

    uri: str = ""
    found_on_uri: str = ""
    link_text: str = ""
    gain: float = 0.0
    meaning: float = 0.0
    words: float = 0.0
    path: float = 0.0
    step: int = 0
    outcome: str = ""
    reason: str = ""
    useful: bool = False
    cited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedPage:
    """A page that is not tried again for a while.

    Attributes:
        outcome: gone | blocked | dead, when it was tried.
        until_time: from then on it is a page like any.
    """

    uri: str = ""
    outcome: str = ""
    reason: str = ""
    until_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchStep:
    """One look at the question, and what was decided.

    Attributes:
        number: from 1.
        fetched: pages fetched before it, in all.
        fetched_bytes: of the bodies that were sent for them.
        coverage: how far what was found suffices, in [0, 1]; `probability` and `words` are its
            parts.
        candidates: links that were weighed, of which `best_gain` is the largest gain.
        chosen: how many of them are fetched next.
        stop_reason: why it was the last; empty where it was not.
    """

    number: int = 0
    fetched: int = 0
    fetched_bytes: int = 0
    coverage: float = 0.0
    probability: float = 0.0
    words: float = 0.0
    missing_words: tuple[str, ...] = ()
    candidates: int = 0
    best_gain: float = 0.0
    chosen: int = 0
    stop_reason: str = ""
    time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Research:
    """A run.

    Attributes:
        name: `researches/{research}`.
        scope: `scopes/{scope}` that its pages are fetched for.
        scopes: that are asked besides.
        hosts: beside that of the URI, whose pages may be fetched too.
        fetched_bytes: of the bodies that were sent for its pages.
        stop_reason: covered | low_gain | cost | pages | seconds | bytes | nothing_left |
            cancelled | failed; empty while it goes on.
        chat: `chats/{chat}` that keeps the answer.
        keep_days: for which its own scope is kept after its end; None for good.
        kept_until: when that scope is deleted, unless another run uses it or somebody changes it
            before; None while it goes on, and where it is kept.
        drop_time: when that scope was deleted.
        passed: pages that its links lead to and that it did not try, since a run of the same scope
            had in vain.
    """

    name: str = ""
    question: str = ""
    uri: str = ""
    scope: str = ""
    scopes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    fetched_bytes: int = 0
    budget: ResearchBudget = ResearchBudget()
    state: ResearchState = ResearchState.UNSPECIFIED
    stop_reason: str = ""
    message: str = ""
    pages: tuple[ResearchPage, ...] = ()
    steps: tuple[ResearchStep, ...] = ()
    chat: str = ""
    create_time: datetime | None = None
    end_time: datetime | None = None
    keep_days: int | None = None
    kept_until: datetime | None = None
    drop_time: datetime | None = None
    passed: tuple[PassedPage, ...] = ()

    @property
    def has_ended(self) -> bool:
        """Whether it goes no further."""
        return self.state is not ResearchState.RUNNING


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchProgress:
    """A run, with its answer once there is one.

    Attributes:
        withheld_statements: of the answer, that the caller may not read by now.
    """

    research: Research = Research()
    answer: Answer | None = None
    withheld_statements: int = 0
