"""Finds the sentences of a clean text by rules, as spans of code points.

Made for extracted web text: a line break always ends a sentence (blocks are lines), a full stop
inside a number, version, date, file name or abbreviation does not, and stops that only other
scripts have need no space. Scripts without stops end a long sentence at a space.
Where a rule is in doubt, two sentences stay together: a quote that is too long is still true.
"""

import re
from collections.abc import Iterator

from scops.common.text.abbreviations import is_abbreviation
from scops.common.text.ordinal_days import is_in_date

Span = tuple[int, int]

_ABBREVIATION = re.compile(
    r"al|approx|art|bzgl|bzw|ca|cap|cf|ch|chap|cit|co|corp|dept|dr|e\.g|ed|eds|eq|eqs|esp|est|"
    r"et|etc|evtl|fig|figs|ggf|gen|hon|hr|i\.e|ibid|inc|incl|jr|lt|ltd|max|messrs|mfg|min|"
    r"misc|mr|mrs|ms|mt|mio|mrd|no|nos|nr|op|orig|p|par|pp|prof|pt|ref|refs|rep|resp|rev|sec|"
    r"sect|sen|sog|sr|st|str|tab|tel|u\.a|u\.s|usw|v|viz|vol|vols|vs|z\.b|d\.h|jan|feb|mar|"
    r"apr|jun|jul|aug|sep|sept|oct|nov|dec"
)
# These end a sentence as often as not: the next word decides.
OPEN_ABBREVIATIONS = frozenset({"al", "co", "corp", "etc", "inc", "jr", "ltd", "usw"})

_STOP = re.compile(
    r"(?P<line>\n\s*+)"
    r"|(?P<cjk>[。！？｡؟۔।॥።။։]++[」』”’）】》]*+)"
    # A question mark after Greek.
    r"|(?P<greek>(?<=[\u0370-\u03ff\u1f00-\u1fff])[;\u037e](?=\s|$))"
    # Between Thai or Lao.
    r"|(?P<space>(?<=[\u0e01-\u0eff])\ (?=[\u0e01-\u0eff]))"
    # Only from the first stop of a run: from the others the same end is reached, or none.
    r"|(?<![.!?…])(?P<stop>[.!?…]++)(?P<closers>[\"'”’»)\]]*+(?:\[\d{1,4}\])*+)(?=\s|$)"
)
_LAST_TOKEN = re.compile(r"(?<![^\s(\[{\"'“‘«])[^\s(\[{\"'“‘«]++$")
_OPENERS = "\"'“‘«([{¿¡*_`-–—•"
_IDENTIFIER = re.compile(r"[a-z]++(?:[_\dA-Z(]|\w*_)")
_LETTERS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_LETTER = re.compile(r"[(\[]?[^\W\d_]\.")
# What a number may follow: "Abs. 3", "o.a. 3,50".
_NUMBERED = re.compile(r"[^\W\d_a-z][^\W\d_]{1,3}|(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,3}")
_LIST_NUMBER = re.compile(r"(?:\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{1,5})(?:\.\d{1,3})*")
LOOK_BACK_CHARACTERS = 64
# Of a script without stops, a space ends a sentence that is at least so long.
CLAUSE_CHARACTERS_MIN = 100
# Nothing that is read as a sentence is longer; a text without stops is cut at its spaces.
SENTENCE_CHARACTERS_MAX = 4_000


def sentence_spans(text: str, language: str = "") -> list[Span]:
    """Returns the sentences in reading order as (start, end), without surrounding white space.

    Every character that is not white space lies in exactly one span, and none is longer than
    `SENTENCE_CHARACTERS_MAX`. Linear in the text.

    Args:
        language: whose abbreviations end no sentence, by its tag; nothing where it is not known.
    """
    return [piece for span in _spans(text, language) for piece in _pieces(text, span)]


def _pieces(text: str, span: Span) -> Iterator[Span]:
    """Yields a span, in parts where it is too long for a sentence."""
    start, end = span
    while end - start > SENTENCE_CHARACTERS_MAX:
        most = start + SENTENCE_CHARACTERS_MAX
        space = text.rfind(" ", start + SENTENCE_CHARACTERS_MAX // 2, most)
        cut = space if space >= 0 else most
        if piece := _trimmed(text, start, cut):
            yield piece
        start = cut
    if piece := _trimmed(text, start, end):
        yield piece


def _spans(text: str, language: str) -> Iterator[Span]:
    start = 0
    for match in _STOP.finditer(text):
        end = match.end()
        if match.group("stop") and not _ends_sentence(text, start, match, language):
            continue
        if match.group("space") and end - start <= CLAUSE_CHARACTERS_MIN:
            continue
        if span := _trimmed(text, start, end):
            yield span
        start = end
    if span := _trimmed(text, start, len(text)):
        yield span


def _trimmed(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def _ends_sentence(text: str, start: int, match: re.Match[str], language: str) -> bool:
    """Decides on a stop that is followed by white space or the end of the text."""
    following = _next_word_start(text, match.end())
    if following is None:
        return True
    stop = match.group("stop")
    if stop == "." and not _full_stop_ends(text, start, match.start(), following, language):
        return False
    return not _continues(text, following)


def _next_word_start(text: str, position: int) -> int | None:
    """Returns where the next word of this line begins, or None at the line's end."""
    while position < len(text) and (text[position] in _OPENERS or text[position].isspace()):
        if text[position] == "\n":
            return None
        position += 1
    return position if position < len(text) else None


def _continues(text: str, position: int) -> bool:
    """A lower-case word goes on with the sentence, unless it is a name such as pg_dump."""
    if not text[position].islower():
        return False
    return _IDENTIFIER.match(text, position, position + LOOK_BACK_CHARACTERS) is None


def _full_stop_ends(text: str, start: int, stop: int, following: int, language: str) -> bool:
    # Tokenised text sets a space before its full stops; the word before it decides all the same.
    window = text[max(start, stop - LOOK_BACK_CHARACTERS) : stop].rstrip(" ")
    found = _LAST_TOKEN.search(window)
    if found is None:
        return True
    token = found.group()
    if not window[: found.start()].strip(_OPENERS + " \t") and _LIST_NUMBER.fullmatch(token):
        # "1. Install it": the number of a list item, as long as the sentence is nothing else.
        return start < stop - LOOK_BACK_CHARACTERS
    if _is_initial(token, window[: found.start()]):
        return False
    if is_in_date(window[: found.start()], token, text, following):
        return False
    if text[following].isdigit() and _NUMBERED.fullmatch(token):
        return False
    word = token.lower()
    if word in OPEN_ABBREVIATIONS:
        return text[following].isupper()
    if _ABBREVIATION.fullmatch(word):
        return _is_plain_no(word, text[following])
    return not is_abbreviation(token, language)


def _is_initial(token: str, before: str) -> bool:
    """`J. Smith`, `George R. R. Martin` and `z. B. Holz`, but not `vitamin C. The`."""
    if not (_LETTERS.fullmatch(token) and token.isupper()):
        return False
    previous = before.split()
    if "." in token or not previous:
        return True
    return previous[-1][:1].isupper() or _LETTER.fullmatch(previous[-1]) is not None


def _is_plain_no(word: str, following: str) -> bool:
    """`The answer is no. We left` ends a sentence; `no. 5` and `max. 30` do not."""
    return word in {"no", "max", "min", "sec", "art", "sen", "mar", "par"} and not (
        following.isdigit() or following.islower()
    )
