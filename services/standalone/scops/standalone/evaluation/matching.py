"""Whether an answer says what is right: exactly, by its words, nearly, and rather than what is not.

Source: Rajpurkar et al., SQuAD (EMNLP 2016) and SQuAD 2 (ACL 2018), for normalisation, EM and F1;
Lewis et al., MLQA (ACL 2020), for scripts that put no space between words.
"""

from collections import Counter
from collections.abc import Callable, Iterable

import regex
from rapidfuzz import fuzz

_TYPE = regex.compile(r"[\p{P}$+<=>^`|~]")
_ARTICLES = regex.compile(r"\b(?:a|an|the)\b")
# A sign is a word in these scripts.
_SIGN = regex.compile(r"([\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}])")


def normalised(text: str) -> str:
    """Returns a text as SQuAD compares it: lower case, no punctuation, no articles."""
    plain = _ARTICLES.sub(" ", _TYPE.sub("", text.lower()))
    return " ".join(_SIGN.sub(r" \1 ", plain).split())


def exact_match(said: str, answers: Iterable[str]) -> float:
    """Returns 1 where the answer is one of the right ones, else 0."""
    return _best(said, answers, lambda left, right: float(left == right))


def token_f1(said: str, answers: Iterable[str]) -> float:
    """Returns the harmonic mean of precision and recall of words, against the nearest answer."""
    return _best(said, answers, _f1)


def contains(said: str, answers: Iterable[str]) -> float:
    """Returns 1 where the answer holds one of the right ones as whole words, else 0."""
    return _best(said, answers, lambda left, right: float(bool(right) and _holds(left, right)))


def likeness(said: str, answers: Iterable[str]) -> float:
    """Returns how like the nearest run of the answer is to a right one, in [0, 1]."""
    return _best(said, answers, _likeness)


def beats_distractors(
    said: str, answers: Iterable[str], distractors: Iterable[str]
) -> float | None:
    """Returns 1 where the answer is more like a right one than like any wrong one, else 0.

    Returns:
        None where there are no wrong ones.
    """
    wrong = list(distractors)
    if not wrong:
        return None
    return float(likeness(said, answers) > likeness(said, wrong))


def _best(said: str, answers: Iterable[str], score: Callable[[str, str], float]) -> float:
    left = normalised(said)
    return max((score(left, normalised(answer)) for answer in answers), default=0.0)


def _f1(left: str, right: str) -> float:
    said, wanted = left.split(), right.split()
    if not said or not wanted:
        return float(said == wanted)
    common = sum((Counter(said) & Counter(wanted)).values())
    return 2 * common / (len(said) + len(wanted))


def _holds(text: str, run: str) -> bool:
    return f" {run} " in f" {text} "


def _likeness(left: str, right: str) -> float:
    if not left or not right:
        return 0.0
    # An answer that is shorter than what is right is no part of it: all of both counts.
    ratio = fuzz.partial_ratio if len(left) >= len(right) else fuzz.ratio
    return float(ratio(left, right)) / 100
