"""Days written near the title of a page, for people to read: `17.05.2024`, `May 17, 2024`.

htmldate's long search finds them too, in forty times the time.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from scops.common.contract.messages.content import BlockKind
from scops.extractor.text.clean_text import RawBlock

# A date stands in a line of its own or beside an author's name, not in running text.
LINE_CHARACTERS_MAX = 200
BLOCKS_ABOVE = 12
BLOCKS_BELOW = 15

# By their first letters, in the languages most of the web is written in.
_MONTHS = (
    "jan jän ene gen sty",
    "feb fév fev lut",
    "mar mär maa mrt",
    "apr avr abr kwi",
    "may mai mag maj mei",
    "jun juin giu cze",
    "jul juil lug lip",
    "aug aoû aou ago sie",
    "sep set wrz",
    "oct okt ott out paź paz",
    "nov lis",
    "dec dez déc dic gru",
)
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_DAY_FIRST = re.compile(
    r"(?<!\d)(?P<day>\d{1,2})(?:\.|st|nd|rd|th|er|º)?\s*(?:de\s+|of\s+|\s)"
    r"(?P<month>[^\W\d_]{3,12})\.?,?\s+(?:de\s+|del\s+)?(?P<year>(?:19|20)\d\d)(?!\d)"
)
_MONTH_FIRST = re.compile(
    r"(?P<month>[^\W\d_]{3,12})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+"
    r"(?P<year>(?:19|20)\d\d)(?!\d)"
)
_DIGITS = re.compile(
    r"(?<!\d)(?P<day>\d{1,2})(?P<sign>[./-])(?P<month>\d{1,2})(?P=sign)"
    r"(?P<year>(?:19|20)\d\d)(?!\d)"
)
_ISO = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)[-./](?P<month>\d\d)[-./](?P<day>\d\d)(?!\d)")
_CHINESE = re.compile(r"(?P<year>(?:19|20)\d\d)年\s*(?P<month>\d{1,2})月\s*(?P<day>\d{1,2})日")
_FORMS = (_ISO, _CHINESE, _DIGITS, _DAY_FIRST, _MONTH_FIRST)


def day_near_title(blocks: Sequence[RawBlock]) -> date | None:
    """Returns the first day that stands in a short line near the main heading, below it first."""
    title = _title_index(blocks)
    below = blocks[title : title + BLOCKS_BELOW]
    above = blocks[max(title - BLOCKS_ABOVE, 0) : title]
    for block in (*below, *reversed(above)):
        if block.kind is not BlockKind.CODE and len(block.text) <= LINE_CHARACTERS_MAX:
            for day in written_days(block.text):
                return day
    return None


def written_days(text: str) -> Iterator[date]:
    """Yields the days that a text names; of two digits the first is the month only with slashes."""
    if not any(character.isdigit() for character in text):
        return
    for form in _FORMS:
        for match in form.finditer(text):
            day = _day(match)
            if day is not None:
                yield day


def _title_index(blocks: Sequence[RawBlock]) -> int:
    for level in (1, 2):
        for index, block in enumerate(blocks):
            if block.kind is BlockKind.HEADING and block.level == level and not block.boilerplate:
                return index
    return 0


def _day(match: re.Match[str]) -> date | None:
    named = match.group("month")
    month = int(named) if named.isdigit() else _month(named)
    day = int(match.group("day"))
    if month > 12 >= day and "sign" in match.groupdict():
        month, day = day, month
    try:
        return date(int(match.group("year")), month, day)
    except ValueError:
        return None


def _month(name: str) -> int:
    """Returns the number of a month, or 0 for another word."""
    lowered = name.casefold()
    return _MONTH_OF.get(lowered[:4]) or _MONTH_OF.get(lowered[:3], 0)
