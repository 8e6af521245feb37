"""Text that others wrote, made fit for a terminal, a log or a prompt: it says what it shows.

    controls (C0 but tab and line feed, DEL, C1), lone surrogates        U+FFFD
    line and paragraph separators                                        U+FFFD
    marks, overrides and isolates of direction (UAX #9)                  left out
    zero-width and other invisible characters, tags                      left out
    joiners (U+200C, U+200D)                                             kept inside of scripts

A joiner shapes Persian, Indic and emoji; beside ASCII, or beside another one, it only hides.
"""

import re

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINERS = (
    "[\u200c\u200d](?=[\x00-\x7f\u200c\u200d])|(?<=[\x00-\x7f])[\u200c\u200d]"
    "|^[\u200c\u200d]|[\u200c\u200d]$"
)
_REPLACED = re.compile(f"[{_CONTROLS}]")
_LEFT_OUT = re.compile(f"[{_DIRECTIONS}{_INVISIBLE}]")
_ESCAPED = re.compile(f"[{_CONTROLS}{_DIRECTIONS}{_INVISIBLE}\u200c\u200d]")
_JOINER = re.compile(_JOINERS)
_BREAKS = re.compile("[\t\n]")


def printable(text: str, *, lines: bool = True) -> str:
    r"""Returns a text without what a terminal obeys, a log takes for a line or a reader cannot see.

    Args:
        lines: whether tabs and line feeds stay; else they are written as `\t` and `\n`.
    """
    if text.isascii() and text.isprintable():
        return text
    clean = _LEFT_OUT.sub("", text.replace("\r\n", "\n"))
    clean = _JOINER.sub("", _REPLACED.sub(REPLACEMENT, clean))
    return clean if lines else clean.replace("\t", "\\t").replace("\n", "\\n")


def escaped_json(document: str) -> str:
    """Returns a JSON document that says the same, with such characters as escapes."""
    return _ESCAPED.sub(_escape, document)


def unprintable(text: str, *, lines: bool = True) -> str:
    """Returns the first character that `printable` would change, as `U+001B`; nothing for none.

    Args:
        lines: whether tabs, carriage returns and line feeds are fine.
    """
    if text.isascii() and text.isprintable():
        return ""
    ignored = "\t\r\n" if lines else ""
    for pattern in (_REPLACED, _LEFT_OUT, _JOINER, _BREAKS):
        for match in pattern.finditer(text):
            if match[0] not in ignored:
                return f"U+{ord(match[0]):04X}"
    return ""


def _escape(match: "re.Match[str]") -> str:
    """Writes a character of a JSON string; those outside of strings are spaces, which stay."""
    character = match[0]
    if character in "\r\n\t":
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
