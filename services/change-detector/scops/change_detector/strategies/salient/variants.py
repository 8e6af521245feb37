"""Which two words are one: written or bent otherwise, without saying anything else.

Only rules of spelling and inflection; two words that merely mean much the same are two.
"""

import unicodedata

import regex

LETTERS_MIN = 3
DOUBLED_LETTERS_MIN = 6
SWAPPED_LETTERS_MIN = 7

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
)
_ENDINGS = ("'s", "s'", "ingly", "edly", "ing", "ies", "ied", "es", "ed", "ly", "s", "d", "e")
_IRREGULAR = {
    form: forms.split()[0]
    for forms in (
        "be is are was were been being am",
        "have has had having",
        "do does did done doing",
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


def same_word(first: str, second: str) -> bool:
    """Returns whether two casefolded words are forms or spellings of one."""
    if first == second:
        return True
    if min(len(first), len(second)) < LETTERS_MIN:
        return _IRREGULAR.get(first, first) == _IRREGULAR.get(second, second)
    if _IRREGULAR.get(first, first) == _IRREGULAR.get(second, second):
        return True
    one, other = _spelled(first), _spelled(second)
    return one == other or _stem(one) == _stem(other) or _is_slip(one, other)


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


def _is_slip(first: str, second: str) -> bool:
    """A letter doubled or not, or two neighbours swapped, in a word too long to be another."""
    if abs(len(first) - len(second)) == 1:
        long, short = sorted((first, second), key=len, reverse=True)
        if len(short) < DOUBLED_LETTERS_MIN:
            return False
        at = _first_difference(long, short)
        return long[:at] + long[at + 1 :] == short and long[at] == long[at - 1]
    if len(first) != len(second) or len(first) < SWAPPED_LETTERS_MIN:
        return False
    at = _first_difference(first, second)
    swapped = first[:at] + first[at + 1 : at + 2] + first[at : at + 1] + first[at + 2 :]
    return at > 0 and swapped == second


def _first_difference(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))
