"""How far the fetcher and extractor keep public standards, by the suites that others wrote.

    python -m benchmarks.conformance --data ../shared/data/conformance --json

`--data` is a folder that holds any of

- `robotstxt/robots_test.cc` (google/robotstxt): what a robots.txt allows. Key `robotstxt`.
- `url-tests/tests/wpt/urltestdata.json` (WHATWG): the href of what is parsed. Key `urltestdata`.
- `http-cache-tests/tests/conditional-*.mjs`: conditional requests. Key `http_cache_conditional`.
- `html5lib-encoding/encoding/**/*.dat`: the encoding of a page. Key `html5lib_encoding`.

Each gives `passed` and `total`, every case counted; `deviations` names those that did not pass,
and
`tests/unit/conformance/deviations.py`, beside the test that holds them, says why each does not.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.conformance.cases import Result
from benchmarks.conformance.encoding import encoding_results
from benchmarks.conformance.http_caching import http_results
from benchmarks.conformance.robots import robots_results
from benchmarks.conformance.urls import url_results
from benchmarks.shared.command import command_parser, print_result

SETS: dict[str, tuple[str, Callable[[Path], Sequence[Result]]]] = {
    "robotstxt": ("robotstxt/robots_test.cc", robots_results),
    "urltestdata": ("url-tests/tests/wpt/urltestdata.json", url_results),
    "http_cache_conditional": (
        "http-cache-tests/tests",
        lambda folder: asyncio.run(http_results(folder)),
    ),
    "html5lib_encoding": ("html5lib-encoding/encoding", encoding_results),
}


def main() -> None:
    parser = command_parser(__doc__, data="folder of the suites")
    args = parser.parse_args()
    result = measure(args.data)
    print_result(result, args)


def measure(data: Path) -> dict[str, Any]:
    """Returns passed, total and deviations of each suite; null for one that is not there."""
    return {
        name: summary(run(data / place)) if (data / place).exists() else None
        for name, (place, run) in SETS.items()
    }


def summary(results: Sequence[Result]) -> dict[str, Any]:
    """Returns the figures of one suite."""
    return {
        "passed": sum(result.passed for result in results),
        "total": len(results),
        "deviations": [result.case for result in results if not result.passed],
    }


if __name__ == "__main__":
    main()
