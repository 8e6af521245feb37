"""What a text mentions, by rules: identifiers, acronyms, versions and names in capitals.

No model and no language: a mention is a run of letters that writers mark as a name. It is read
from the passage itself whenever it is needed, so that an edge of the graph has its passage's page,
scope and life, and nothing is stored that could outlive or leave them.
"""

import re
import unicodedata

KEY_CHARACTERS_MAX = 60
MENTIONS_MAX = 60
# dotted.names, snake_case, CamelCase, versions and error codes; ACRONYMS. Bounded, because a run of
# letters without an end is no name and costs its length squared.
IDENTIFIER = re.compile(
    r"\b(?:[^\W_]{1,40}(?:[._][^\W_]{1,40}){1,8}"
    r"|[a-z]{1,40}[A-Z]\w{0,40}"
    r"|[A-Z]\w{0,40}[a-z]\w{0,40}[A-Z]\w{0,40}"
    r"|(?=\w{0,40}\d)(?=\w{0,40}[A-Za-z])\w{3,40}"
    r"|[A-Z]{2,40}s?)\b"
)
# Words in capitals next to each other, with what may stand between the parts of a name.
WORD = r"[^\W\d_a-z][\w'’-]{0,40}"
NAME = re.compile(rf"\b{WORD}(?:\s+(?:(?:of|de|von|van|the)\s+)?{WORD}){{1,6}}")
# A single word in capitals is a name where no sentence begins with it.
SINGLE = re.compile(r"(?<=[\w,;)] )[^\W\d_a-z]\w{2,}")
EXPANDED = re.compile(r"((?:[A-Z][\w-]{0,40}\s+){1,6}[A-Z][\w-]{0,40})\s*\(([A-Z]{2,})s?\)")
TOKEN = re.compile(r"\w+")
ARTICLES = frozenset({"the", "a", "an", "this", "that", "in", "on", "at", "and"})


def key_of(words: str) -> str:
    """Returns how a mention is known: folded, without articles before it, possessives, marks."""
    plain = unicodedata.normalize("NFKC", words).casefold().replace("’", "'")
    tokens = TOKEN.findall(re.sub(r"'s\b", "", plain))
    while len(tokens) > 1 and tokens[0] in ARTICLES:
        tokens = tokens[1:]
    return " ".join(tokens)


def mentions(text: str) -> frozenset[str]:
    """Returns the keys of what a text mentions, at most `MENTIONS_MAX`, the first ones."""
    found: dict[str, None] = {}
    aliases = expansions(text)
    # A word of a longer name is no mention of its own.
    for pattern, read in ((IDENTIFIER, text), (NAME, text), (SINGLE, NAME.sub("-", text))):
        for match in pattern.finditer(read):
            key = key_of(match.group())
            key = aliases.get(key, key)
            if 1 < len(key) <= KEY_CHARACTERS_MAX and key not in ARTICLES:
                found[key] = None
    return frozenset(list(found)[:MENTIONS_MAX])


def expansions(text: str) -> dict[str, str]:
    """Returns what acronyms stand for where a text says it, as in "Foreign Data Wrapper (FDW)"."""
    result = {}
    for match in EXPANDED.finditer(text):
        words, letters = match.group(1).split(), match.group(2)
        meant = words[-len(letters) :]
        if "".join(word[0] for word in meant).upper() == letters:
            result[letters.casefold()] = key_of(" ".join(meant))
    return result


def named_in(question: str, keys: frozenset[str]) -> frozenset[str]:
    """Returns which keys a question names, in whatever letters."""
    asked = f" {key_of(question)} "
    return frozenset(key for key in keys if f" {key} " in asked)
