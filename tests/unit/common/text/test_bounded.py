"""Bounds of what expressions repeat."""

import re

from scops.common.text.bounded import bounded


def test_runs_of_spaces_signs_and_letters_get_an_end() -> None:
    """What else an expression says stays as it is."""
    assert r"may\s{0,8}(?:of\s{1,8})?\W{1,8}\w{0,40}[a-z]+" == bounded(
        r"may\s*(?:of\s+)?\W+\w*[a-z]+"
    )


def test_ordinary_text_is_found_as_before() -> None:
    """Up to eight spaces between words."""
    assert re.fullmatch(bounded(r"in\s+may"), "in" + " " * 8 + "may")
    assert not re.fullmatch(bounded(r"in\s+may"), "in" + " " * 9 + "may")
