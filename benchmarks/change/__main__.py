"""Whether changes that matter are seen, and others are not: six strategies on six sets.

    python -m benchmarks.change --data ../shared/data/changes --json
    python -m benchmarks.change --data DIR --sets edits,ota_html --strategies salient --json

Each set that the folder holds is judged by every strategy. The labels are others' and are only
read to score. `ota_html` goes through our extractor; a page that it calls a wall, an error or
empty is no change, as in the service, where the good version runs. The others are texts.

`salient` and `owlerlite_*` are the service's code with its default settings; `text_differs`
compares clean texts, `sorted_characters` their characters without order and white space,
`cosine_095` the vectors of aligned chunks.
`generated` holds edits in six languages of the paragraphs in `--sources` (`generated.py`), judged
by language. The labelled sets are cut by page `SPLITS` times in `FOLDS` parts: `f1_of_folds` is
the mean, lowest and highest F1 of a part, and `cross_validated` judges each part with the
`salience_min` that is best on the others.
`sequences` looks at recorded pages in the order of their snapshots, as the service does, with what
the history of each page teaches and without (`without_memory`): F1 over the looks with a label; and
at pages that flap by design, edited documentation that alternates or has a line that changes with
every look: how much of that is told after its second turn (`flapping_news_share`), whether other
edits are told at once (`edits_told`) and the last text in the end (`final_text_told`).
`docs_md` counts what each would embed again, how many chunks one generated paragraph costs
(`chunks_per_insert`) and the CPU milliseconds of aligning and typing two versions.
"""

import asyncio
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.change import sets as change_sets
from benchmarks.change.histories import is_news, sequence_scores
from benchmarks.change.inserts import with_paragraph
from benchmarks.change.scores import scores, share, share_interval
from benchmarks.change.sequences import flapping, recorded
from benchmarks.change.sets import Pair, text_side
from benchmarks.change.splits import cross_validated, f1_of_folds
from benchmarks.change.strategies import (
    CachedEmbedder,
    Comparisons,
    Judgement,
    Strategy,
    salient_strategy,
    strategies,
)
from benchmarks.shared.command import command_parser, print_result, progress
from scops.change_detector.service import lazy_chunker
from scops.change_detector.settings import ChangeDetectorSettings
from scops.common.contract.ids import embedded_text
from scops.libraries.embedder.registry import load_embedder

SETS = ("edits", "generated", "ota_html", "ota_text", "docs_md", "argrewrite", "sequences")
SEED = 7
INSERT_PAGES_MAX = 400
EXAMPLES_MAX = 8
UNCHANGED = Judgement(changed=False, embedded=0, salience=0.0)


def main() -> None:
    parser = command_parser(__doc__, data="folder of sets")
    parser.add_argument("--sets", default=",".join(SETS), help="which sets, by commas")
    parser.add_argument("--strategies", default="", help="only these, by commas; default all")
    parser.add_argument("--sources", type=Path, help="folder of paragraphs; default DATA/../qa")
    parser.add_argument(
        "--snapshots", type=Path, help="folder of snapshots; default DATA/../sites/ota-snapshots"
    )
    parser.add_argument("--examples", action="store_true", help="tell what was judged wrong")
    args = parser.parse_args()
    result = asyncio.run(
        measure(
            args.data,
            args.sets.split(","),
            only=[name for name in args.strategies.split(",") if name],
            sources=args.sources or args.data.parent / "qa",
            snapshots=args.snapshots or args.data.parent / "sites" / "ota-snapshots",
            examples=args.examples,
        )
    )
    print_result(result, args)


