"""What sort of answer a question wants, and whether a sentence holds one."""

import re

# Of "1.5 hours" the last digits are enough: what stands before them begins no new reading.
_COUNT = (
    r"(?:\d++|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|"
    r"twenty|thirty|forty|fifty|sixty|ninety|hundred|half|zero|none)"
)
_UNIT = r"(?:milli|micro)?(?:second|minute|hour|day|week|month|quarter|year)s?|ms|min|h|s"
_CALENDAR = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|daily|weekly|monthly|yearly"
)
NUMBER = re.compile(rf"\d|\b{_COUNT}\b", re.IGNORECASE)
DATE = re.compile(
    rf"\b(?:1[5-9]|20)\d\d\b|\b\d{{1,2}}[:./-]\d{{1,2}}\b|\b(?:{_CALENDAR})\b", re.IGNORECASE
)
DURATION = re.compile(rf"\b{_COUNT}[\s-]*+(?:{_UNIT})\b", re.IGNORECASE)
NAME = re.compile(r"(?<=\s)[A-Z][\w-]+")
REASON = re.compile(
    r"\b(?:because|so that|since|therefore|in order to|as a result|due to)\b", re.IGNORECASE
)
ASKS_DURATION = re.compile(
    r"\bhow (?:long|often|soon)\b|\bhow many (?:seconds|minutes|hours|days|weeks|months|years)\b|"
    r"\bafter (?:what|which) time\b",
    re.IGNORECASE,
)
ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|high|far|large|big|fast|old|deep|wide|heavy|tall)\b|"
    r"\bwhat .{0,40}\b(?:price|cost|fee|deposit|number|limit|size|version|port|default|maximum|"
    r"minimum|distance|height|rate|amount)\b",
    re.IGNORECASE,
)
ASKS_DATE = re.compile(r"\bwhen\b|\b(?:what|which) (?:date|year|month|day|time)\b", re.IGNORECASE)
ASKS_NAME = re.compile(r"\bwho\b|\bwhose\b|\bwhom\b", re.IGNORECASE)
ASKS_REASON = re.compile(r"\bwhy\b", re.IGNORECASE)
ASKS_DEFINITION = re.compile(r"^\s*what (?:is|are|does|do)\b", re.IGNORECASE)
DEFINITION = re.compile(r"\b(?:is|are) (?:an?|the)\b|\bmeans\b|\s[—–]\s", re.IGNORECASE)
# The first that matches the question decides.
WANTED = (
    (ASKS_DURATION, DURATION),
    (ASKS_NUMBER, NUMBER),
    (ASKS_DATE, DATE),
    (ASKS_NAME, NAME),
    (ASKS_REASON, REASON),
    (ASKS_DEFINITION, DEFINITION),
)


def answer_type(question: str) -> re.Pattern[str] | None:
    """Returns what is found in every answer of the sort that a question wants, where it says."""
    return next((pattern for asks, pattern in WANTED if asks.search(question)), None)


def holds_answer_type(question: str, sentence: str) -> bool:
    """Returns whether a sentence holds what a question of this sort wants.

    A question of no known sort wants nothing in particular: False for every sentence.
    """
    wanted = answer_type(question)
    return wanted is not None and wanted.search(sentence) is not None
