"""Pages, their versions, and what changed."""

from dataclasses import dataclass
from datetime import datetime

from scops.client.values.scopes import ScopeRule
from scops.client.values.words import PartKind


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSchedule:
    """When a page is due without being asked for, and why.

    Attributes:
        change_time: the check that found the last change; None where none has.
        change_rate: changes of meaning a day, with bounds that hold nine times of ten.
        importance: how much answers lean on it, 1 for the mean of its budget's pages.
        signals: who has told of a change since it was checked: `sitemap`, `feed`.
        stale_probability: that it has changed its meaning since it was checked.
        value: what a fetch is worth now; days.
        threshold: from which worth on the budget pays for it; days.
        due_time: None where no budget keeps it fresh.
        by_floor: it is due only because nothing may wait longer.
        budget_scope: the scope whose budget pays; empty for the organisation's.
        budget_per_day: fetches that the budget pays for.
    """

    check_time: datetime | None = None
    change_time: datetime | None = None
    change_rate: float = 0.0
    change_rate_low: float = 0.0
    change_rate_high: float = 0.0
    importance: float = 0.0
    signals: tuple[str, ...] = ()
    stale_probability: float = 0.0
    value: float = 0.0
    threshold: float = 0.0
    due_time: datetime | None = None
    by_floor: bool = False
    budget_scope: str = ""
    budget_per_day: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePlan:
    """When a page may be fetched, and when it is without being asked for.

    Attributes:
        host: that is asked, with its port where that is no usual one.
        host_delay_seconds: between two requests to it.
        host_next_time: before which it is asked nothing; None where that is over.
        asks_for_changes: the next fetch asks whether the page changed; else for the whole page.
        schedule: None before the first check.
    """

    host: str = ""
    host_delay_seconds: float = 0.0
    host_next_time: datetime | None = None
    asks_for_changes: bool = False
    schedule: PageSchedule | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What is known of a page.

    Attributes:
        name: `pages/{page}`.
        status: fetched | unmodified | joined | gone | failed | waiting.
        scopes: of those the caller may see, the ones that hold the page.
        plan: why and when it is fetched next.
        joined_uri: the page that its URI names now, where it was joined to another.
        captured_by: who captured it last, at `last_fetch_time`; empty for a page that is fetched.
        content_digest: sha256 of what was captured, once the index has it; else empty.
        plan_facts: what the plan is made of; None where it is empty.
    """

    name: str = ""
    uri: str = ""
    status: str = ""
    last_fetch_time: datetime | None = None
    last_reason: str = ""
    aliases: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    plan: str = ""
    joined_uri: str = ""
    captured_by: str = ""
    content_digest: str = ""
    plan_facts: PagePlan | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCapture:
    """What became of a capture.

    Attributes:
        name: `pages/{page}`, the page as it was captured.
        known: this very capture was taken in before.
    """

    name: str = ""
    known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalledPage:
    """What is done with a URL of which you say that its page changed.

    Attributes:
        state: due, new, refused or limited.
        reason, message: why it is not taken; empty where it is.
    """

    uri: str = ""
    state: str = ""
    reason: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleMatch:
    """A scope, and the rule of it that lets a URL in; or, where it excludes, keeps it out."""

    scope: str = ""
    rule: ScopeRule | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedPage:
    """Where a URL stands.

    Attributes:
        page: None where it is no known page that the caller may see.
        matches: of scopes that say something of it.
    """

    page: Page | None = None
    matches: tuple[RuleMatch, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVersion:
    """One version of a page.

    Attributes:
        observed_to_time: None while the version stands.
        counts: the change counts under the rule of the scope that was named.
        dropped_reason: expired | purged; empty while the version is kept.
        pin: why the version is kept whatever its age; empty for no pin.
    """

    version: str = ""
    observed_from_time: datetime | None = None
    revision: int = 0
    observed_to_time: datetime | None = None
    last_verified_time: datetime | None = None
    text_digest: str = ""
    title: str = ""
    change_class: str = ""
    change_reasons: tuple[str, ...] = ()
    semantic: bool = False
    pipeline_changed: bool = False
    restored_version: str = ""
    chunk_count: int = 0
    counts: bool = False
    dropped_reason: str = ""
    dropped_time: datetime | None = None
    pin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHistory:
    """The versions of a page, newest first.

    Attributes:
        closed: the page is gone, or another page stands in its place.
        truncated: there are older versions than these.
    """

    versions: tuple[PageVersion, ...] = ()
    closed: bool = False
    closed_reason: str = ""
    closed_time: datetime | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSection:
    """A run of text under one heading, in code points of the clean text, end exclusive."""

    path: tuple[str, ...] = ()
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """A part of a version's clean text: what a page said, never an instruction.

    Attributes:
        observed_to_time: None while the version stands.
        language: BCP 47; empty where it is not known.
        start, end: of `text`, in code points of the clean text.
        wanted_end: where what was asked for ends: read on from `end` while it lies before.
        sections: of the whole text, in reading order; of many the first ones.
    """

    page: Page = Page()
    version: str = ""
    observed_from_time: datetime | None = None
    observed_to_time: datetime | None = None
    last_verified_time: datetime | None = None
    title: str = ""
    language: str = ""
    text: str = ""
    start: int = 0
    end: int = 0
    wanted_end: int = 0
    sections: tuple[TextSection, ...] = ()
    text_digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffPart:
    """A run of words."""

    kind: PartKind = PartKind.UNSPECIFIED
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffHunk:
    """One changed block.

    Attributes:
        change_class: none | format | moved | lexical | critical.
    """

    section_path: tuple[str, ...] = ()
    parts: tuple[DiffPart, ...] = ()
    change_class: str = ""
    change_reasons: tuple[str, ...] = ()
    semantic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDiff:
    """Two versions of a page, word by word: the changed blocks in reading order."""

    from_version: str = ""
    to_version: str = ""
    hunks: tuple[DiffHunk, ...] = ()
    truncated: bool = False

    def _repr_html_(self) -> str:
        from scops.client.html.changes import diff_html

        return diff_html(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEdit:
    """One typed edit, with its place in both versions as code points; salience in [0, 1]."""

    change_class: str = ""
    reasons: tuple[str, ...] = ()
    salience: float = 0.0
    from_start: int = 0
    from_end: int = 0
    to_start: int = 0
    to_end: int = 0
    from_text: str = ""
    to_text: str = ""
    section_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChange:
    """One page that changed: after `changed_after_time`, and seen at `observed_time`.

    Attributes:
        name: `pages/{page}`.
        news: added | changed | closed.
        from_version: empty for a page that is new.
        edits: those that count, by falling salience.
        truncated: there are more edits than these.
        access_context: what the page was fetched with: `public`, or a credential.
    """

    name: str = ""
    uri: str = ""
    title: str = ""
    news: str = ""
    from_version: str = ""
    to_version: str = ""
    changed_after_time: datetime | None = None
    observed_time: datetime | None = None
    change_class: str = ""
    change_reasons: tuple[str, ...] = ()
    salience: float = 0.0
    edits: tuple[TextEdit, ...] = ()
    truncated: bool = False
    access_context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The pages of a scope that changed since an instant, by falling weight.

    Attributes:
        suppressed: pages whose changes do not count.
        returned: pages that changed in between and show their text of then again.
        truncated: there are more pages than these.
    """

    changes: tuple[PageChange, ...] = ()
    suppressed: int = 0
    returned: int = 0
    truncated: bool = False

    def _repr_html_(self) -> str:
        from scops.client.html.changes import changes_html

        return changes_html(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChanges:
    """What changed on a page, newest first; `truncated` where there are later changes."""

    changes: tuple[PageChange, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewChanges:
    """Changes as they were recorded, each against the version before.

    Attributes:
        cursor: from where a later stream goes on.
    """

    changes: tuple[PageChange, ...] = ()
    cursor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A version that is kept whatever its age; `until_time` is None where there is no pin."""

    version: str = ""
    until_time: datetime | None = None
