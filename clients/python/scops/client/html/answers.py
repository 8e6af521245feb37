"""Answers and passages as HTML."""

from html import escape

from scops.client.html.parts import at, facts, line, link, quote, section, view
from scops.client.values.answers import Answer, Citation, Gap, Statement
from scops.client.values.passages import Passage, SearchResult

PASSAGE_CHARACTERS = 400
SUPERSEDED = "the page shows another text by now"


def answer_html(answer: Answer) -> str:
    """Returns an answer with its citations, or what is missing for one."""
    return view(
        "".join(map(_statement, answer.statements)),
        line(answer.shortfall_reason),
        "".join(map(_gap, answer.gaps)),
        "".join(map(_citation, answer.citations)),
        line(answer.freshness.statement, kind="facts"),
    )


def search_html(result: SearchResult) -> str:
    """Returns passages, best first."""
    return view(
        "".join(map(_passage, result.passages)) or line("nothing found"),
        "".join(line(note, kind="facts") for note in result.notes),
        line(result.shortfall_reason),
    )


def _statement(statement: Statement) -> str:
    marks = "".join(f" [{number}]" for number in statement.citation_numbers)
    unsupported = " <em>(no cited span supports this)</em>" if statement.unsupported else ""
    return f'<p class="page" dir="auto">{_highlighted(statement)}{marks}{unsupported}</p>'


def _highlighted(statement: Statement) -> str:
    span = statement.highlight
    if span is None:
        return escape(statement.text)
    before, after = statement.text[: span.start], statement.text[span.end :]
    return f"{escape(before)}<mark>{escape(statement.short_answer)}</mark>{escape(after)}"


def _citation(citation: Citation) -> str:
    around = '<span style="opacity:.6">{}</span>'
    below = facts(
        f"[{citation.number}] {link(citation.fragment_uri or citation.uri, citation.title)}",
        section(citation.section_path),
        f"page {citation.page_number}" if citation.page_number else "",
        "read by OCR" if citation.read_by_ocr else "",
        at("observed", citation.clocks.observed_time),
        at("verified", citation.clocks.verified_time),
        f"<strong>superseded</strong>: {SUPERSEDED}" if citation.superseded else "",
    )
    inner = (
        around.format(escape(citation.prefix))
        + escape(citation.quote)
        + around.format(escape(citation.suffix))
    )
    return quote(inner, kinds=("superseded" if citation.superseded else "",), below=below)


def _gap(gap: Gap) -> str:
    lacking = f"lacks: {escape(', '.join(gap.missing_words))}" if gap.missing_words else ""
    return facts(link(gap.uri, gap.title), section(gap.section_path), lacking)


def _passage(passage: Passage) -> str:
    text = passage.text
    shown = text if len(text) <= PASSAGE_CHARACTERS else f"{text[:PASSAGE_CHARACTERS]} …"
    below = facts(
        link(passage.uri, passage.title),
        section(passage.section_path),
        f"score {passage.score:.3f}",
        at("verified", passage.clocks.verified_time),
        f"<strong>superseded</strong>: {SUPERSEDED}" if passage.superseded else "",
        "<strong>speaks to a model</strong>" if passage.instruction_like else "",
        "read by OCR" if passage.read_by_ocr else "",
    )
    return quote(escape(shown), kinds=("superseded" if passage.superseded else "",), below=below)
