"""Answers through the public API: are citations true, do quotes hold the answer, who abstains.

    python -m benchmarks.answers [--data DIR] [--half all|develop|held_out] [--json]

A `scops up` of its own crawls pages made of TimeQA (two scopes, each half of the pages), of MS
MARCO passages, and of documents with histories. Quotes are bounded at 80 words.

Keys:
    citation_fidelity: share of all citations that are what they say: hash and offsets agree with
        the passage shown, and `ResolveCitations` finds the quote word for word in the cited
        version; those of documents also after three later versions. `citations` counts them.
    reanchoring_accuracy: share of sentences of documents for which, after three later versions,
        same, moved or superseded is what the edits made of them; truth by construction.
    containment: share of answerable questions whose quotes hold the gold string, of those whose
        gold paragraph was among the ten passages; `containment_all` of all; `exact_match` and
        `fuzzy` beside it, on the former.
    abstention_f1: F1 of "not answered" on questions with an answer in their scope against those
        without: labelled so by people (the same page, another time), pages of the other scope,
        and another collection. `abstained` has the share by kind, `abstention_f1_labelled` counts
        those labelled by people alone.
    answer_ms: median time of Answer less that of Search with the same recipe and question;
        `answer_cpu_ms` the mean CPU time, which other load on the machine does not stretch.
    closed_book: what the configured model (`SCOPS_EXPLAINER_MODEL_URL`) knows without passages;
        null without one. All other keys are of extractive answers.
"""

import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.answers import scores
from benchmarks.answers.closed_book import closed_book, configured_model
from benchmarks.answers.histories import HISTORIES, follow_histories, history_pages
from benchmarks.answers.scores import Abstention
from benchmarks.answers.sets import GoldQuestion, passages_as_pages, read_timeqa
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.figures import rounded_mean
from benchmarks.shared.judged import beir
from benchmarks.shared.splits import DEVELOPMENT, HELD_OUT, half_of_link
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.crawling import crawl
from benchmarks.shared.system.html_pages import PREFIX
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.system import System
from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.explainer.settings import ExplainerSettings

DATA = Path("../shared/data")
HALVES = {"all": "", "develop": DEVELOPMENT, "held_out": HELD_OUT}
SCOPES = ("first", "second")
PASSAGES = "passages"
PASSAGES_PER_PAGE = 20
# More would only lengthen the crawl; what is asked of them needs no gold passage.
PASSAGES_MAX = 1600
# Every so many-th answerable question is asked in the scope that has not got its page.
ELSEWHERE_EVERY = 6
TIMED = 120
RESOLVED_AT_ONCE = 50
RETRIEVED = 10
# With which Answer retrieves, unless it is told another.
ANSWER_RECIPE = "default"


@dataclass(slots=True)
class Tally:
    """What was seen so far."""

    outcomes: list[Abstention] = field(default_factory=list)
    contained: list[bool] = field(default_factory=list)
    retrieved: list[bool] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    fuzzy: list[float] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    citations: list[pb.Citation] = field(default_factory=list)
    faithful: list[bool] = field(default_factory=list)

    def take(self, answer: pb.AnswerResponse) -> str:
        """Notes the citations of an answer; returns its quotes as one text."""
        quotes = [citation.quote for citation in answer.citations]
        if quotes:
            self.words.append(scores.word_count(quotes))
        self.citations += answer.citations
        self.faithful += [scores.is_faithful(entry, answer) for entry in answer.citations]
        return "\n".join(quotes)


def main() -> None:
    """Runs the benchmark and prints its keys."""
    parser = command_parser(__doc__, data="folder of all data", default=DATA)
    parser.add_argument("--half", choices=tuple(HALVES), default="all")
    parser.add_argument("--questions", type=int, default=0, help="at most so many; 0 for all")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scops-answers-") as folder:
        result = run(arguments.data, Path(folder), arguments.half, arguments.questions)
    print_result(result, arguments)


