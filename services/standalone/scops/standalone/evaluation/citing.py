"""Whether statements are borne out by what they cite: recall and precision of citations.

A statement is supported where a quote that it cites has its words, or by the gate that a model's
sentences are held against (`is_grounded`). A quote that its version does not show supports nothing.

Source: Gao et al., Enabling Large Language Models to Generate Text with Citations (ALCE, EMNLP
2023). Differs: the gate of words stands in the place of a model of entailment.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import fmean

from scops.client.values.answers import Answer, Citation
from scops.explainer.model.grounding import is_grounded


@dataclass(frozen=True, slots=True)
class CitationScores:
    """Of one answer: the share of statements that are supported, and of citations that support.

    Attributes:
        precision: None where nothing is cited.
    """

    recall: float
    precision: float | None


def citation_scores(answer: Answer, verbatim: Collection[int]) -> CitationScores | None:
    """Returns the scores of an answer; None where it has no statement.

    Args:
        verbatim: numbers of the citations whose quote the cited version shows.
    """
    if not answer.statements:
        return None
    cited = {one.number: one for one in answer.citations if one.number in verbatim}
    supported: list[float] = []
    precise: list[bool] = []
    for statement in answer.statements:
        spans = [cited[number] for number in statement.citation_numbers if number in cited]
        holds = supports(statement.text, spans)
        supported.append(float(holds))
        precise += [
            holds and number in cited and _is_needed(statement.text, cited[number], spans)
            for number in statement.citation_numbers
        ]
    return CitationScores(fmean(supported), fmean(precise) if precise else None)


def supports(statement: str, spans: Sequence[Citation]) -> bool:
    """Returns whether cited spans bear a statement out together."""
    quotes = [span.quote for span in spans]
    said = _words(statement)
    if any(said in _words(quote) for quote in quotes):
        return bool(said)
    about = " ".join(" ".join((span.title, *span.section_path)) for span in spans)
    return is_grounded(statement, quotes, about=about)


def _is_needed(statement: str, one: Citation, spans: Sequence[Citation]) -> bool:
    """Returns whether a span supports by itself, or the others do not without it."""
    if len(spans) == 1 or supports(statement, [one]):
        return True
    return not supports(statement, [span for span in spans if span is not one])


def _words(text: str) -> str:
    return " ".join(text.split())
