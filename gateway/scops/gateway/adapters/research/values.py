"""The report of a research as a value: what it found, how, at what cost, and what is missing.

Field names are camel case in JSON. Link texts, titles and quotes are words of web pages.
"""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class PageUse(StrEnum):
    """What a page was good for."""

    CITED = "cited"
    NEAR = "near"
    FAR = "far"
    ABSENT = "absent"


class ReportPart(BaseModel):
    """A part of a report."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, frozen=True)


class ReportLink(ReportPart):
    """A link that was followed from one page to another."""

    on_uri: str = Field(description="The page that it stands on.")
    text: str
    uri: str


class ReportLook(ReportPart):
    """A look at the question, and what was decided."""

    number: int = Field(description="From 1.")
    fetched: int = Field(description="Pages chosen before it, in all.")
    coverage: float = Field(description="How far what was found suffices, from 0 to 1.")
    probability: float = Field(description="That a sentence answers.")
    words: float = Field(description="Share of the question's words that is cited.")
    candidates: int = Field(description="Links that were weighed.")
    best_gain: float = Field(description="Of them the largest probability that a page helps.")
    chosen: int = Field(description="Pages that were fetched next.")


class ReportPage(ReportPart):
    """A page that the research chose, and what came of it."""

    uri: str
    use: PageUse
    why: str = Field(description="In plain words.")
    outcome: str = Field(description="Of its fetch; `known` where none was needed.")
    reason: str
    gain: float = Field(description="Probability that it helps, as it was expected.")
    way: list[ReportLink] = Field(description="The links that led to it, from the start on.")


class ReportSource(ReportPart):
    """A page that the answer rests on."""

    uri: str
    page: str = Field(description="`pages/{page}`.")
    version: str
    title: str
    fetch_time: str = Field(description="When the version was fetched first.")
    verified_time: str = Field(description="When it was last seen to stand.")
    superseded: bool = Field(description="The page says something else by now.")
    way: list[ReportLink] = Field(description="Empty where it was known, and for the start.")


class ReportQuote(ReportPart):
    """The exact words of a cited version."""

    number: int
    uri: str
    link: str = Field(description="Opens the page at the quote.")
    version: str
    quote: str


class ReportDifference(ReportPart):
    """Two quotes of different pages that say different numbers of the same thing."""

    quote: int = Field(description="Number of the first.")
    says: list[str] = Field(description="Numbers that it alone has, as it writes them.")
    other_quote: int
    other_says: list[str]


class ReportStatement(ReportPart):
    """A statement of the answer."""

    text: str
    quotes: list[int] = Field(description="Numbers of the quotes that support it.")


class ReportCost(ReportPart):
    """What was spent, and what might have been."""

    pages: int = Field(description="That were fetched.")
    pages_budget: int
    seconds: float
    seconds_budget: int
    input_tokens: int = Field(description="That a language model read for the answer.")
    output_tokens: int = Field(description="That it wrote.")


class ResearchReport(ReportPart):
    """What a research came to."""

    research: str = Field(description="`researches/{research}`.")
    question: str
    uri: str = Field(description="Where it started; empty for what its scopes hold.")
    scopes: list[str] = Field(description="`scopes/{scope}`; pages were fetched for the first.")
    state: str = Field(description="running, ended, cancelled or failed.")
    stop_reason: str
    stopped: str = Field(description="The same in plain words.")
    message: str = Field(description="What went wrong, where it failed.")
    create_time: str
    end_time: str = Field(description="Empty while it goes on.")
    coverage: float = Field(description="Of the last look.")
    covered_at: float = Field(description="Coverage at which a research has found enough.")
    answered: bool
    statements: list[ReportStatement]
    withheld_statements: int = Field(description="That the reader may not see by now.")
    quotes: list[ReportQuote]
    differences: list[ReportDifference] = Field(
        description="Quotes that say different numbers of the same thing."
    )
    cited_pages: list[ReportSource]
    freshness: str = Field(description="How fresh the cited pages are, in plain words.")
    looks: list[ReportLook] = Field(description="Coverage over fetches.")
    pages: list[ReportPage]
    missing_words: list[str] = Field(description="Of the question, that nothing cited holds.")
    cost: ReportCost
