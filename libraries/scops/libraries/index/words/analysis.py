"""Terms of texts and queries: folded, stemmed by language, in pairs where no spaces stand.

A term is letters and digits alone, so that the tokenizer of no store takes it apart or changes it.
The same function makes the terms of a passage and those of a query, in the passage's language.

Stems are Snowball's. Scripts without spaces between words (Chinese, Japanese, Thai and others), and
Korean, whose particles stick to their words, are read as overlapping pairs of characters.
"""

import unicodedata
from collections.abc import Collection, Iterator
from itertools import pairwise
from threading import local

import regex
import Stemmer

from scops.common.runtime.short_texts import kept_for_short

WORDS_MAX = 64
STEMS_KEPT = 20_000
STEM_KEPT_CHARACTERS_MAX = 64

_PAIRED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々]"
_WORD = regex.compile(
    rf"(?P<paired>(?:{_PAIRED}\p{{M}}*)+)|(?:(?!{_PAIRED})[\p{{L}}\p{{N}}\p{{M}}])+"
)
_CHARACTER = regex.compile(r"\X")

SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch",
    "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Algorithms by language; what is absent is folded and not stemmed."""

_stemmers = local()


def analysed(text: str, language: str) -> str:
    """Returns the terms of a text in order, with spaces between.

    Args:
        language: the text's, by ISO 639-1; `PLAIN` folds alone.
    """
    return " ".join(_terms(text, language))


def query_terms(text: str, languages: Collection[str]) -> tuple[str, ...]:
    """Returns the terms that find the first `WORDS_MAX` words of a query, each once.

    The words as they are come first, in order: a passage of an unknown language holds them.
    Operators are no terms. Words that tell little are left to their frequency: lists of them cost
    hits in five of seven languages.

    Args:
        languages: of the passages that may be found.
    """
    words = list(dict.fromkeys(_words(text)))
    found = [_encoded(word) for word in words[:WORDS_MAX]]
    for language in languages:
        found += [_term(word, language) for word in words[:WORDS_MAX]]
    return tuple(term for term in dict.fromkeys(found) if term)


def folded(text: str) -> str:
    """Returns a text without diacritics, so that `cafe` finds `café`."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text)
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", bare)


def _terms(text: str, language: str) -> Iterator[str]:
    for word in _words(text):
        if term := _term(word, language):
            yield term


def _words(text: str) -> Iterator[str]:
    """Yields the words of a text in lower case, and pairs of characters in their place."""
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).lower()):
        if match["paired"] is None:
            yield match.group()
        else:
            yield from _pairs(match.group())


def _pairs(run: str) -> Iterator[str]:
    characters = _CHARACTER.findall(run)
    if len(characters) == 1:
        yield run
    for first, second in pairwise(characters):
        yield first + second


def _term(word: str, language: str) -> str:
    return _stemmed(f"{language} {word}") if language in SNOWBALL else _encoded(word)


@kept_for_short(STEMS_KEPT, characters_max=STEM_KEPT_CHARACTERS_MAX)
def _stemmed(language_and_word: str) -> str:
    language, _, word = language_and_word.partition(" ")
    return _encoded(_stemmer(language).stemWord(word))


def _stemmer(language: str) -> Stemmer.Stemmer:
    """Returns a stemmer of this thread: one must not be used by two."""
    known: dict[str, Stemmer.Stemmer] = _stemmers.__dict__
    if language not in known:
        # What is stemmed is kept already.
        known[language] = Stemmer.Stemmer(SNOWBALL[language], 0)
    return known[language]


def _encoded(word: str) -> str:
    """Returns a word without diacritics; vowel signs, which tokenizers cut at, become letters."""
    bare = folded(word)
    if bare.isalnum():
        return bare
    return "".join(one if one.isalnum() else f"x{ord(one):x}" for one in bare)
