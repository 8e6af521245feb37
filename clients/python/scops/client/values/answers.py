"""Answers, their citations, and why they rank as they do."""

from dataclasses import dataclass, field
from datetime import datetime

from scops.client.values.pages import DiffHunk
from scops.client.values.passages import Clocks, Passage, Remark, ScoreWeights
from scops.client.values.words import Anchor, Speaker


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Something said earlier in a conversation."""

    speaker: Speaker = Speaker.UNSPECIFIED
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A span of a version: `clean_text[start:end] == quote`.

    Attributes:
        number: from 1, in reading order of the answer.
        page: `pages/{page}`.
        version: the version's id.
        quote_digest: sha256, lower-case hex.
        prefix, suffix: what stands around the quote.
        fragment_uri: opens the quote in a browser.
        superseded: the page shows another text by now.
        page_number: of the document on which the quote begins, from 1; 0 where it has no pages.
        access_context: `public`, a credential of a scope's, or its captures.
        captured_by: who captured the version; empty for what was fetched.
        read_by_ocr: the quote was read in a picture of the page, and words may be wrong.
    """

    number: int = 0
    uri: str = ""
    page: str = ""
    version: str = ""
    title: str = ""
    section_path: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    quote: str = ""
    quote_digest: str = ""
    prefix: str = ""
    suffix: str = ""
    text_digest: str = ""
    clocks: Clocks = field(default_factory=Clocks)
    fragment_uri: str = ""
    superseded: bool = False
    page_number: int = 0
    access_context: str = ""
    captured_by: str = ""
    read_by_ocr: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """The short answer inside a statement: `text[start:end]`, right with a probability."""

    start: int = 0
    end: int = 0
    probability: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement of an answer; no cited span supports one that is `unsupported`.

    Attributes:
        highlight: the short answer inside a quote, one an answer; None where none is probable.
    """

    text: str = ""
    citation_numbers: tuple[int, ...] = ()
    unsupported: bool = False
    highlight: Highlight | None = None

    @property
    def short_answer(self) -> str:
        """The words that are highlighted; empty where none are."""
        span = self.highlight
        return "" if span is None else self.text[span.start : span.end]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A passage that came near to answering, and the question's words that it lacks."""

    chunk: str = ""
    uri: str = ""
    title: str = ""
    section_path: tuple[str, ...] = ()
    missing_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFreshness:
    """How fresh a cited version is: its text appeared after one instant and by the other.

    Attributes:
        change_rate: changes of meaning a day, estimated from the page's own history.
        risk: probability that the page has changed its meaning since it was verified.
        check: what a check for this answer found: unchanged | changed | gone | unknown; empty
            without one.
    """

    page: str = ""
    uri: str = ""
    version: str = ""
    verified_time: datetime | None = None
    changed_after_time: datetime | None = None
    observed_time: datetime | None = None
    change_rate: float = 0.0
    risk: float = 0.0
    check: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How fresh an answer is.

    Attributes:
        risk: probability that at least one cited page has changed since it was verified.
        statement: in plain words.
        risk_before: the risk before pages were checked for this answer; None where none was.
    """

    pages: tuple[PageFreshness, ...] = ()
    risk: float = 0.0
    statement: str = ""
    risk_before: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """What a model was asked for one answer, and what it cost.

    Attributes:
        cost: in the currency of the configured prices; 0 without them.
        fallback_reason: why the answer is extractive all the same; empty where the model worded it.
    """

    model: str = ""
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    fallback_reason: str = ""
    statements_dropped: int = 0
    citations_dropped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RankWithout:
    """Rank of a passage if a part of the score were left out; see `Counterfactual`."""

    part: str = ""
    rank: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterfactual:
    """Where a passage would rank if one thing were otherwise, all candidates ranked again.

    Attributes:
        change: `without` leaves a part of the score out, of all passages. Of this passage or its
            page alone: `fresh`, its text were of today; `preferred`, its scope were; `timely`, it
            spoke of the time asked for.
        part: that is left out, or that the change is of.
        rank: from 1; 0 where it is not among the first `among`.
    """

    change: str = ""
    part: str = ""
    rank: int = 0
    among: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageEntry:
    """A version of a cited page and what it changed."""

    version: str = ""
    observed_time: datetime | None = None
    change_class: str = ""
    change_reasons: tuple[str, ...] = ()
    diff: tuple[DiffHunk, ...] = ()
    cited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedDate:
    """A date that a page states of itself: published or modified; confidence in [0, 1]."""

    kind: str = ""
    time: datetime | None = None
    source: str = ""
    confidence: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """How far text and dates of a version can be trusted to be what the page shows.

    Attributes:
        flags: what went wrong on the way, such as `truncated` or `replacement_characters`.
    """

    extractor: str = ""
    flags: tuple[str, ...] = ()
    stated: tuple[StatedDate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageExplanation:
    """Why one passage ranks as it does.

    Attributes:
        rationale: in plain words, composed from the facts beside it.
        ranks_without: one a part that has a say.
        extraction: None where the version is not kept any more.
        reasons: why it ranks where it does, in codes, in the order of the rationale's first
            sentences.
        relevance: probability that it is relevant, as calibrated on judged questions; None where
            nobody can tell.
    """

    passage: Passage = field(default_factory=Passage)
    rank: int = 0
    lineage: tuple[LineageEntry, ...] = ()
    rationale: str = ""
    ranks_without: tuple[RankWithout, ...] = ()
    extraction: Extraction | None = None
    reasons: tuple[Remark, ...] = ()
    relevance: float | None = None
    counterfactuals: tuple[Counterfactual, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One explanation a passage, best first, and all of them in plain words.

    Attributes:
        recipe, weights: by which they rank; of an answer's the recipe alone.
        reasons: in codes, on what probabilities were calibrated.
    """

    explanations: tuple[PassageExplanation, ...] = ()
    rationale: str = ""
    recipe: str = ""
    weights: ScoreWeights | None = None
    reasons: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Statements with verbatim, version-pinned citations.

    Attributes:
        answered: whether the scopes answer the question.
        passages: what the answer was taken from, best first.
        shortfall_reason: why there is no answer, or less than asked for; empty otherwise.
        shortfall: the same in codes, in the order of its sentences.
        explanations, rationale: only where they were asked for.
        gaps: what is missing, nearest first; only without an answer.
        evidence_bundle: signed; `explain` takes it back.
        model: None where no model was asked.
        turn: where a chat keeps it; empty where no chat was named.
    """

    answered: bool = False
    statements: tuple[Statement, ...] = ()
    citations: tuple[Citation, ...] = ()
    passages: tuple[Passage, ...] = ()
    shortfall_reason: str = ""
    explanations: tuple[PassageExplanation, ...] = ()
    gaps: tuple[Gap, ...] = ()
    rationale: str = ""
    freshness: Freshness = Freshness()
    evidence_bundle: bytes = b""
    model: ModelUse | None = None
    turn: str = ""
    shortfall: tuple[Remark, ...] = ()

    @property
    def text(self) -> str:
        """The statements, one after the other, with their citations as `[1]`."""
        return " ".join(
            statement.text + "".join(f" [{number}]" for number in statement.citation_numbers)
            for statement in self.statements
        )

    def _repr_html_(self) -> str:
        from scops.client.html.answers import answer_html

        return answer_html(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSources:
    """What an answer is looked for in, best first."""

    passages: tuple[Passage, ...] = ()
    shortfall_reason: str = ""
    shortfall: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStatement:
    """A statement, with those of its citations that no part before had."""

    statement: Statement = Statement()
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPart:
    """A part of an answer as it comes; one of them is there.

    Attributes:
        sources: first, before the answer is put together.
        statement: one after the other.
        answer: last, as `answer` returns it.
    """

    sources: AnswerSources | None = None
    statement: AnswerStatement | None = None
    answer: Answer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedCitation:
    """A citation and what became of its span.

    Attributes:
        verbatim: the cited version shows the quote at its offsets, and its digest is right.
        head_start, head_end: where the newest version shows it; only for same and moved.
        head_version: the newest version's id.
        superseded_time, stood_until_time: seen first without the span, and last with it.
        diff: what stands in its place; only for superseded.
        reason: why, where it is not the same.
        page_closed: the page is gone since.
    """

    number: int = 0
    page: str = ""
    version: str = ""
    uri: str = ""
    anchor: Anchor = Anchor.UNSPECIFIED
    verbatim: bool = False
    quote: str = ""
    quote_digest: str = ""
    head_start: int | None = None
    head_end: int | None = None
    head_version: str = ""
    superseded_time: datetime | None = None
    stood_until_time: datetime | None = None
    diff: tuple[DiffHunk, ...] = ()
    reason: str = ""
    page_closed: bool = False
