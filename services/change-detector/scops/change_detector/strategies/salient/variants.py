"""Which two words are one: written or bent otherwise, without saying anything else.

Only rules of spelling and inflection; two words that merely mean much the same are two. Outside of
English the stemmers of Snowball say what is one word.
"""

import unicodedata
from functools import lru_cache

import regex
import Stemmer

from scops.common.text.locales import locale_of

LETTERS_MIN = 3
ENDING_LETTERS_MAX = 2
STEMMERS_MAX = 64
# Endings of one letter that may stand for each other; marks make them other letters.
_VOWELS = frozenset("aeiouyäöüåæøаеиоуыэюяь")

# British and American forms of one word.
_SPELLINGS = (
    (regex.compile(r"(?<=[a-z]{2})our(?=$|s|ed|ing|able|ful|less|ite|al|y)"), "or"),
    (regex.compile(r"(?<=[a-z]{3})is(?=e$|es$|ed$|er$|ers$|ing$|ation|able$)"), "iz"),
    (regex.compile(r"(?<=[a-z]{3})ys(?=e$|es$|ed$|er$|ers$|ing$)"), "yz"),
    (regex.compile(r"(?<=[bt])re(?=$|s$)"), "er"),
    (regex.compile(r"(?<=[aeou])ll(?=ed$|er$|ers$|ing$|or$|ors$|ation)"), "l"),
    (regex.compile(r"(?<=[a-z]{3})l+(?=ment$|ments$|ful$)"), "l"),
    (regex.compile(r"(?<=[a-z]{2})enc(?=e$|es$)"), "ens"),
    (regex.compile(r"(?<=[a-z]{2})ogue(?=$|s$)"), "og"),
    (regex.compile(r"(?<=[a-z])ae(?=[dlmnrst])|^ae"), "e"),
    (regex.compile(r"oe(?=[dmns])"), "e"),
    (regex.compile(r"(?<=gr)amme(?=$|s$)|(?<=rogr)amme(?=$|s$)"), "am"),
    (regex.compile(r"(?<=gr)ey"), "ay"),
    (regex.compile(r"(?<=judg|knowledg)e(?=ment)"), ""),
    (regex.compile(r"ph(?=ur$|ate)"), "f"),
    # The commonest slip: `recieve`.
    (regex.compile(r"cie(?=[vlp])"), "cei"),
)
_ENDINGS = ("'s", "s'", "ingly", "edly", "ing", "ies", "ied", "es", "ed", "ly", "s", "d", "e")
_IRREGULAR = {
    form: forms.split()[0]
    for forms in (
        "be been being",
        "am is are",
        "was were",
        "have has having",
        "do does doing",
        "go goes went gone going",
        "make makes made making",
        "give gives gave given giving",
        "take takes took taken taking",
        "get gets got gotten getting",
        "see sees saw seen seeing",
        "find finds found finding",
        "send sends sent sending",
        "keep keeps kept keeping",
        "hold holds held holding",
        "know knows knew known knowing",
        "write writes wrote written writing",
        "choose chooses chose chosen choosing",
        "begin begins began begun beginning",
        "bring brings brought bringing",
        "say says said saying",
        "tell tells told telling",
        "show shows showed shown showing",
        "leave leaves left leaving",
        "pay pays paid paying",
        "run runs ran running",
        "come comes came coming",
        "become becomes became becoming",
        "understand understands understood",
        "build builds built building",
        "buy buys bought buying",
        "man men",
        "woman women",
        "child children",
        "person people persons",
        "index indexes indices",
        "datum data",
    )
    for form in forms.split()
}


def same_word(first: str, second: str, language: str = "") -> bool:
    """Returns whether two casefolded words are forms or spellings of one.

    Marks over letters are part of a word, but in English: `hablo` and `habló` are two.

    Args:
        language: of the text that they stand in; rules of English where it is not known.
    """
    if first == second:
        return True
    if language not in {"", "en"}:
        return _is_inflected(first, second, language)
    if _IRREGULAR.get(first, first) == _IRREGULAR.get(second, second):
        return True
    if min(len(first), len(second)) < LETTERS_MIN:
        return False
    one, other = _spelled(first), _spelled(second)
    return one == other or _stem(one) == _stem(other)


def _is_inflected(first: str, second: str, language: str) -> bool:
    """`Kunde` and `Kunden`: of one stem, with a short ending more, or another vowel at the end."""
    stemmer = _stemmer(language)
    if stemmer is None or min(len(first), len(second)) < LETTERS_MIN:
        return False
    common = _first_difference(first, second)
    one, other = first[common:], second[common:]
    if max(len(one), len(other)) > ENDING_LETTERS_MAX or common < LETTERS_MIN:
        return False
    if one and other and not (one in _VOWELS and other in _VOWELS):
        return False
    stems = stemmer.stemWords([first, second])
    return bool(stems[0] == stems[1])


@lru_cache(maxsize=STEMMERS_MAX)
def _stemmer(language: str) -> Stemmer.Stemmer | None:
    """Returns Snowball's stemmer of a language, by its name in English; None where it has none."""
    locale = locale_of(language)
    english = locale_of("en")
    if locale is None or english is None:
        return None
    try:
        return Stemmer.Stemmer((locale.get_display_name(english) or "").lower())
    except KeyError:
        return None


def _spelled(word: str) -> str:
    """Returns a word without diacritics, in one of its spellings."""
    if not word.isascii():
        parts = unicodedata.normalize("NFD", word)
        word = "".join(sign for sign in parts if not unicodedata.combining(sign))
    for pattern, common in _SPELLINGS:
        word = pattern.sub(common, word)
    return word


def _stem(word: str) -> str:
    """Takes off one ending of inflection, and what it did to the letters before."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LETTERS_MIN:
            stem = word.removesuffix(ending)
            if ending in {"ies", "ied"}:
                return stem + "y"
            if len(stem) > LETTERS_MIN and stem[-1] == stem[-2] and ending in {"ing", "ed"}:
                return stem[:-1]
            return stem.removesuffix("e") if len(stem) > LETTERS_MIN else stem
    return word


def _first_difference(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))
