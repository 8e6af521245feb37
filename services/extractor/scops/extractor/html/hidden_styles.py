"""Styles that hide: what a page's own style sheet or an element's style attribute makes unseen.

Only plain selectors of one class or id are read, and nothing inside an at-rule: a rule for print
or for small screens says nothing about what a reader sees. Style sheets of other files are not
fetched.

Source: CSS 2.1, sections 9.2.4, 11.2 and 14.1.
"""

import re
from collections.abc import Iterator

from scops.common.runtime.short_texts import kept_for_short

STYLE_CHARACTERS_MAX = 500_000
RULE_CHARACTERS_MAX = 2_000
_HIDING = re.compile(
    r"(?<![-\w])(?:"
    r"display\s*:\s*none"
    # One pixel is as good as none.
    r"|font-size\s*:\s*(?:0++(?:\.\d++)?|1)\s*+(?:(?:px|pt)\s*+)?(?:;|!|$)"
    r"|font-size\s*:\s*0++(?:\.0++)?\s*+(?:em|rem|%)\s*+(?:;|!|$)"
    r"|clip\s*:\s*rect\(\s*(?:0|1px)(?:px)?\s*[, ]"
    r"|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|text-indent\s*:\s*-\d{3,}"
    r"|(?:left|right|top)\s*:\s*-\d{4,}(?:px|em|rem)"
    r"|color\s*:\s*transparent"
    r")",
    re.IGNORECASE,
)
# Scripts fade in what a sheet declares so: that alone proves nothing of a class.
_FADED = re.compile(
    r"(?<![-\w])(?:visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0++(?:\.0++)?\s*+(?:;|!|$))",
    re.IGNORECASE,
)
_COLOR = re.compile(r"(?<![-\w])color\s*:\s*([^;!]+)", re.IGNORECASE)
_BACKGROUND = re.compile(r"(?<![-\w])background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
_NAMED_COLORS = {"white": "#ffffff", "black": "#000000"}
_SHORT_HEX = re.compile("#[0-9a-f]{3}")
# One of them is in every style that hides.
_SIGNS_OF_HIDING = (
    *("display:none", "display: none", ":-", ": -", "font-size:0", "font-size: 0", "font-size:1p"),
    *("font-size: 1p", "transparent", "rect(", "inset("),
)
_NAME_END = re.compile(r"(?![-\w])")
_DISPLAYS = re.compile(r"(?<![-\w])display\s*:\s*(?!none)", re.IGNORECASE)
_SIGN = re.compile("[{};]")
_PLAIN_SELECTOR = re.compile(r"\s*([.#])(-?[_a-zA-Z][-\w]*)\s*")


# Pages repeat the styles of their elements.
@kept_for_short(1024)
def hides(style: str) -> bool:
    """Whether the declarations of a style attribute make their element unseen."""
    return bool(style) and (_FADED.search(style) is not None or _takes_away(style))


def hidden_names(sheet: str) -> frozenset[str]:
    """Returns the classes (`.x`) and ids (`#x`) that a rule of a style sheet makes unseen."""
    if len(sheet) > STYLE_CHARACTERS_MAX:
        return frozenset()
    found: set[str] = set()
    for rule in _rules(_without_at_rules(_without_comments(sheet))):
        selectors, _, style = rule.partition("{")
        if _takes_away(style):
            found.update(_plain(selectors))
    return frozenset(found)


def shows_again(sheet: str, name: str) -> bool:
    """Whether some rule for a class or id displays it, as `.tab.active` does what `.tab` hid.

    Such a thing is hidden only in some states, and which one holds is not known here.
    """
    at = sheet.find(name)
    while at >= 0:
        selectors, opening, rest = sheet[at : at + RULE_CHARACTERS_MAX].partition("{")
        style = rest.partition("}")[0]
        whole = _NAME_END.match(selectors, len(name)) is not None and "}" not in selectors
        if opening and whole and _DISPLAYS.search(style):
            return True
        at = sheet.find(name, at + len(name))
    return False


def _rules(sheet: str) -> Iterator[str]:
    """Yields the rules that hold a sign of hiding; most rules of most sheets hold none."""
    seen: set[int] = set()
    for sign in _SIGNS_OF_HIDING:
        at = sheet.find(sign)
        while at >= 0:
            start, end = sheet.rfind("}", 0, at) + 1, sheet.find("}", at)
            end = end if end >= 0 else len(sheet)
            if start not in seen:
                seen.add(start)
                yield sheet[start:end]
            at = sheet.find(sign, end)


def _takes_away(style: str) -> bool:
    if _HIDING.search(style):
        return True
    color, background = _COLOR.search(style), _BACKGROUND.search(style)
    return bool(color and background and _same(color.group(1), background.group(1)))


def _plain(selectors: str) -> list[str]:
    matches = (_PLAIN_SELECTOR.fullmatch(selector) for selector in selectors.split(","))
    return [match.group(1) + match.group(2) for match in matches if match]


def _without_comments(sheet: str) -> str:
    parts = sheet.split("/*")
    return "".join((parts[0], *(part.partition("*/")[2] for part in parts[1:])))


def _without_at_rules(sheet: str) -> str:
    """Returns a style sheet without its at-rules, whose blocks may hold blocks."""
    kept, at = [], 0
    while (start := sheet.find("@", at)) >= 0:
        kept.append(sheet[at:start])
        at = _end_of_at_rule(sheet, start)
    return "".join((*kept, sheet[at:]))


def _end_of_at_rule(sheet: str, start: int) -> int:
    depth = 0
    for match in _SIGN.finditer(sheet, start):
        sign = match.group()
        depth += {"{": 1, "}": -1, ";": 0}[sign]
        if depth <= 0 and sign != "{":
            return match.end()
    return len(sheet)


def _same(color: str, background: str) -> bool:
    return _hex(color) == _hex(background.split()[0] if background.split() else "")


def _hex(color: str) -> str:
    color = color.strip().lower()
    color = _NAMED_COLORS.get(color, color)
    if _SHORT_HEX.fullmatch(color):
        return "#" + "".join(2 * digit for digit in color[1:])
    return color
