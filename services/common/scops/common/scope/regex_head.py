"""Splits the regular expression of a rule: scheme, literal host, literal beginning of path, rest.

Only the beginning is read here, and only what is surely literal; the rest is left to RE2.
"""

import re
from dataclasses import dataclass

from scops.common.scope.rule_faults import RuleFault, UnusablePattern

_ORIGIN = re.compile(
    r"\^?(?P<scheme>https\?|https?):(?://|\\/\\/)"
    r"(?P<authority>(?:[\w-]|\\[.-])+|\\\[[0-9A-Fa-f:]+\\\])(?::(?P<port>[0-9]{1,5}))?(?=\\?/)"
)
_UNESCAPED_DOT = re.compile(r"\^?https\??://(?:[\w-]|\\[.-])*\.")
_NO_SLASH = re.compile(r"\^?https?\??:(?://|\\/\\/)(?:[\w-]|\\[.-])+(?::[0-9]+)?(?:\.\*|$)")
_OPTIONAL_SLASH = re.compile(r"\\?/[?*+{]")
_LITERAL = re.compile(r"[\w/~@!,;=&%'\"<>:-]|\\[^\w\s]")
# A class that nobody closes, which RE2 refuses, goes to the end.
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|\[:\^?\w{1,16}:\]|[^\]\\])*+(?:\]|\Z)|[()|]|.", re.DOTALL)
_SCHEMES = {"https?": ("http", "https"), "https": ("https",), "http": ("http",)}


@dataclass(frozen=True, slots=True)
class RegexHead:
    """A regular expression in parts.

    Attributes:
        authority: the host, without the escapes of the expression.
        port: empty where none is named.
        head: literal; every path and query that matches begins with it.
        rest: an expression for what follows `head`.
    """

    schemes: tuple[str, ...]
    authority: str
    port: str
    head: str
    rest: str


def split_regex(pattern: str) -> RegexHead:
    """Returns the parts of a pattern.

    Raises:
        UnusablePattern: it does not hold its host.
    """
    found = _ORIGIN.match(pattern)
    if found is None:
        raise UnusablePattern(_fault(pattern))
    path = pattern[found.end() :]
    if _OPTIONAL_SLASH.match(path):
        raise UnusablePattern(RuleFault.REGEX_SLASH_REPEATED)
    if _has_alternatives(path):
        raise UnusablePattern(RuleFault.REGEX_ALTERNATIVES)
    head, rest = _literal_beginning(path)
    return RegexHead(
        schemes=_SCHEMES[found["scheme"]],
        authority=found["authority"].replace("\\", ""),
        port=found["port"] or "",
        head=head,
        rest=rest,
    )


def _literal_beginning(path: str) -> tuple[str, str]:
    """Returns the literal text that a path's expression begins with, and what follows it."""
    head, end, last = "", 0, 0
    while found := _LITERAL.match(path, end):
        head, last, end = head + found[0][-1], end, found.end()
    # A quantifier behind the literal belongs to its last character.
    if path[end : end + 1] in ("?", "*", "+", "{"):
        return head[:-1], path[last:]
    return head, path[end:]


def _has_alternatives(expression: str) -> bool:
    """Says whether a | stands outside of parentheses and classes."""
    depth = 0
    for found in _TOKEN.finditer(expression):
        token = found[0]
        depth += (token == "(") - (token == ")")
        if token == "|" and depth == 0:
            return True
    return False


def _fault(pattern: str) -> RuleFault:
    if _NO_SLASH.match(pattern):
        return RuleFault.REGEX_SLASH_MISSING
    if _UNESCAPED_DOT.match(pattern):
        return RuleFault.REGEX_HOST_DOTS
    return RuleFault.REGEX_HOST_MISSING
