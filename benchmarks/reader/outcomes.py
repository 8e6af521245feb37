"""What came of a question, and the figures of many."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from benchmarks.reader.sets import Place, ReadingQuestion, ReadingSet
from benchmarks.shared.figures import auc_of, f1_of
from scops.common.text.terms import word_count, words

Floats = npt.NDArray[np.float64]
RESAMPLES = 1000
SEED = 0
BINS = 10
# Of the probability that anything answers.
BOUNDS = (0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9)
ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a selection makes of a question, whether or not it then abstains.

    Attributes:
        quotes: spans of paragraphs with their texts.
        highlight: the short answer; empty where none is marked.
        confidence: orders questions, higher is surer; None where the selection has none.
        probability: that the quotes hold the answer; None where it is not calibrated.
        answered: that anything read holds it, by which the selection abstains; None likewise.
        abstains: None where the selection never does.
    """

    quotes: tuple[tuple[Place, str], ...] = ()
    highlight: str = ""
    confidence: float | None = None
    probability: float | None = None
    answered: float | None = None
    abstains: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A judged reading; NaN where a figure says nothing of this question.

    Attributes:
        holds: whether the quotes hold a gold string, wherever it stands.
        right: whether they hold the marked span itself, had there been no abstention.
    """

    page: str
    answerable: bool
    abstained: bool
    exact: float
    f1: float
    holds: float
    right: float
    precision: float
    recall: float
    words: float
    confidence: float
    probability: float
    answered: float


def judge(question: ReadingQuestion, reading: Reading, among: ReadingSet) -> Outcome:
    """Returns what a reading is worth."""
    abstained = bool(reading.abstains) or not reading.quotes
    quoted = _sentences_quoted(reading, among)
    precision, recall = _precision_and_recall(quoted, question)
    answered = question.answerable and not abstained
    exact, f1 = _match(question, reading, abstained=abstained)
    texts = [_plain(text) for _, text in reading.quotes]
    holds = any(_plain(gold) in text for gold in question.answers for text in texts)
    nothing = float("nan")
    return Outcome(
        page=question.page,
        answerable=question.answerable,
        abstained=abstained,
        exact=exact,
        f1=f1,
        holds=float(holds and not abstained) if question.answerable else nothing,
        right=_right(question, quoted),
        precision=precision if answered else nothing,
        recall=(0.0 if abstained else recall) if question.answerable else nothing,
        words=nothing if abstained else sum(word_count(text) for _, text in reading.quotes),
        confidence=nothing if reading.confidence is None else reading.confidence,
        probability=nothing if reading.probability is None else reading.probability,
        answered=nothing if reading.answered is None else reading.answered,
    )


def figures(outcomes: Sequence[Outcome], *, may_abstain: bool) -> dict[str, object]:
    """Returns each figure and its interval, None where the outcomes do not say."""
    columns = {
        name: np.array([getattr(one, name) for one in outcomes], dtype=np.float64)
        for name in Outcome.__slots__
        if name != "page"
    }
    measures: dict[str, Callable[[Mapping[str, Floats]], float]] = {
        "em": partial(_mean, "exact"),
        "f1": partial(_mean, "f1"),
        "answer_recall": partial(_mean, "holds"),
        "no_answer_f1": _no_answer_f1 if may_abstain else _unsaid,
        "abstained_answerable": _abstained_answerable if may_abstain else _unsaid,
        "no_answer_auc": _no_answer_auc,
        "aurc": _aurc,
        "ece": _ece,
        "words_p50": _words_p50,
        "sentence_precision": partial(_mean, "precision"),
        "sentence_recall": partial(_mean, "recall"),
    }
    draws = list(_draws([one.page for one in outcomes]))
    found: dict[str, object] = {}
    for name, measure in measures.items():
        value = measure(columns)
        resampled = [measure({key: col[draw] for key, col in columns.items()}) for draw in draws]
        known = [one for one in resampled if not np.isnan(one)]
        found[name] = None if np.isnan(value) else round(value, 4)
        found[f"{name}_interval"] = (
            None
            if np.isnan(value) or not known
            else [round(float(bound), 4) for bound in np.percentile(known, (2.5, 97.5))]
        )
    return found


def abstention(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Returns what abstaining below each of `BOUNDS` would give; nothing where none can.

    Returns:
        By bound, `no_answer_f1` and `abstained_answerable`, the share of the answerable that
        would get no answer.
    """
    answerable = np.array([one.answerable for one in outcomes], dtype=bool)
    answered = np.array([one.answered for one in outcomes], dtype=np.float64)
    if answerable.all() or not answerable.any() or np.isnan(answered).any():
        return {}
    found = {}
    for bound in BOUNDS:
        columns = {
            "answerable": answerable.astype(np.float64),
            "abstained": (answered < bound).astype(np.float64),
        }
        found[str(bound)] = {
            "no_answer_f1": round(_no_answer_f1(columns), 4),
            "abstained_answerable": round(_abstained_answerable(columns), 4),
        }
    return found