async def measure(
    folder: Path,
    names: Sequence[str],
    *,
    only: Sequence[str] = (),
    sources: Path,
    snapshots: Path,
    examples: bool,
) -> dict[str, object]:
    """Returns the results of the sets that the folder holds.

    Args:
        only: names of strategies; all where there are none.
        sources: paragraphs of which edits are generated.
        snapshots: files of the snapshots of a page each.
    """
    settings = ChangeDetectorSettings()
    embedder = CachedEmbedder(load_embedder())

    async def loaded() -> CachedEmbedder:
        return embedder

    comparisons = Comparisons(await lazy_chunker(settings, loaded)())
    known = strategies(embedder, comparisons, settings)
    judges = {name: judge for name, judge in known.items() if not only or name in only}
    result: dict[str, object] = {}
    if "edits" in names and (pairs := change_sets.edits(folder)):
        result["edits"] = _edit_scores(pairs, await _said(pairs, judges, "edits"))
    if "generated" in names and (by_language := change_sets.generated(sources)):
        result["generated"] = {
            language: _language_scores(pairs, await _said(pairs, judges, f"generated {language}"))
            for language, pairs in by_language.items()
        }
        if examples:
            for pairs in by_language.values():
                _tell(pairs, (await _said(pairs, judges, "examples"))["salient"])
    if "ota_html" in names:
        pairs, flaps = change_sets.ota_html(folder)
        if pairs:
            said = await _said(pairs, judges, "ota_html")
            result["ota_html"] = {
                name: scores(_judged(pairs, answers)) | _split_scores(pairs, answers)
                for name, answers in said.items()
            }
            result["ota_html_flap"] = _flap_scores(flaps, await _said(flaps, judges, "flap"))
            if examples:
                _tell(pairs, said["salient"])
    if "ota_text" in names and (pairs := change_sets.ota_text(folder)):
        result["ota_text"] = _pipeline_scores(pairs, await _said(pairs, judges, "ota_text"))
    if "docs_md" in names and (pairs := change_sets.docs_md(folder)):
        said = await _said(pairs, judges, "docs_md")
        result["docs_md"] = (
            _embedded_scores(pairs, said, comparisons)
            | _insert_scores(pairs, comparisons)
            | await _times(pairs, comparisons, settings)
        )
    if "argrewrite" in names and (pairs := change_sets.argrewrite(folder)):
        result["argrewrite"] = _surface_scores(pairs, await _said(pairs, judges, "argrewrite"))
    if "sequences" in names:
        strategy = salient_strategy(settings)
        by_design = flapping(
            change_sets.docs_md(folder), lambda old, new: is_news(old, new, strategy)
        )
        sequences = recorded(folder, snapshots)
        if sequences or by_design:
            result["sequences"] = sequence_scores(sequences, by_design, strategy)
    return result


async def _said(
    pairs: Sequence[Pair], judges: Mapping[str, Strategy], name: str
) -> dict[str, list[Judgement]]:
    """Asks every strategy about every pair; none sees a label.

    A pair with a side that is no article, or of the very same text, is a change to none.
    """
    said: dict[str, list[Judgement]] = {judge: [] for judge in judges}
    for place, pair in enumerate(pairs):
        is_readable = pair.old.readable and pair.new.readable
        is_asked = is_readable and pair.old.text != pair.new.text
        for judge, ask in judges.items():
            said[judge].append(await ask(pair) if is_asked else UNCHANGED)
        if place % 100 == 0:
            progress(f"{name}: {place} of {len(pairs)}")
    return said


def _judged(pairs: Sequence[Pair], said: Sequence[Judgement]) -> list[tuple[str, bool, bool]]:
    return [
        (pair.page, pair.positive, answer.changed)
        for pair, answer in zip(pairs, said, strict=True)
        if pair.positive is not None
    ]


