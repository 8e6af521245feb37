"""How well and how fast main text, dates and offsets are extracted, beside other extractors.

    python -m benchmarks.extraction --data ../shared/data/extraction [--jobs N] --json

`--data` is one set, or a folder of sets, each in a folder of its own:

- `evaldata.json`, `eval/` and `cache/` in an archive (`trafilatura-eval/*.tar.xz`, or
  `*trafilatura*.tar.xz` of another folder). Scored as trafilatura's own evaluation does: strings
  that must and must not be in the output, white space normalised, counted over all pages.
- `html/*.html.gz` and `ground-truth.json` {id: {articleBody, url}}, as they are in a folder of any
  name or in an archive (`article-extraction-benchmark/*.tar.xz`, or `*aeb*.tar.xz`). Scored as
  article-extraction-benchmark does: 4-gram shingles of tokens with their counts, precision and
  recall averaged over pages.

The key of a set is the name of its folder, with `_` for `-`; of an archive in a folder of another
name `trafilatura_eval` and `article_extraction_benchmark`.

Each set has one row an extractor: `precision`, `recall`, `f1`, `pages_per_second` (pages by second
of processor time of one core, everything that the extractor does counted; the extractors take
turns on each page). `ours` makes blocks with offsets, links, dates and metadata besides; the
others make text only. Pages that ask not to be indexed are extracted like the others.

Rows of trafilatura-eval also say `f1_development` and `f1_held_out`: halves by host, of which our
model was fitted on the first. Beside the rows:

    offsets_exact: share of our pages whose blocks tile the text by their offsets, in order.
    published_date: share of pages that state a date for which our published date is that day. The
        day was recorded by people, and stands on the page in one of the usual notations.
    published_date_recorded: the same over all pages with a recorded day, on the page or not.
    speed_ratio: our pages by second ÷ those of bare trafilatura with its defaults.
    f1_margin: our F1 − the best of the others.
    against: for each other extractor our `f1`, `precision` and `recall` less its, with
        `..._interval` (95 %, bootstrap over sites, the same draws for both) and `..._p`.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.extraction import aeb, evaldata
from benchmarks.extraction.comparison import Scored, compared, measures_of
from benchmarks.extraction.rows import EXTRACTORS, OURS, Output, run
from benchmarks.extraction.sets import Counts, Page, states_day
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.splits import site_of

SEED = 5
TRAFILATURA = "trafilatura"
PROGRESS_PAGES = 100


def main() -> None:
    parser = command_parser(__doc__, data="folder of extraction data")
    parser.add_argument(
        "--jobs", type=int, default=1, help="processes; more are less exact in time"
    )
    parser.add_argument("--pages", type=int, default=None, help="a sample; all by default")
    args = parser.parse_args()
    result = measure(args.data, jobs=args.jobs, pages=args.pages)
    print_result(result, args)


def measure(data: Path, *, jobs: int, pages: int | None) -> dict[str, Any]:
    """Returns the figures that the module's docstring names, for the data that is there."""
    result: dict[str, Any] = {}
    for name, data_set, found in _sets(data):
        chosen = random.Random(SEED).sample(found, min(pages or len(found), len(found)))
        outputs = outputs_of(chosen, jobs=jobs)
        counted = {
            extractor: [
                data_set.counts(page, each[extractor].text)
                for page, each in zip(chosen, outputs, strict=True)
            ]
            for extractor in EXTRACTORS
        }
        result[name] = _rows(outputs, counted, data_set.scored)
        result[name].update(_own_figures(chosen, [each[OURS] for each in outputs]))
        result[name].update(_against_others(result[name]))
        sites = [site_of(page.url) for page in chosen]
        result[name]["against"] = compared(counted, sites, data_set.scored, ours=OURS)
        if data_set is evaldata:
            evaldata.add_halves(result[name], chosen, outputs)
    if not result:
        raise SystemExit(f"No extraction data in {data}; see the module's docstring.")
    return result


def _sets(data: Path) -> Iterator[tuple[str, ModuleType, list[Page]]]:
    """Yields key, reader and pages of each set that is there."""
    subfolders = sorted(each for each in data.iterdir() if each.is_dir())
    for folder in (data, *subfolders):
        for data_set in (evaldata, aeb):
            found = data_set.read(folder)
            if found:
                own = folder.name == data_set.FOLDER or (folder / aeb.GROUND_TRUTH).is_file()
                yield (folder.name if own else data_set.FOLDER).replace("-", "_"), data_set, found


def outputs_of(pages: Sequence[Page], *, jobs: int) -> list[dict[str, Output]]:
    """Returns what each extractor made of each page."""
    if jobs == 1:
        return [_one(page, number, len(pages)) for number, page in enumerate(pages)]
    with ProcessPoolExecutor(jobs) as executor:
        return list(executor.map(run, pages, chunksize=8))


def _one(page: Page, number: int, total: int) -> dict[str, Output]:
    if number % PROGRESS_PAGES == 0:
        progress(f"{number}/{total} pages")
    return run(page)


def _rows(
    outputs: Sequence[dict[str, Output]], counted: Mapping[str, Sequence[Counts]], scored: Scored
) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for name in EXTRACTORS:
        seconds = sum(each[name].seconds for each in outputs)
        measures = measures_of(counted[name], scored)
        rows[name] = {measure: round(value, 4) for measure, value in measures.items()}
        rows[name]["pages_per_second"] = round(len(outputs) / seconds, 1)
    return rows


def _own_figures(pages: Sequence[Page], outputs: Sequence[Output]) -> dict[str, Any]:
    dated = [(page, out) for page, out in zip(pages, outputs, strict=True) if page.published]
    stated = [(page, out) for page, out in dated if states_day(page)]
    return {
        "pages": len(pages),
        "offsets_exact": sum(out.offsets_exact for out in outputs) / len(outputs),
        "published_date": _exact_share(stated),
        "published_date_pages": len(stated),
        "published_date_recorded": _exact_share(dated),
        "published_date_recorded_pages": len(dated),
    }


def _exact_share(dated: Sequence[tuple[Page, Output]]) -> float | None:
    exact = sum(out.published == page.published for page, out in dated)
    return round(exact / len(dated), 4) if dated else None


def _against_others(rows: dict[str, Any]) -> dict[str, float]:
    others = [row["f1"] for name, row in rows.items() if name in EXTRACTORS and name != OURS]
    ours = rows[OURS]
    ratio = ours["pages_per_second"] / rows[TRAFILATURA]["pages_per_second"]
    return {"f1_margin": round(ours["f1"] - max(others), 4), "speed_ratio": round(ratio, 3)}


if __name__ == "__main__":
    main()
