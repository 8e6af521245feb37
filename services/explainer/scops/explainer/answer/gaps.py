"""How far what was found suffices, and what is missing: words that the passages lack."""

from collections.abc import Sequence

from scops.common.contract.messages.explanation import Coverage, Gap
from scops.common.contract.messages.retrieval import Evidence
from scops.common.contract.messages.types import Remark
from scops.common.text.remarks import RemarkCode, remark
from scops.common.text.terms import STOP_WORDS, content_terms, stem, words
from scops.explainer.quotes.reading import NEWS_MIN

GAPS_MAX = 3
WORDS_NAMED_MAX = 4


def unanswered(
    question: str, evidence: Sequence[Evidence]
) -> tuple[tuple[Gap, ...], tuple[Remark, ...]]:
    """Returns what lacks the fewest of a question's words, and why there is no answer."""
    gaps = gaps_of(question, evidence)
    return gaps, shortfall_of(question, evidence, gaps)


def gaps_of(question: str, evidence: Sequence[Evidence]) -> tuple[Gap, ...]:
    """Returns the passages that lack the fewest of a question's words, fewest first."""
    asked = _asked_words(question)
    gaps = [_gap(asked, passage) for passage in evidence]
    return tuple(sorted(gaps, key=lambda gap: len(gap.missing_words))[:GAPS_MAX])


def shortfall_of(
    question: str, evidence: Sequence[Evidence], gaps: Sequence[Gap]
) -> tuple[Remark, ...]:
    """Returns why a question is not answered, and what came nearest."""
    known = frozenset[str]().union(*(_terms(passage) for passage in evidence))
    missing = [word for word in _asked_words(question) if stem(word) not in known]
    if missing:
        why = remark(RemarkCode.WORDS_MISSING, words=_quoted(missing))
    else:
        why = remark(RemarkCode.UNSUPPORTED)
    if not gaps:
        return (why,)
    nearest = gaps[0]
    place = " › ".join(dict.fromkeys((nearest.title, *nearest.section_path[-1:])))
    if not nearest.missing_words:
        return why, remark(RemarkCode.NEAREST, place=place)
    lacks = _quoted(nearest.missing_words)
    return why, remark(RemarkCode.NEAREST_LACKS, place=place, words=lacks)


def coverage_of(
    question: str, passages: Sequence[Evidence], quotes: Sequence[str], *, probability: float
) -> Coverage:
    """Returns how far passages suffice for a question.

    Lines that say little more than the question does count for nothing: a link or a heading that
    promises an answer is none.

    Args:
        passages: that are cited; without an answer, the nearest ones.
        quotes: what is cited of them.
        probability: that a sentence of them answers.
    """
    asked = _asked_words(question)
    own = frozenset(stem(word) for word in asked)
    known = frozenset[str]().union(*(_told_terms(passage, own) for passage in passages))
    missing = tuple(word for word in asked if stem(word) not in known)
    words = 1.0 - len(missing) / len(asked) if asked else 1.0
    answers = not quotes or any(_tells(quote, own) for quote in quotes)
    return Coverage(
        probability=probability if passages and answers else 0.0,
        words=words if passages else 0.0,
        missing_words=missing,
    )


def _told_terms(passage: Evidence, asked: frozenset[str]) -> frozenset[str]:
    """Returns the stems of a passage without those of lines that only repeat a question."""
    told = [line for line in passage.text.splitlines() if _tells(line, asked)]
    return content_terms(" ".join((passage.title, *passage.section_path, *told)))


def _tells(text: str, asked: frozenset[str]) -> bool:
    """Returns whether a text says more than a question does."""
    return len(content_terms(text) - asked) >= NEWS_MIN


def _quoted(missing: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in missing[:WORDS_NAMED_MAX])


def _gap(asked: Sequence[str], passage: Evidence) -> Gap:
    known = _terms(passage)
    return Gap(
        chunk_id=passage.chunk_id,
        canonical_url=passage.canonical_url,
        title=passage.title,
        section_path=passage.section_path,
        missing_words=tuple(word for word in asked if stem(word) not in known),
        access_context=passage.access_context,
    )


def _asked_words(question: str) -> list[str]:
    """Returns the words of a question that carry meaning, each once, in order."""
    return [word for word in dict.fromkeys(words(question)) if word not in STOP_WORDS]


def _terms(passage: Evidence) -> frozenset[str]:
    return content_terms(" ".join((passage.title, *passage.section_path, passage.text)))