def run(data: Path, folder: Path, half: str, limit: int) -> dict[str, object]:
    """Returns the keys for the data of a folder."""
    pages, questions = _timeqa(data / "temporal" / "timeqa-train")
    chosen = [entry for entry in questions if HALVES[half] in ("", half_of_link(entry[1].link))]
    random.Random(0).shuffle(chosen)
    judged = beir.read(data / "retrieval" / "msmarco-dl19")
    texts = [document.text for document in judged.documents[:PASSAGES_MAX]]
    pages |= passages_as_pages(texts, prefix=f"{PREFIX}{PASSAGES}/", passages=PASSAGES_PER_PAGE)
    documents = history_pages(data / "changes" / "docs-md")
    pages |= {path: document.body for path, document in documents.items()}
    origin, system = Origin(pages), System(folder)
    with origin.running(), system.running(), Client(system.address) as client:
        for scope in (*SCOPES, PASSAGES, HISTORIES):
            client.create_scope(scope, origin, prefix=f"{PREFIX}{scope}/")
            progress(f"{scope}: {crawl(system, client, scope, origin)[0]}")
        tally = Tally()
        _ask_gold(client, chosen[: limit or None], tally)
        _ask_foreign(client, list(judged.queries.values()), tally)
        progress(f"asked {len(tally.outcomes)} questions")
        answerable = [entry for entry in chosen if entry[1].answers]
        cost = _answer_cost(system, client, answerable)
        verbatim = _verbatim(client, tally.citations)
        followed = follow_histories(system, client, origin, documents, tally.take)
        verbatim += _verbatim(client, followed.cited)
    keys = _keys(tally, verbatim, followed.right, cost)
    return keys | {"closed_book": _closed_book([question for _, question in answerable])}


def _timeqa(folder: Path) -> tuple[dict[str, bytes], list[tuple[str, GoldQuestion]]]:
    """Returns the pages in two scopes, and each question with the scope of its page."""
    read = read_timeqa(folder, prefix="")
    scope_of = {path: SCOPES[place % 2] for place, path in enumerate(sorted(read.pages))}
    pages = {f"{PREFIX}{scope_of[path]}/{path}": body for path, body in read.pages.items()}
    return pages, [(scope_of[question.path], question) for question in read.questions]


def _ask_gold(client: Client, asked: Sequence[tuple[str, GoldQuestion]], tally: Tally) -> None:
    for number, (scope, question) in enumerate(asked):
        answer = client.answer(scope, question.text)
        quotes = tally.take(answer)
        if question.answers:
            tally.outcomes.append(Abstention("answerable", True, answer.answered))
            _judge(question, answer, quotes, tally)
        else:
            tally.outcomes.append(Abstention("labelled", False, answer.answered))
        if question.answers and number % ELSEWHERE_EVERY == 0:
            other = SCOPES[1 - SCOPES.index(scope)]
            elsewhere = client.answer(other, question.text)
            tally.take(elsewhere)
            tally.outcomes.append(Abstention("elsewhere", False, elsewhere.answered))


def _judge(question: GoldQuestion, answer: pb.AnswerResponse, quotes: str, tally: Tally) -> None:
    passages = [scores.normalised(passage.text) for passage in answer.passages[:RETRIEVED]]
    gold = [scores.normalised(text) for text in question.gold]
    tally.retrieved.append(any(text in passage for text in gold for passage in passages if text))
    tally.contained.append(scores.holds_any(quotes, question.answers))
    tally.exact.append(
        scores.is_exact([entry.quote for entry in answer.citations], question.answers)
    )
    tally.fuzzy.append(scores.fuzzy(quotes, question.answers))