def _edit_scores(pairs: Sequence[Pair], said: Mapping[str, list[Judgement]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, answers in said.items():
        judged = _judged(pairs, answers)
        by_kind: defaultdict[str, list[bool]] = defaultdict(list)
        for pair, (_, _, called) in zip(pairs, judged, strict=True):
            by_kind[pair.kind].append(called)
        critical = [called for _, positive, called in judged if positive]
        harmless = [called for _, positive, called in judged if not positive]
        result[name] = {
            "critical_recall": share(sum(critical), len(critical)),
            "harmless_false_alarms": share(sum(harmless), len(harmless)),
            "by_kind": {kind: share(sum(c), len(c)) for kind, c in sorted(by_kind.items())},
            "n": len(judged),
        }
    return result


def _language_scores(
    pairs: Sequence[Pair], said: Mapping[str, list[Judgement]]
) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, answers in said.items():
        judged = _judged(pairs, answers)
        by_kind: defaultdict[str, list[bool]] = defaultdict(list)
        for pair, (_, _, called) in zip(pairs, judged, strict=True):
            by_kind[pair.kind].append(called)
        told = scores(judged)
        harmless = [row for row in judged if not row[1]]
        result[name] = {
            "critical_recall": told["recall"],
            "critical_recall_interval": told["recall_interval"],
            "harmless": share(sum(called for _, _, called in harmless), len(harmless)),
            "harmless_interval": share_interval(harmless),
            "by_kind": {kind: share(sum(c), len(c)) for kind, c in sorted(by_kind.items())},
            "n": told["n"],
            "n_harmless": len(harmless),
        }
    return result


def _split_scores(pairs: Sequence[Pair], answers: Sequence[Judgement]) -> dict[str, object]:
    """F1 of parts of the pages, and of each part by what is best on the others."""
    judged = _judged(pairs, answers)
    told = f1_of_folds(judged)
    weights = [
        answer.salience
        for pair, answer in zip(pairs, answers, strict=True)
        if pair.positive is not None
    ]
    if any(weight is None for weight in weights):
        return told
    weighed = [
        (page, positive, weight or 0.0)
        for (page, positive, _), weight in zip(judged, weights, strict=True)
    ]
    return told | {"cross_validated": cross_validated(weighed)}


def _flap_scores(pairs: Sequence[Pair], said: Mapping[str, list[Judgement]]) -> dict[str, object]:
    return {
        name: {
            "called_changed": share(sum(a.changed for a in answers), len(answers)),
            "n": len(pairs),
        }
        for name, answers in said.items()
    }


def _pipeline_scores(
    pairs: Sequence[Pair], said: Mapping[str, list[Judgement]]
) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, answers in said.items():
        judged = _judged(pairs, answers)
        pipeline = [called for _, positive, called in judged if not positive]
        page = [called for _, positive, called in judged if positive]
        result[name] = {
            "false_change": share(sum(pipeline), len(pipeline)),
            "recall": share(sum(page), len(page)),
            "n_pipeline": len(pipeline),
            "n_page": len(page),
        }
    return result


def _surface_scores(
    pairs: Sequence[Pair], said: Mapping[str, list[Judgement]]
) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, answers in said.items():
        judged = _judged(pairs, answers)
        surface = [(page, not positive, not called) for page, positive, called in judged]
        content = scores(judged)
        result[name] = {
            "content_f1": content["f1"],
            "content_f1_interval": content["f1_interval"],
            "surface_f1": scores(surface)["f1"],
            "n": len(judged),
        } | _split_scores(pairs, answers)
    return result


def _embedded_scores(
    pairs: Sequence[Pair], said: Mapping[str, list[Judgement]], comparisons: Comparisons
) -> dict[str, object]:
    """The share of the new versions' chunks that each strategy would embed again."""
    chunks = [len(comparisons.cut(pair.new)) for pair in pairs]
    return {
        name: {
            "embedded_share": share(sum(answer.embedded for answer in answers), sum(chunks)),
            "chunks": sum(chunks),
        }
        for name, answers in said.items()
    }


def _insert_scores(pairs: Sequence[Pair], comparisons: Comparisons) -> dict[str, object]:
    chance = random.Random(SEED)
    texts = list({pair.page: pair.old.text for pair in pairs}.values())
    chance.shuffle(texts)
    costs = []
    for text in texts[:INSERT_PAGES_MAX]:
        known = _embedded(text, comparisons)
        costs.append(len(_embedded(with_paragraph(text, chance), comparisons) - known))
    return {
        "chunks_per_insert": round(statistics.fmean(costs), 3),
        "chunks_per_insert_p90": sorted(costs)[int(0.9 * len(costs))],
        "insert_pages": len(costs),
    }


def _embedded(text: str, comparisons: Comparisons) -> set[str]:
    return {embedded_text(chunk.header, chunk.text) for chunk in comparisons.cut(text_side(text))}


async def _times(
    pairs: Sequence[Pair], comparisons: Comparisons, settings: ChangeDetectorSettings
) -> dict[str, object]:
    """CPU of aligning and typing pairs whose texts differ; chunking is not part of it."""
    strategy = salient_strategy(settings)
    times = []
    for pair in pairs:
        if pair.old.text == pair.new.text:
            continue
        comparison = comparisons.of(pair)
        began = time.thread_time()
        await strategy.label(comparison)
        times.append(1000 * (time.thread_time() - began))
    times.sort()
    return {
        "align_ms_p50": round(statistics.median(times), 2),
        "align_ms_p99": round(times[int(0.99 * len(times))], 2),
    }


def _tell(pairs: Sequence[Pair], said: Sequence[Judgement]) -> None:
    """Tells which pairs were judged otherwise than labelled, for a person to look at."""
    wrong = [
        pair
        for pair, answer in zip(pairs, said, strict=True)
        if pair.positive is not None and pair.positive is not answer.changed
    ]
    for pair in wrong[:EXAMPLES_MAX]:
        label = "changed" if pair.positive else "unchanged"
        progress(f"labelled {label} ({pair.kind}): {pair.row}")


if __name__ == "__main__":
    main()
