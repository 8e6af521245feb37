"""Tells which languages a text may be in, as far as its times are read by them.

Words of closed classes decide; they are few, and every question has some. Where they
leave several, a detector by letters may tell; English has the right of way in what it leaves open.
"""

import re
from collections import Counter
from collections.abc import Iterable

from resiliparse.parse.lang import detect_fast

from scops.common.text.terms import STOP_WORDS
from scops.retriever.time.expressions import MONTH_NUMBERS
from scops.retriever.time.languages.month_names import MONTHS
from scops.retriever.time.languages.tokens import cut, phrases
from scops.retriever.time.languages.words import WORDS

ENGLISH, CHINESE, JAPANESE, RUSSIAN = "en", "zh", "ja", "ru"
UNKNOWN = "unknown"
# Enough to tell the language of a passage.
CHARACTERS_READ = 600
# So many words of closed classes are shared by chance.
FEW_WORDS = 1
# An ideograph says as much as so many letters.
IDEOGRAPH_LETTERS = 3
_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
# Letters of Cyrillic that Russian has not.
_NOT_RUSSIAN = re.compile(r"[іїєґўјљњћџђѓќѕІЇЄҐЎЈЉЊЋЏЂЃЌЅ]")
_LETTER = re.compile(r"[^\W\d_]")


def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {word: [ENGLISH] for word in {*STOP_WORDS, *MONTH_NUMBERS}}
    for language, row in WORDS.items():
        single = (one for text in row.relations.values() for one in phrases(text) if len(one) == 1)
        for word in {*_months(language), *row.function.split(), *(one[0] for one in single)}:
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}


def _months(language: str) -> set[str]:
    return {entry.split("=")[0] for entry in MONTHS[language].split()}


_LANGUAGES = _by_word()


def likely_languages(text: str) -> tuple[str, ...]:
    """Returns the languages that a text may be in by ISO 639-1; none where it is in another.

    Where no word tells, a text in the letters of English may be English.
    """
    read = text[:CHARACTERS_READ]
    latin = len(_LATIN.findall(read))
    ideographs = len(_HAN.findall(read)) + len(_KANA.findall(read))
    if IDEOGRAPH_LETTERS * ideographs > latin:
        return (JAPANESE if _KANA.search(read) else CHINESE,)
    cyrillic = len(_CYRILLIC.findall(read))
    if cyrillic > latin:
        return () if _NOT_RUSSIAN.search(read) else (RUSSIAN,)
    if len(_LETTER.findall(read)) > 2 * latin:
        return ()
    return _by_function_words(read)


def passage_language(text: str) -> str:
    """Returns the language by which the times of a passage are read; English where it is unsure."""
    found = likely_languages(text)
    if len(found) != 1:
        return ENGLISH
    (language,), read = found, text[:CHARACTERS_READ]
    if language in (CHINESE, JAPANESE):
        # A list of English names may have the original ones beside them.
        letters, ideographs = len(_LATIN.findall(read)), len(_LETTER.findall(read))
        return language if 2 * letters < ideographs else ENGLISH
    if language == RUSSIAN:
        return language
    is_open = ENGLISH in _best(read)[0]
    return language if language == detect_fast(read)[0] and not is_open else ENGLISH


def _best(text: str) -> tuple[tuple[str, ...], int]:
    """Returns the languages that most words of closed classes belong to, and how many do."""
    counts = Counter(_named(cut(text).words))
    most = max(counts.values(), default=0)
    best = tuple(language for language, count in counts.items() if count == most)
    return best, most


def _by_function_words(text: str) -> tuple[str, ...]:
    best, most = _best(text)
    known = detect_fast(text)[0] if text else UNKNOWN
    if ENGLISH in best:
        return (known,) if known in best else (ENGLISH,)
    # A language of which nothing is known shares some words with one of ours.
    if known not in (*WORDS, ENGLISH, UNKNOWN) and most <= FEW_WORDS:
        return ()
    return best or ((ENGLISH,) if text.isascii() else ())


def _named(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        yield from _LANGUAGES.get(word, ())
