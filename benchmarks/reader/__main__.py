"""Reading: which sentences answer a question, how short the answer is, and when there is none.

    python -m benchmarks.reader --data ../shared/data/qa/squad2 [--passages gold] [--cross-fitted]

The folder holds `paragraphs.jsonl` and `questions.jsonl`, packed or not. Each question is asked of
the ten passages that recipe `default` retrieves of all its paragraphs, or of its gold paragraph
alone. Candidates and quotes are the explainer's own; `--embedder` takes what `SCOPS_EMBEDDER` does.
With `--cross-fitted` short answers are marked by weights that were fitted without the page of the
question, which `benchmarks.reference.fit_highlight` keeps, as sets need that they are fitted on.

Keys, each of `ours`, `first_sentence` (of the best passage), `best_cosine` (the one sentence) and
`padded` (quotes by maximal marginal relevance until 80 words are full); each with `…_interval`, the
95 % interval of a bootstrap over pages, and null where the set or the selection does not say:
    em, f1: as SQuAD 2 scores them, of the highlighted span, else of everything quoted; words are
        compared, and an abstention counts 1 where there is no answer.
    answer_recall: share of answerable questions whose quotes hold a gold string.
    no_answer_f1: F1 of abstentions on questions without an answer; abstaining always gives
        `no_answer_f1_always`. `abstained_answerable` is the share of the others that got none.
    no_answer_auc: how often a question with an answer is surer to have one than one without.
    abstention: both of the above by the probability below which there would be no answer.
    aurc: area under risk and coverage, lower is better; a question is right where the marked span
        is quoted, never where there is none.
    ece: expected calibration error of the probability that the question is right, ten bins.
    words_p50: median words of an answer.
    sentence_precision, sentence_recall: of the sentences quoted, those that hold a marked answer or
        are a supporting fact; of the facts, those quoted, or whether a marked span is. Precision
        is over answerable questions that got an answer, recall over all answerable ones.
    highlighted: share of answers of `ours` with a short span.
    questions, unanswerable, pages: how many.
"""

import argparse
import time
from typing import get_args

from benchmarks.reader.cross_fitted import cross_fitted
from benchmarks.reader.outcomes import Outcome, abstention, figures, judge
from benchmarks.reader.selections import ABSTAINING, Selections
from benchmarks.reader.sets import read_set
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.figures import f1_of, rounded_mean
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.common.config.settings import CommonSettings
from scops.libraries.embedder.opening import open_embedder
from scops.libraries.embedder.port import model_of

PROGRESS_QUESTIONS = 500


def main() -> None:
    parser = command_parser(__doc__, data="folder of paragraphs and questions")
    parser.add_argument("--questions", type=int, default=0, help="at most so many; 0 for all")
    parser.add_argument("--passages", choices=("retrieved", "gold"), default="retrieved")
    choices = get_args(CommonSettings.model_fields["embedder"].annotation)
    default = CommonSettings.model_fields["embedder"].default
    parser.add_argument("--cross-fitted", action="store_true", help="see the module's docstring")
    parser.add_argument("--embedder", choices=choices, default=default)
    args = parser.parse_args()
    print_result(measure(args), args)


def measure(args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    started = time.monotonic()
    among = read_set(args.data, questions=args.questions)
    embedder = CachingEmbedder(open_embedder(CommonSettings(embedder=args.embedder)))
    highlights = cross_fitted(model_of(args.embedder).name) if args.cross_fitted else None
    gold_alone = args.passages == "gold"
    selections = Selections(among, embedder, gold_alone=gold_alone, highlights=highlights)
    seen: dict[str, list[Outcome]] = {}
    highlighted = []
    for number, question in enumerate(among.questions):
        if number % PROGRESS_QUESTIONS == 0:
            progress(f"{number} of {len(among.questions)} questions")
        readings = selections.read(question)
        for name, reading in readings.items():
            seen.setdefault(name, []).append(judge(question, reading, among))
        if not seen["ours"][-1].abstained:
            highlighted.append(bool(readings["ours"].highlight))
    embedder.close()
    unanswerable = sum(not one.answerable for one in among.questions)
    always = unanswerable / max(len(among.questions), 1)
    result: dict[str, object] = {
        name: figures(outcomes, may_abstain=name in ABSTAINING)
        | {"abstention": abstention(outcomes)}
        for name, outcomes in seen.items()
    }
    return result | {
        "no_answer_f1_always": round(f1_of(always, 1.0), 4) if unanswerable else None,
        "highlighted": rounded_mean(highlighted),
        "questions": len(among.questions),
        "unanswerable": unanswerable,
        "pages": len({one.page for one in among.questions}),
        "passages": args.passages,
        "embedder_id": embedder.embedder_id,
        "benchmark_seconds": round(time.monotonic() - started),
    }


if __name__ == "__main__":
    main()
