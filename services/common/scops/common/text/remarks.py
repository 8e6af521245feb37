"""What is told beside passages and answers: a code with arguments, and the sentence in English.

The sentence is made of the code and its arguments and of nothing else, so that a page can say the
same in the language of its reader. A code that goes out means the same for good.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from scops.common.contract.messages.types import Remark, RemarkArgument


class RemarkCode(StrEnum):
    """Why there are fewer passages than asked for, no answer, or this rank."""

    SCOPES_DELETED = "scopes_deleted"
    REPLY_FULL = "reply_full"
    SEARCH_INTERRUPTED = "search_interrupted"
    OTHERS_SCORE_LESS = "others_score_less"
    ALL_SCORE_LESS = "all_score_less"
    OTHERS_LESS_ALIKE = "others_less_alike"
    ALL_LESS_ALIKE = "all_less_alike"
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
    RANKS_FIRST = "ranks_first"
    RANKS_BETWEEN = "ranks_between"
    RANKS_LAST = "ranks_last"
    RANKS_ALONE = "ranks_alone"
    RELEVANT = "relevant"
    CALIBRATED = "calibrated"
    RANK_WITHOUT = "rank_without"
    UNSHOWN_WITHOUT = "unshown_without"
    RANK_IF_FRESH = "rank_if_fresh"
    RANK_IF_PREFERRED = "rank_if_preferred"
    RANK_IF_TIMELY = "rank_if_timely"


# What a part of a score is called, and what a passage has more of that is ahead by it.
PARTS: Mapping[str, tuple[str, str]] = {
    "prior": ("the prior", "nothing but the prior"),
    "vector": ("closeness of meaning", "a meaning closer to the question"),
    "bm25": ("the question's words", "more of the question's words"),
    "bm25_margin": ("rare words", "words of the question that few others hold"),
    "sentence": ("its best sentence", "a sentence closer to the question"),
    "time": ("the time asked for", "a better fit to the time asked for"),
    "page": ("what its page is about", "a page closer to the question"),
    "length": ("its length", "more room for an answer"),
    "graph": ("links", "closer links to what the question names"),
    "scope": ("the preference for scopes", "a preferred scope"),
    "fresh": ("freshness", "a more recent text"),
    "rerank": ("the reranker", "the preference of the model that reads both"),
}
# An argument that names one part, and those that name some that are ahead, with commas.
PART_ARGUMENT, AHEAD_ARGUMENTS = "part", ("behind_by", "ahead_by")
NOTHING_AHEAD = "next to nothing"
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
    RemarkCode.OTHERS_LESS_ALIKE: _ONLY
    + "{unlike} more were found, but are less like the question than {likeness_min}.",
    RemarkCode.ALL_LESS_ALIKE: _ONLY
    + "{unlike} were found and ranked, but are less like the question than {likeness_min}.",
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
    RemarkCode.RANKS_FIRST: "Ranks {rank}: it is ahead of rank {below} by {ahead_by}.",
    RemarkCode.RANKS_BETWEEN: "Ranks {rank}: rank {above} is ahead of it by {behind_by}, and it is "
    "ahead of rank {below} by {ahead_by}.",
    RemarkCode.RANKS_LAST: "Ranks {rank}, the last here: rank {above} is ahead of it by "
    "{behind_by}.",
    RemarkCode.RANKS_ALONE: "Ranks {rank}: it is the only passage here.",
    RemarkCode.RELEVANT: "It is relevant with a probability of {percent} %.",
    RemarkCode.CALIBRATED: "Probabilities are calibrated on {questions} judged questions of {sets} "
    "sets for {model}; a set of pages of your own may differ.",
    RemarkCode.RANK_WITHOUT: "Without {part} it would rank {rank}.",
    RemarkCode.UNSHOWN_WITHOUT: "Without {part} it would not be among the first {among}.",
    RemarkCode.RANK_IF_FRESH: "Were its text of today, it would rank {rank}.",
    RemarkCode.RANK_IF_PREFERRED: "Were its scope preferred, it would rank {rank}.",
    RemarkCode.RANK_IF_TIMELY: "Did it speak of the time asked for, it would rank {rank}.",
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
    arguments = {argument.name: _in_words(argument) for argument in told.arguments}
    return SENTENCES[RemarkCode(told.code)].format_map(arguments)


def _in_words(argument: RemarkArgument) -> str:
    """Returns what an argument is called in English; what is no part of a score stays as it is."""
    if argument.name == PART_ARGUMENT:
        return PARTS[argument.value][0] if argument.value in PARTS else argument.value
    if argument.name not in AHEAD_ARGUMENTS:
        return argument.value
    parts = [part for part in argument.value.split(",") if part]
    named = (PARTS[part][1] if part in PARTS else part for part in parts)
    return " and ".join(named) or NOTHING_AHEAD


def sentences(told: Sequence[Remark]) -> str:
    """Returns some remarks in English, one after another; empty for none."""
    return " ".join(map(sentence, told))