def _ask_foreign(client: Client, queries: Sequence[str], tally: Tally) -> None:
    """Asks what the passages answer of the passages, and of pages that do not."""
    for place, query in enumerate(queries):
        answer = client.answer(PASSAGES, query)
        tally.take(answer)
        tally.outcomes.append(Abstention("passages", True, answer.answered))
        foreign = client.answer(SCOPES[place % 2], query)
        tally.take(foreign)
        tally.outcomes.append(Abstention("foreign", False, foreign.answered))


def _answer_cost(
    system: System, client: Client, asked: Sequence[tuple[str, GoldQuestion]]
) -> tuple[list[float], list[float]]:
    """Returns time and CPU time of Answer on top of its retrieval, in ms, the two in turns.

    Each question is searched for once before: what retrieval embeds and keeps counts in neither.
    """
    wall, cpu = [], []
    for scope, question in asked[:TIMED]:
        client.search(scope, question.text, limit=RETRIEVED, recipe=ANSWER_RECIPE)
        before, started = system.cpu_seconds(), time.perf_counter()
        client.search(scope, question.text, limit=RETRIEVED, recipe=ANSWER_RECIPE)
        between, middle = system.cpu_seconds(), time.perf_counter()
        client.answer(scope, question.text)
        after, ended = system.cpu_seconds(), time.perf_counter()
        wall.append(1000 * ((ended - middle) - (middle - started)))
        cpu.append(1000 * ((after - between) - (between - before)))
    return wall, cpu


def _closed_book(asked: Sequence[GoldQuestion]) -> dict[str, object] | None:
    model = configured_model(ExplainerSettings())
    if model is None:
        return None
    progress("asking the model without passages")
    return closed_book(model, [(question.text, question.answers) for question in asked])


def _verbatim(client: Client, citations: Sequence[pb.Citation]) -> list[bool]:
    resolved = []
    for start in range(0, len(citations), RESOLVED_AT_ONCE):
        resolved += client.resolve(citations[start : start + RESOLVED_AT_ONCE])
    return [entry.verbatim for entry in resolved]


def _keys(
    tally: Tally,
    verbatim: Sequence[bool],
    anchored: Sequence[bool],
    cost: tuple[Sequence[float], Sequence[float]],
) -> dict[str, object]:
    outcomes = tally.outcomes
    own = [entry for entry in outcomes if entry.kind in ("answerable", "labelled")]
    kinds = dict.fromkeys(entry.kind for entry in outcomes)
    found = [ok for ok, there in zip(tally.contained, tally.retrieved, strict=True) if there]
    faithful = [*tally.faithful, *verbatim]
    return {
        "citation_fidelity": rounded_mean(faithful),
        "citations": len(tally.citations),
        "citations_checked": len(faithful),
        "reanchoring_accuracy": rounded_mean(anchored),
        "reanchored": len(anchored),
        "containment": rounded_mean(found),
        "containment_all": rounded_mean(tally.contained),
        "gold_retrieved": rounded_mean(tally.retrieved),
        "exact_match": rounded_mean(_where(tally.exact, tally.retrieved)),
        "fuzzy": rounded_mean(_where(tally.fuzzy, tally.retrieved)),
        "words_max": max(tally.words, default=0),
        "words_p50": statistics.median(tally.words) if tally.words else None,
        "abstention_f1": _rounded(scores.abstention_f1(outcomes)),
        "abstention_f1_labelled": _rounded(scores.abstention_f1(own)),
        "abstained": {
            kind: rounded_mean([not entry.answered for entry in outcomes if entry.kind == kind])
            for kind in kinds
        },
        "answer_ms": round(statistics.median(cost[0]), 1) if cost[0] else None,
        "answer_cpu_ms": round(statistics.fmean(cost[1]), 1) if cost[1] else None,
        "questions": {kind: sum(entry.kind == kind for entry in outcomes) for kind in kinds},
    }


def _where(values: Sequence[float], chosen: Sequence[bool]) -> list[float]:
    return [value for value, there in zip(values, chosen, strict=True) if there]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


if __name__ == "__main__":
    main()
