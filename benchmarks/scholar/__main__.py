"""The protocol of the chat over papers: with and without passages, and by how many of what quality.

    python -m benchmarks.scholar [--data DIR] [--questions N] [--model-questions N] [--json]

DIR is a folder of paragraphs and questions, or one of such folders, of which all English ones are
asked, each in a scope of its own that a `scops up` crawls. Questions have the form of SciQ, half of
them asked by people and half made by templates; `sciq_sets` tells how, and what is left out.

Sides: `off` has no passages, `top2`, `top3` and `top5` are the presets that ship, `default` is what
is asked where no recipe is named. What is compared is all that an answer says.

Keys, by side of the extractive answer, and in `model` of the one that a model words; each with
`…_interval`, the 95 % interval of a bootstrap over pages:
    SIDE.em: what is said holds the answer as whole words, which the paper calls exact match.
    SIDE.fuzzy: how like the nearest run of what is said is to it, in [0, 1].
    SIDE.similarity: cosine of all-MiniLM-L6-v2 with the answer, `support_similarity` with the
        sentence that shows it.
    SIDE.better_than_distractors: what is said is more similar to the answer than to each of three
        wrong ones.
    SIDE.answered_share: anything is said; where nothing is, the other measures are 0. Without
        passages nothing can be quoted, so that `off` of the extractive answer is 0.
    against: `LATER.EARLIER.em`, the difference of two sides, with `…_p` of a randomisation test.
    by_kind: the sides of what people asked, and of what templates made.
    model: the same of the model that `SCOPS_EXPLAINER_MODEL_URL` names, or else of the one that
        `make models` installs, on the first `--model-questions` questions; null without one.
        `fallback_share` by side: answers that were quoted after all. `off` is the model's memory.
    paper: the figures of the paper, by side (20 questions of SciQ; `em` and `fuzzy` of its best).
        It differs in its corpus (Google Scholar and Sci-Hub, which are not asked here), in its
        model (Mistral-7B-Instruct), in its reranker, whose scores its presets bound where these
        bound the likeness by the embedder, and in that its answers are never none.
    questions, by_set, left_out: how many.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.scholar.sciq_scores import PAPER, against, figures, scores_of, texts_of
from benchmarks.scholar.sciq_sets import SciqQuestion, SciqSet, read_sciq
from benchmarks.scholar.wording_model import chosen_model, from_memory, of_system
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.figures import rounded_mean
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.crawling import crawl
from benchmarks.shared.system.html_pages import PREFIX
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.system import System
from scops.common.config.settings import EmbedderName
from scops.libraries.embedder.registry import load_embedder
from scops.retriever.scoring.recipes import DEFAULT, PRESETS

DATA = Path("../shared/data/qa")
QUESTIONS, MODEL_QUESTIONS = 300, 60
OFF = "off"
RECIPES = (*PRESETS, DEFAULT)
PROGRESS_QUESTIONS = 50
# The model that the paper compares by.
COMPARED_BY: EmbedderName = "onnx-fp32"
Said = Mapping[str, Sequence[str]]


def main() -> None:
    parser = command_parser(__doc__, data="folder of paragraphs and questions", default=DATA)
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="at most so many")
    parser.add_argument(
        "--model-questions", type=int, default=MODEL_QUESTIONS, help="of which a model is asked"
    )
    add_embedder(parser)
    args = parser.parse_args()
    print_result(measure(args), args)


def measure(args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    started = time.monotonic()
    asked = read_sciq(args.data, questions=args.questions)
    progress(f"made {len(asked.questions)} questions, left out {dict(asked.left_out)}")
    few = asked.questions[: args.model_questions]
    with chosen_model() as model:
        settings = {"SCOPS_EMBEDDER": args.embedder, **of_system(model)}
        with _crawled(asked, settings) as client:
            quoted, _ = _said(client, asked.questions)
            quoted = {OFF: [""] * len(asked.questions), **quoted}
            worded, fallbacks = _said(client, few, worded=True) if model else ({}, {})
        if model:
            worded = {OFF: from_memory(model, [one.text for one in few]), **worded}
    embedder = CachingEmbedder(load_embedder(COMPARED_BY))
    result = side_figures(asked.questions, quoted, embedder)
    result["by_kind"] = {
        kind: side_figures(*of_kind(asked.questions, quoted, kind), embedder)
        for kind in sorted({one.kind for one in asked.questions})
    }
    result["model"] = model and {
        "name": model.model_name,
        **side_figures(few, worded, embedder),
        "fallback_share": fallbacks,
        "questions": len(few),
    }
    embedder.close()
    return result | {
        "paper": PAPER,
        "questions": len(asked.questions),
        "by_set": Counter(one.scope for one in asked.questions),
        "left_out": asked.left_out,
        "embedder": args.embedder,
        "benchmark_seconds": round(time.monotonic() - started),
    }


@contextmanager
def _crawled(asked: SciqSet, settings: Mapping[str, str]) -> Iterator[Client]:
    """Yields a client of a system that has crawled a scope for each set."""
    origin = Origin(asked.pages)
    with tempfile.TemporaryDirectory(prefix="scops-scholar-") as folder:
        system = System(Path(folder), settings=settings)
        with origin.running(), system.running(), Client(system.address) as client:
            for scope in asked.scopes:
                client.create_scope(scope, origin, prefix=f"{PREFIX}{scope}/")
                progress(f"{scope}: {crawl(system, client, scope, origin)[0]}")
            yield client


def _said(
    client: Client, questions: Sequence[SciqQuestion], *, worded: bool = False
) -> tuple[dict[str, list[str]], dict[str, float | None]]:
    """Returns what is said by recipe, and the share that was quoted instead of worded."""
    said: dict[str, list[str]] = {recipe: [] for recipe in RECIPES}
    fallbacks: dict[str, list[bool]] = {recipe: [] for recipe in RECIPES}
    for number, question in enumerate(questions):
        if number % PROGRESS_QUESTIONS == 0:
            progress(f"{number} of {len(questions)} questions{', worded' if worded else ''}")
        for recipe in RECIPES:
            answer = client.answer(question.scope, question.text, recipe=recipe, worded=worded)
            said[recipe].append(" ".join(one.text for one in answer.statements))
            fallbacks[recipe].append(bool(answer.model.fallback_reason))
    return said, {recipe: rounded_mean(found) for recipe, found in fallbacks.items()}


def side_figures(
    questions: Sequence[SciqQuestion], said: Said, embedder: CachingEmbedder
) -> dict[str, object]:
    """Returns the figures by side, and `against`.

    Args:
        said: by side, to each question.
        embedder: by which texts are compared.
    """
    texts = {one for question in questions for one in texts_of(question)}
    texts |= {text for side in said.values() for text in side if text}
    vectors = embedder.vectors_of(sorted(texts))
    pages = [f"{one.scope} {one.page}" for one in questions]
    sides = {
        side: [scores_of(one, text, vectors) for one, text in zip(questions, each, strict=True)]
        for side, each in said.items()
    }
    told = {side: figures(scores, pages=pages) for side, scores in sides.items()}
    return {**told, "against": against(sides, pages=pages)}


def of_kind(
    questions: Sequence[SciqQuestion], said: Said, kind: str
) -> tuple[list[SciqQuestion], Said]:
    """Returns the questions of a kind, with what was said to them."""
    places = [place for place, one in enumerate(questions) if one.kind == kind]
    chosen = {side: [texts[place] for place in places] for side, texts in said.items()}
    return [questions[place] for place in places], chosen


if __name__ == "__main__":
    main()
