"""What a text mentions, by rules: identifiers, acronyms, versions, names in capitals, noun phrases.

No model. A mention is a run of letters that writers mark as a name, or some plain words side by
side that the text makes its subject. Names need no language; noun phrases are English, and in
other languages merely fewer.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from scops.common.processes.compute import Compute, compute_at_once, compute_in_batches
from scops.common.text.terms import STOP_WORDS
from scops.libraries.mentions.keys import key_of, keys_of
from scops.libraries.mentions.port import Mentions

EXTRACTOR_ID = "rules/2"
# dotted.names, snake_case, CamelCase, versions and error codes; ACRONYMS. Bounded, because a run of
# letters without an end is no name and costs its length squared.
IDENTIFIER = re.compile(
    r"\b(?:[^\W_]{1,40}(?:[._][^\W_]{1,40}){1,8}"
    r"|[a-z]{1,40}[A-Z]\w{0,40}"
    r"|[A-Z]\w{0,40}[a-z]\w{0,40}[A-Z]\w{0,40}"
    r"|(?=\w{0,40}\d)(?=\w{0,40}[A-Za-z])\w{3,40}"
    r"|[A-Z]{2,40}s?)\b"
)
# Words in capitals next to each other, with what may stand between the parts of a name.
WORD = r"[^\W\d_a-z][\w'’-]{0,40}"
NAME = re.compile(rf"\b{WORD}(?:\s+(?:(?:of|de|von|van|the)\s+)?{WORD}){{1,6}}")
# A single word in capitals is a name where no sentence begins with it.
SINGLE = re.compile(r"(?<=[\w,;)] )[^\W\d_a-z]\w{2,}")
EXPANDED = re.compile(r"((?:[A-Z][\w-]{0,40}\s+){1,6}[A-Z][\w-]{0,40})\s*\(([A-Z]{2,})s?\)")
# What stands before a noun phrase; a verb seldom follows one of these at once.
LEADS = frozenset(
    """
    a about an any as between by each every for from her his in into its no of on our some that
    the their these this those with your
    """.split()  # noqa: SIM905 (a list of words reads best as words)
)
PLAIN_WORD = re.compile(r"[^\W\d_]{2,40}(?:-[^\W\d_]{1,40})*")
MEANINGLESS = STOP_WORDS | LEADS
CLAUSE = re.compile(r"[^\w\s'’-]+|\s[-–—]+\s|\n+")
PHRASE_WORDS = (2, 3)
PHRASES_MAX = 8


class RuleExtractor:
    """Implements the mention extractor port by rules.

    Args:
        compute: where texts are read that take long.
    """

    def __init__(self, compute: Compute = compute_at_once) -> None:
        self._compute = compute

    @property
    def extractor_id(self) -> str:
        return EXTRACTOR_ID

    async def read(self, texts: Sequence[str]) -> list[Mentions]:
        return await compute_in_batches(self._compute, read_all_by_rules, texts, characters=len)

    async def close(self) -> None:
        """There is nothing to stop."""


def read_all_by_rules(texts: list[str]) -> list[Mentions]:
    """Returns what texts mention, in their order."""
    return [read_by_rules(text) for text in texts]


def read_by_rules(text: str) -> Mentions:
    """Returns what a text mentions: names first, then noun phrases."""
    return Mentions(keys_of((*names(text), *noun_phrases(text))), EXTRACTOR_ID)


def names(text: str) -> Iterator[str]:
    """Yields identifiers, acronyms, versions and names in capitals, and what acronyms stand for."""
    yield from expansions(text).values()
    # A word of a longer name is no mention of its own.
    for pattern, read in ((IDENTIFIER, text), (NAME, text), (SINGLE, NAME.sub("-", text))):
        for match in pattern.finditer(read):
            yield match.group()


def expansions(text: str) -> dict[str, str]:
    """Returns what acronyms stand for where a text says it, as in "Foreign Data Wrapper (FDW)"."""
    result = {}
    for match in EXPANDED.finditer(text):
        words, letters = match.group(1).split(), match.group(2)
        meant = words[-len(letters) :]
        if "".join(word[0] for word in meant).upper() == letters:
            result[letters.casefold()] = key_of(" ".join(meant))
    return result


def noun_phrases(text: str) -> list[str]:
    """Returns plain words side by side that a text says most often, at most `PHRASES_MAX`.

    A phrase begins after a determiner or a preposition and ends before the next word that carries
    no meaning of its own, and its words are not names. Plurals count as their singular.
    """
    counts = Counter(phrase for clause in CLAUSE.split(text) for phrase in _phrases_of(clause))
    # The first of equally frequent ones: what is said early is what the text is about.
    return [phrase for phrase, _ in counts.most_common(PHRASES_MAX)]


def _phrases_of(clause: str) -> Iterator[str]:
    run: list[str] = []
    led = False
    for word in (*clause.split(), ""):
        plain = word.casefold()
        if PLAIN_WORD.fullmatch(word) and word == plain and plain not in MEANINGLESS:
            run.append(word)
            continue
        if led and PHRASE_WORDS[0] <= len(run) <= PHRASE_WORDS[1]:
            yield " ".join((*run[:-1], _singular(run[-1])))
        run, led = [], plain in LEADS


def _singular(word: str) -> str:
    """Returns a noun without the commonest English plural endings."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word