def _draws(pages: Sequence[str]) -> list[npt.NDArray[np.intp]]:
    """Returns places of outcomes, pages drawn with replacement."""
    chance = np.random.default_rng(SEED)
    groups: dict[str, list[int]] = {}
    for place, page in enumerate(pages):
        groups.setdefault(page, []).append(place)
    members = [np.array(places) for places in groups.values()]
    return [
        np.concatenate([members[one] for one in chance.integers(len(members), size=len(members))])
        for _ in range(RESAMPLES)
        if members
    ]


def _sentences_quoted(reading: Reading, among: ReadingSet) -> list[Place]:
    """Returns the sentences of which more than half is quoted."""
    found = []
    for quote, _ in reading.quotes:
        for sentence in among.sentences[quote.paragraph_id]:
            shared = min(sentence.end, quote.end) - max(sentence.start, quote.start)
            if 2 * shared > sentence.end - sentence.start:
                found.append(sentence)
    return sorted(set(found))


def _precision_and_recall(
    quoted: Sequence[Place], question: ReadingQuestion
) -> tuple[float, float]:
    """Returns both by sentences: of facts that are needed together, else of any marked span."""
    wanted = question.facts or question.spans
    if not wanted:
        return float("nan"), float("nan")
    good = sum(any(one.meets(gold) for gold in wanted) for one in quoted)
    met = sum(any(one.meets(gold) for one in quoted) for gold in wanted)
    recall = met / len(wanted) if question.facts else float(met > 0)
    return good / max(len(quoted), 1), recall


def _right(question: ReadingQuestion, quoted: Sequence[Place]) -> float:
    if not question.answerable:
        return 0.0
    if not question.spans:
        return float("nan")
    return float(any(one.meets(gold) for gold in question.spans for one in quoted))


def _match(question: ReadingQuestion, reading: Reading, *, abstained: bool) -> tuple[float, float]:
    """Returns exact match and F1 of words as SQuAD 2 scores them."""
    if abstained or not question.answerable:
        same = float(abstained != question.answerable)
        return same, same
    said = reading.highlight or " ".join(text for _, text in reading.quotes)
    return match_of(said, question.answers)


def match_of(said: str, answers: Sequence[str]) -> tuple[float, float]:
    """Returns exact match and F1 of words with the answer that is closest."""
    own, golds = _words(said), [_words(gold) for gold in answers]
    exact = max((float(own == gold) for gold in golds), default=0.0)
    return exact, max((_shared(own, gold) for gold in golds), default=0.0)


def _shared(said: Sequence[str], gold: Sequence[str]) -> float:
    same = (Counter(said) & Counter(gold)).total()
    return f1_of(same / len(said), same / len(gold)) if said and gold else 0.0


def _words(text: str) -> list[str]:
    return [word for word in words(text) if word not in ARTICLES]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _mean(name: str, columns: Mapping[str, Floats]) -> float:
    known = columns[name][~np.isnan(columns[name])]
    return float(known.mean()) if len(known) else float("nan")


def _unsaid(_columns: Mapping[str, Floats]) -> float:
    return float("nan")


def _words_p50(columns: Mapping[str, Floats]) -> float:
    known = columns["words"][~np.isnan(columns["words"])]
    return float(np.median(known)) if len(known) else float("nan")


def _no_answer_f1(columns: Mapping[str, Floats]) -> float:
    """Returns the F1 of abstentions; NaN where every question has an answer."""
    unanswerable, abstained = columns["answerable"] == 0, columns["abstained"] == 1
    if not unanswerable.any():
        return float("nan")
    both = float((unanswerable & abstained).sum())
    return 2 * both / float(unanswerable.sum() + abstained.sum())


def _abstained_answerable(columns: Mapping[str, Floats]) -> float:
    answerable = columns["answerable"] == 1
    return float(columns["abstained"][answerable].mean()) if answerable.any() else float("nan")


def _no_answer_auc(columns: Mapping[str, Floats]) -> float:
    known = ~np.isnan(columns["answered"])
    found = auc_of(columns["answered"][known], columns["answerable"][known] == 1)
    return float("nan") if found is None else found


def _aurc(columns: Mapping[str, Floats]) -> float:
    """Returns the mean risk over all coverages, questions answered in order of confidence."""
    known = ~np.isnan(columns["confidence"]) & ~np.isnan(columns["right"])
    if not known.any():
        return float("nan")
    order = np.argsort(-columns["confidence"][known], kind="stable")
    wrong = 1 - columns["right"][known][order]
    return float((np.cumsum(wrong) / np.arange(1, len(wrong) + 1)).mean())


def _ece(columns: Mapping[str, Floats]) -> float:
    """Returns the expected calibration error over bins of equal width."""
    known = ~np.isnan(columns["probability"]) & ~np.isnan(columns["right"])
    if not known.any():
        return float("nan")
    said, right = columns["probability"][known], columns["right"][known]
    bins = np.minimum((said * BINS).astype(int), BINS - 1)
    sums = np.bincount(bins, weights=said - right, minlength=BINS)
    return float(np.abs(sums).sum() / len(said))
