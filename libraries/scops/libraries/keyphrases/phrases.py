"""The phrases of a text that may be keyphrases: what stands between stop words and marks.

Source: RAKE (Rose et al. 2010), for the candidates alone. Nothing is tagged by parts of speech, so
every language does that has a list of stop words (stopwordsiso, 57 languages). Chinese and
Japanese, which write no spaces, are cut at the stop words within their runs of characters.
"""

import re
from functools import lru_cache

import stopwordsiso

from scops.common.text.terms import STOP_WORDS

ENGLISH = "en"
WORDS_MAX = 5
CHARACTERS_MIN, CHARACTERS_MAX = 3, 80
# Of a run of characters without spaces.
RUN_MIN, RUN_MAX = 2, 12

_RUN = r"[\u3040-\u30ff\u3400-\u9fff]"
_RUN_ALONE = re.compile(rf"{_RUN}+")
_TOKEN = re.compile(rf"({_RUN}+)|(?:(?!{_RUN})\w)+(?:[.'’\-–/](?:(?!{_RUN})\w)+)*")


def phrases_of(text: str, *, language: str) -> list[str]:
    """Returns phrases as the text first writes them, in its order, each once whatever its case.

    Args:
        language: of the text by ISO 639-1; one that is not known is read as English.
    """
    found: dict[str, str] = {}
    stops = _stop_words(language)
    begun: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        if begun and text[begun[-1].end() : token.start()].strip():
            _add(found, text, begun)
        if token[1]:
            _add(found, text, begun)
            for piece in _pieces(language).split(token[1]):
                if RUN_MIN <= len(piece) <= RUN_MAX:
                    found.setdefault(piece, piece)
        elif token[0].casefold() in stops or len(token[0]) == 1 or token[0].isdigit():
            _add(found, text, begun)
        else:
            begun.append(token)
    _add(found, text, begun)
    return list(found.values())


def _add(found: dict[str, str], text: str, begun: list[re.Match[str]]) -> None:
    """Ends a phrase, and takes it where it is no whole clause."""
    if 0 < len(begun) <= WORDS_MAX:
        phrase = " ".join(text[begun[0].start() : begun[-1].end()].split())
        if CHARACTERS_MIN <= len(phrase) <= CHARACTERS_MAX:
            found.setdefault(phrase.casefold(), phrase)
    begun.clear()


@lru_cache(maxsize=128)
def _stop_words(language: str) -> frozenset[str]:
    """Returns the words of a language that begin and end no phrase."""
    if language == ENGLISH or not stopwordsiso.has_lang(language):
        return STOP_WORDS
    return frozenset(word.casefold() for word in stopwordsiso.stopwords(language))


@lru_cache(maxsize=16)
def _pieces(language: str) -> re.Pattern[str]:
    """Returns what runs of characters are cut at: stop words, the longest first."""
    inside = [word for word in _stop_words(language) if _RUN_ALONE.fullmatch(word)]
    inside.sort(key=lambda word: (-len(word), word))
    return re.compile("|".join(inside) or r"(?!)")
