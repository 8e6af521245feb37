"""How mentions are known: one spelling for what writers spell in many ways."""

import re
import unicodedata
from collections.abc import Iterable, Set

from scops.common.text.terms import STOP_WORDS

KEY_CHARACTERS_MAX = 60
MENTIONS_MAX = 60
TOKEN = re.compile(r"\w+")
POSSESSIVE = re.compile(r"'s\b")
ARTICLES = frozenset({"the", "a", "an", "this", "that", "in", "on", "at", "and"})


def key_of(words: str) -> str:
    """Returns how a mention is known: folded, without articles before it, possessives, marks."""
    plain = unicodedata.normalize("NFKC", words).casefold().replace("’", "'")
    tokens = TOKEN.findall(POSSESSIVE.sub("", plain))
    while len(tokens) > 1 and tokens[0] in ARTICLES:
        tokens = tokens[1:]
    return " ".join(tokens)


def keys_of(found: Iterable[str]) -> tuple[str, ...]:
    """Returns the keys of mentions in their order, each once, the first `MENTIONS_MAX`."""
    keys: dict[str, None] = {}
    for words in found:
        key = key_of(words)
        if 1 < len(key) <= KEY_CHARACTERS_MAX and key not in STOP_WORDS:
            keys[key] = None
    return tuple(keys)[:MENTIONS_MAX]


def mentions_text(header: str, text: str) -> str:
    """Returns what is read of a chunk for its mentions."""
    return f"{header}. {text}" if header else text


def named_in(question: str, keys: Set[str]) -> frozenset[str]:
    """Returns which keys a question names, in whatever letters.

    A part of a longer one that it names is none of its own: who asks about the Salvation Army asks
    about no army.
    """
    asked = f" {key_of(question)} "
    named = [key for key in keys if f" {key} " in asked]
    return frozenset(
        key
        for key in named
        if not any(key != longer and f" {key} " in f" {longer} " for longer in named)
    )
