"""What is told beside passages and answers: a code with arguments, and the sentence in English.

The sentence is made of the code and its arguments and of nothing else, so that a page can say the
same in the language of its reader. A code that goes out means the same for good.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from scops.common.contract.messages.types import Remark, RemarkArgument


class RemarkCode(StrEnum):
    """Why there are fewer passages than asked for, or no answer."""

    SCOPES_DELETED = "scopes_deleted"
    REPLY_FULL = "reply_full"
    SEARCH_INTERRUPTED = "search_interrupted"
    OTHERS_SCORE_LESS = "others_score_less"
    ALL_SCORE_LESS = "all_score_less"
    FEW_INSIDE = "few_inside"
    PAGES_FULL = "pages_full"
    OTHERS_SAY_THE_SAME = "others_say_the_same"
    OTHERS_SAID_THE_SAME = "others_said_the_same"
    NO_MORE = "no_more"
    NO_MORE_THEN = "no_more_then"
    NOTHING_INDEXED = "nothing_indexed"
    NOTHING_INDEXED_THEN = "nothing_indexed_then"
    WORDS_MISSING = "words_missing"
    UNSUPPORTED = "unsupported"
    NEAREST = "nearest"
    NEAREST_LACKS = "nearest_lacks"
    MODEL_BROKE_OFF = "model_broke_off"
    NO_SCOPE = "no_scope"
    SCOPES_CHANGED = "scopes_changed"


_ONLY = "Only {returned} of {limit} passages: "
SENTENCES: Mapping[RemarkCode, str] = {
    RemarkCode.SCOPES_DELETED: "The scopes asked for have been deleted.",
    RemarkCode.REPLY_FULL: _ONLY + "more would not fit in one reply; ask for fewer.",
    RemarkCode.SEARCH_INTERRUPTED: _ONLY
    + "the index did not answer every search; ask again for more.",
    RemarkCode.OTHERS_SCORE_LESS: _ONLY
    + "{below} more were found, but score less than {min_score}.",
    RemarkCode.ALL_SCORE_LESS: _ONLY
    + "{below} were found and ranked, but score less than {min_score}.",
    RemarkCode.FEW_INSIDE: _ONLY + "the closest matches near these scopes were looked through and "
    "few lie inside; rules with a longer literal path search better.",
    RemarkCode.PAGES_FULL: _ONLY
    + "{left} more lie on pages that have {page_passages_max} passages here already.",
    RemarkCode.OTHERS_SAY_THE_SAME: _ONLY
    + "the others found say the same, or are joined to these.",
    RemarkCode.OTHERS_SAID_THE_SAME: _ONLY
    + "the others found say the same, or are joined to these as of that instant.",
    RemarkCode.NO_MORE: _ONLY + "these scopes hold no more.",
    RemarkCode.NO_MORE_THEN: _ONLY + "these scopes hold no more as of that instant.",
    RemarkCode.NOTHING_INDEXED: "Nothing is indexed in these scopes; crawl them first, or widen "
    "their rules.",
    RemarkCode.NOTHING_INDEXED_THEN: "Nothing is indexed in these scopes as of that instant; crawl "
    "them first, or widen their rules.",
    RemarkCode.WORDS_MISSING: "Not answered in these scopes: nothing found names {words}.",
    RemarkCode.UNSUPPORTED: "Not answered in these scopes: no sentence found supports an answer.",
    RemarkCode.NEAREST: "Nearest: {place}.",
    RemarkCode.NEAREST_LACKS: "Nearest: {place}, which lacks {words}.",
    RemarkCode.MODEL_BROKE_OFF: "The model's answer broke off; what it had finished is shown.",
    RemarkCode.NO_SCOPE: "There is no scope that you may see yet; create one and crawl it.",
    RemarkCode.SCOPES_CHANGED: "Scopes or rules changed meanwhile; ask again.",
}


def remark(code: RemarkCode, **arguments: object) -> Remark:
    """Returns a remark; arguments are told as they are written."""
    told = (RemarkArgument(name=name, value=str(value)) for name, value in arguments.items())
    return Remark(code=code.value, arguments=tuple(told))


def sentence(told: Remark) -> str:
    """Returns a remark in English.

    Raises:
        ValueError: no such code is known here.
        KeyError: an argument is missing.
    """
    arguments = {argument.name: argument.value for argument in told.arguments}
    return SENTENCES[RemarkCode(told.code)].format_map(arguments)


def sentences(told: Sequence[Remark]) -> str:
    """Returns some remarks in English, one after another; empty for none."""
    return " ".join(map(sentence, told))
