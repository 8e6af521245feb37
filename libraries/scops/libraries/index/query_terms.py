"""The words that every store looks up by BM25, whatever their language."""

import re
import unicodedata

TERM = re.compile(r"[^\W_]+")
TERMS_MAX = 64


def query_terms(text: str) -> tuple[str, ...]:
    """Returns the first terms of a text in lower case, each once; operators are no terms."""
    return tuple(dict.fromkeys(TERM.findall(text.lower())))[:TERMS_MAX]


def folded(text: str) -> str:
    """Returns a text without diacritics, so that `cafe` finds `café`."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text)
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", bare)
