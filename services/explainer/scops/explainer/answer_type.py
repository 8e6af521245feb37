"""What sort of answer a question wants, and whether a sentence holds one."""

import re

NUMBER = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|zero|none)\b", re.I)
DATE = re.compile(
    r"\b(?:1[5-9]|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}\b|"
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|daily|weekly|monthly|yearly)\b",
    re.I,
)
DURATION = re.compile(r"\d+\s*(?:second|minute|hour|day|week|month|year|ms|s\b|h\b)", re.I)
NAME = re.compile(r"(?<=\s)[A-Z][\w-]+")
REASON = re.compile(r"\b(?:because|so that|since|therefore|in order to|as a result|due to)\b", re.I)
ASKS_DURATION = re.compile(
    r"\bhow (?:long|often)\b|\bhow many (?:days|hours|minutes|weeks|years)\b", re.IGNORECASE
)
ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|high|far|large|big|fast|old)\b|"
    r"\bwhat (?:is the )?(?:price|cost|number|limit|size|version|port|default)\b",
    re.IGNORECASE,
)
ASKS_DATE = re.compile(r"\bwhen\b|\bwhat (?:date|year|day|time)\b|\bsince when\b", re.IGNORECASE)
ASKS_NAME = re.compile(r"\bwho\b|\bwhose\b|\bwhom\b", re.IGNORECASE)
ASKS_REASON = re.compile(r"\bwhy\b", re.IGNORECASE)
# The first that matches the question decides.
WANTED = (
    (ASKS_DURATION, DURATION),
    (ASKS_NUMBER, NUMBER),
    (ASKS_DATE, DATE),
    (ASKS_NAME, NAME),
    (ASKS_REASON, REASON),
)


def holds_answer_type(question: str, sentence: str) -> bool:
    """Returns whether a sentence holds what a question of this sort wants.

    A question of no known sort wants nothing in particular: False for every sentence.
    """
    wanted = next((pattern for asks, pattern in WANTED if asks.search(question)), None)
    return wanted is not None and wanted.search(sentence) is not None
