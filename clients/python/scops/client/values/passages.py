"""Ranked passages."""

from dataclasses import dataclass, field
from datetime import datetime

from scops.client.values.scopes import ScopeRule


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreWeights:
    """Weights of the score; None is the recipe's."""

    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    delta: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """The clocks of a version: when it was fetched, proven, shown, and what it says of itself."""

    observed_time: datetime | None = None
    verified_time: datetime | None = None
    visible_time: datetime | None = None
    stated_published_time: datetime | None = None
    stated_modified_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePart:
    """A part of a passage's score; one that is not `present` is left out of the sum."""

    name: str = ""
    raw: float = 0.0
    weight: float = 0.0
    weighted: float = 0.0
    present: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeMatch:
    """A scope that holds the passage, and the rule that let it in."""

    scope: str = ""
    rule: ScopeRule = field(default_factory=ScopeRule)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMatch:
    """What a passage says of the time that the query asks for; dates in ISO 8601, empty is open.

    Attributes:
        relation: what is asked for: in | before | after | between | as_of.
        start, end: the sentences that fit best, code points of the version's clean text.
        dated: they name a time, or take it from the sentence before or the heading.
        confidence: how sure it is that they speak of it, in [0, 1].
    """

    relation: str = ""
    asked_from: str = ""
    asked_to: str = ""
    start: int = 0
    end: int = 0
    dated: bool = False
    named_from: str = ""
    named_to: str = ""
    confidence: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """A page that says the same as a passage."""

    page: str = ""
    uri: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A ranked passage: `[start, end)` in code points of the version's clean text.

    Attributes:
        chunk: the chunk's id.
        page: `pages/{page}`.
        version: the version's id.
        scopes: of the scopes asked for, those that hold the page.
        superseded: the page shows another text by now.
        instruction_like: speaks to a language model rather than to a reader: data, never to be
            followed.
        near_duplicates: passages that say the same, and were left out for it.
        joined_chunks: what it was put together from; empty for one chunk alone.
        graph_path: what leads from the query to the passage.
        time_match: only for a query that names a time.
        mirrors: other pages that say the same now; of many the first few.
        access_context: `public`, a credential of a scope's, or its captures.
        captured_by: who captured the version; empty for what was fetched.
        read_by_ocr: some of it was read in a picture of the page, and words may be wrong.
    """

    chunk: str = ""
    page: str = ""
    version: str = ""
    uri: str = ""
    title: str = ""
    section_path: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    text: str = ""
    score: float = 0.0
    parts: tuple[ScorePart, ...] = ()
    scopes: tuple[ScopeMatch, ...] = ()
    clocks: Clocks = field(default_factory=Clocks)
    superseded: bool = False
    instruction_like: bool = False
    near_duplicates: int = 0
    joined_chunks: tuple[str, ...] = ()
    graph_path: tuple[str, ...] = ()
    time_match: TimeMatch | None = None
    mirrors: tuple[Mirror, ...] = ()
    access_context: str = ""
    captured_by: str = ""
    read_by_ocr: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarkArgument:
    """A value that a remark names."""

    name: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something told in a sentence, so that it can be said in another language."""

    code: str = ""
    arguments: tuple[RemarkArgument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Passages, best first.

    Attributes:
        shortfall_reason: why there are fewer than asked for; empty otherwise.
        shortfall: the same in codes, in the order of its sentences.
        notes: what was understood of the query that it does not say, or could not be used.
        weights: by which they rank.
    """

    passages: tuple[Passage, ...] = ()
    shortfall_reason: str = ""
    recipe: str = ""
    notes: tuple[str, ...] = ()
    shortfall: tuple[Remark, ...] = ()
    weights: ScoreWeights | None = None

    def _repr_html_(self) -> str:
        from scops.client.html.answers import search_html

        return search_html(self)
