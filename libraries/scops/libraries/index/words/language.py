"""The language of a text, as far as the analysis of its words depends on it."""

from collections.abc import Mapping

from resiliparse.parse.lang import detect_fast

# What the detector says of a text that is too short, or like no language it knows.
UNKNOWN = "unknown"
# Any language; words are folded and nothing else.
PLAIN = ""
# Enough to be sure, little enough to cost nothing.
CHARACTERS_READ = 2000
LANGUAGE_SHARE_MIN = 0.02
LANGUAGES_MAX = 8


def detected_language(text: str) -> str:
    """Returns the language of a text by ISO 639-1; `PLAIN` where it cannot be told."""
    found = str(detect_fast(text[:CHARACTERS_READ])[0]) if text else UNKNOWN
    return PLAIN if found == UNKNOWN else found


def main_languages(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Returns the languages that a query is analysed for, the commonest first.

    A language of few passages is mostly one that was taken for another; its passages are still
    found by the words that need no stem.

    Args:
        counts: passages by language.
    """
    least = LANGUAGE_SHARE_MIN * sum(counts.values())
    order = sorted(counts, key=lambda language: (-counts[language], language))
    return tuple(one for one in order if one != PLAIN and counts[one] >= least)[:LANGUAGES_MAX]
