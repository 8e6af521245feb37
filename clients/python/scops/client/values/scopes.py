"""Scopes, and what they were."""

from dataclasses import dataclass
from datetime import datetime

from scops.client.values.words import Boundary, RuleKind, ScopeRole


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRule:
    """One rule of a scope; excluding rules win."""

    kind: RuleKind = RuleKind.UNSPECIFIED
    pattern: str = ""
    exclude: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A scope shared with somebody.

    Attributes:
        subject: `user:ann@example.org`, `service:robot` or `group:team`.
        rights: permissions beside those of the role, as docs/reference/permissions.md lists them.
    """

    subject: str = ""
    role: ScopeRole = ScopeRole.UNSPECIFIED
    rights: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleError:
    """What is wrong with a rule.

    Attributes:
        pattern: its first 80 characters.
        code: such as `host_missing`; what a code means never changes, and new ones come.
        detail: what the reader of addresses or of expressions said; empty where the code says all.
    """

    pattern: str = ""
    code: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A named set of pages by rules.

    Attributes:
        name: `scopes/{scope}`.
        rules: those given, and beside them those that the boundary writes.
        page_limit: most pages that one crawl fetches; 0 is the default.
        depth_limit: most links away from a seed; 0 is the default.
        retention_days: that a version is kept after it stopped standing; 0 keeps it.
        recrawl_per_day: fetches that keep its pages fresh; 0 shares the organisation's budget,
            -1 has none.
        rendered_per_day: pages that a browser shows for it; 0 is the installation's limit, -1 none.
        rendered_always: a browser shows all of its pages, not only those that only scripts fill.
        paper_services: scholarly services that research runs in it ask for papers; empty asks none.
        etag: changes with every revision; a change that names an older one is refused.
        rule_errors: what is wrong with rules that cannot be read.
        rule_faults: the same in codes, in their order.
        grants: with whom it is shared; shown to whoever may share it.
        role: what the caller is in it.
    """

    name: str = ""
    display_name: str = ""
    rules: tuple[ScopeRule, ...] = ()
    seeds: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    page_limit: int = 0
    depth_limit: int = 0
    owner: str = ""
    revision: int = 0
    etag: str = ""
    create_time: datetime | None = None
    update_time: datetime | None = None
    public: bool = False
    retention_days: int = 0
    counted_reasons: tuple[str, ...] = ()
    ignored_reasons: tuple[str, ...] = ()
    recrawl_per_day: int = 0
    rendered_per_day: int = 0
    rendered_always: bool = False
    boundary: Boundary = Boundary.UNSPECIFIED
    rule_errors: tuple[str, ...] = ()
    grants: tuple[Grant, ...] = ()
    role: ScopeRole = ScopeRole.UNSPECIFIED
    rule_faults: tuple[RuleError, ...] = ()
    paper_services: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeUse:
    """What a scope has used today (UTC).

    Attributes:
        rendered_pages: that a browser was asked to show for it.
        rendered_per_day: how many it may be asked for; 0 for none.
    """

    rendered_pages: int = 0
    rendered_per_day: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRevision:
    """What a scope was from one change to the next.

    Attributes:
        principal: who made it so.
        differences: from the revision before, a line each.
    """

    scope: Scope = Scope()
    change_time: datetime | None = None
    principal: str = ""
    reason: str = ""
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedPage:
    """A page that changed rules would let in or out.

    Attributes:
        rule: the one that lets it in, or that keeps it out; None where none would let it in any
            more.
    """

    uri: str = ""
    rule: ScopeRule | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopePreview:
    """How many known pages a set of rules matches.

    Attributes:
        in_count, out_count: known pages that a named scope would hold by the given rules and does
            not hold now, and those that it would hold no more; with examples.
        truncated: more pages are known than one preview reads: the counts are lower bounds.
    """

    matched_count: int = 0
    known_count: int = 0
    matched_examples: tuple[str, ...] = ()
    unmatched_examples: tuple[str, ...] = ()
    truncated: bool = False
    in_count: int = 0
    out_count: int = 0
    in_examples: tuple[PreviewedPage, ...] = ()
    out_examples: tuple[PreviewedPage, ...] = ()
