"""WHATWG urltestdata: what `canonical_url` makes of it.

A canonical URL is a href without its fragment, and only that of an http(s) URL without
credentials within a length: where the suite expects another URL, to be refused is to pass.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.conformance.cases import Result, compared
from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import SCHEMES, URL_CHARACTERS_MAX, canonical_url

REFUSED = "refused"


def url_results(path: Path) -> Sequence[Result]:
    """Runs every case of the file; a case is named by its number, input and base."""
    found = json.loads(path.read_text(encoding="utf-8"))
    stated = [case for case in found if isinstance(case, dict)]
    return [_result(number, case) for number, case in enumerate(stated)]


def _result(number: int, case: dict[str, Any]) -> Result:
    base = case.get("base") or None
    try:
        actual = canonical_url(case["input"], base)
    except InvalidInput:
        actual = REFUSED
    name = f"{number} {case['input']!r} {base!r}"
    return compared(name[:120], expected=expected_url(case), actual=actual)


def expected_url(case: dict[str, Any]) -> str:
    """Returns the canonical URL that a case stands for."""
    if case.get("failure"):
        return REFUSED
    href = str(case["href"]).partition("#")[0]
    usable = urlsplit(href).scheme in SCHEMES and not (case["username"] or case["password"])
    return href if usable and len(href) <= URL_CHARACTERS_MAX else REFUSED
