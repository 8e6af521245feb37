"""The extractive answer: sentences of the passages found, quoted word for word."""

import asyncio
from dataclasses import dataclass

from scops.common.contract.messages.explanation import Citation, Highlight, ModelUse, Statement
from scops.common.observe.tracing import stage
from scops.explainer import metrics
from scops.explainer.answer.evidence import PASSAGES, ReadablePassages
from scops.explainer.citations.citation import cite
from scops.explainer.ports import ExplainerPorts
from scops.explainer.quotes.highlighting import MarkedQuote, marked_quote
from scops.explainer.quotes.reading import read_quotes
from scops.explainer.quotes.selection import preselected
from scops.explainer.quotes.spans import Quote, excerpt_of, join_quotes, quotes_in

# Quotes are cut from a text as slowly as words are read from one so many times as long.
QUOTING_PASSES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftAnswer:
    """An answer, whoever words it; without citations there is none.

    Attributes:
        use: of a model, and why the answer is not its; None where none was wanted.
        places: of the passages cited.
        shortfall: what the reader must know of an answer that is not whole.
        probability: that what was found holds an answer, in [0, 1]; of sentences of a model, which
            quotes bear out, 1.
    """

    use: ModelUse | None
    statements: tuple[Statement, ...] = ()
    citations: tuple[Citation, ...] = ()
    places: tuple[int, ...] = ()
    shortfall: str = ""
    probability: float = 1.0


async def extractive_answer(
    question: str, readable: ReadablePassages, ports: ExplainerPorts, *, use: ModelUse | None
) -> DraftAnswer:
    """Returns quotes in reading order as statements, each with its citation; none to abstain.

    Args:
        use: of a model, and why the answer is not its; None where none was wanted.
    """
    with stage(metrics.STAGE_SECONDS, "quote"):
        quotes, marked, probability = await _chosen(question, readable, ports)
    citations = tuple(
        cite(number, quote, readable.evidence[quote.passage], readable.versions[quote.passage])
        for number, quote in enumerate(quotes, start=1)
    )
    return DraftAnswer(
        use=use,
        statements=tuple(
            Statement(
                text=entry.quote,
                citation_numbers=(entry.number,),
                highlight=_highlight(quote, marked),
            )
            for quote, entry in zip(quotes, citations, strict=True)
        ),
        citations=citations,
        places=tuple(sorted({quote.passage for quote in quotes})),
        probability=probability,
    )


def _highlight(quote: Quote, marked: MarkedQuote | None) -> Highlight | None:
    """Returns where the short answer stands in a quote; others may have been joined to its own."""
    if marked is None or not quote.holds(marked.quote):
        return None
    begins, short = marked.quote.start - quote.start, marked.short
    return Highlight(
        start=begins + short.start, end=begins + short.end, probability=short.probability
    )


async def _chosen(
    question: str, readable: ReadablePassages, ports: ExplainerPorts
) -> tuple[list[Quote], MarkedQuote | None, float]:
    """Returns the quotes in reading order, which words of them are the short answer, and how
    probable it is that there is one.
    """
    quoted = readable.evidence[:PASSAGES]
    quotes = await _quotable(readable.first(PASSAGES), ports)
    candidates, covered = await ports.compute(
        preselected,
        question,
        quotes,
        quoted,
        characters=sum(len(quote.text) for quote in quotes),
    )
    metrics.SENTENCES.observe(len(candidates))
    if not candidates:
        return [], None, 0.0
    embedder = await ports.embedder()
    texts = [entry.quote.embedded_text for entry in candidates]
    (asked,) = await embedder.embed_tokens([question], as_queries=True)
    read = await embedder.embed_tokens(texts)
    known = embedder.calibration
    reading = await asyncio.to_thread(
        read_quotes, candidates, asked, read, known.reader, covered=covered
    )
    if reading.probability < ports.settings.support_min:
        return [], None, reading.probability
    marked = None
    if known.highlight is not None:
        marked = await asyncio.to_thread(
            marked_quote, question, asked, reading, read, known.highlight
        )
    quotes = join_quotes(reading.quotes, readable.versions)
    return quotes, marked, reading.probability


async def _quotable(readable: ReadablePassages, ports: ExplainerPorts) -> list[Quote]:
    """Returns what can be quoted; others have their turn after each passage."""
    quotes: list[Quote] = []
    for place, (passage, version) in enumerate(
        zip(readable.evidence, readable.versions, strict=True)
    ):
        excerpt = excerpt_of(passage, version)
        quotes += await ports.compute(
            quotes_in,
            place,
            passage,
            excerpt,
            characters=QUOTING_PASSES * len(excerpt.text),
        )
        await asyncio.sleep(0)
    return quotes
