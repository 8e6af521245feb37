"""What is remembered of strangers' texts is bounded in characters too."""

import tracemalloc
import urllib.parse

import pytest

from scops.common.runtime.short_texts import KEPT_CHARACTERS_MAX, kept_for_short
from scops.common.scope.rules import _readings
from scops.common.text.terms import stem
from scops.extractor.html.regions import _naming
from scops.fetcher.discovery.links import followed_url
from scops.fetcher.discovery.tracking import without_tracking


def test_only_short_texts_are_kept() -> None:
    """A longer one is worked on each time, with the same result."""
    made: list[str] = []

    @kept_for_short(2, characters_max=3)
    def doubled(text: str) -> str:
        made.append(text)
        return 2 * text

    found = [doubled(text) for text in ("a", "a", "long", "long", "abc", "b", "abc", "a")]

    assert ["aa", "aa", "longlong", "longlong", "abcabc", "bb", "abcabc", "aa"] == found
    assert ["a", "long", "long", "abc", "b", "a"] == made


@pytest.mark.parametrize(
    ("remembering", "others"),
    [(followed_url, ()), (without_tracking, ()), (_readings, ()), (stem, ()), (_naming, ("", ""))],
)
def test_long_texts_of_pages_are_not_kept(remembering, others) -> None:  # type: ignore[no-untyped-def]
    """Of 100 texts of 100,000 characters nothing stays in memory."""
    tracemalloc.start()
    try:
        for number in range(100):
            text = f"https://a.example.org/{number}?" + "a" * 100 * KEPT_CHARACTERS_MAX
            remembering(text, *others)
        # The standard library keeps the latest 128 URLs, which are bounded where they come in.
        urllib.parse.clear_cache()  # type: ignore[attr-defined]
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert kept < 2_000_000
