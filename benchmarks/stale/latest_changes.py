"""Questions about what changed lately, of matters that several pages speak of.

Each names two words that paragraphs of some pages hold together; the goal is what holds them on
the page that changed last. They are made so that nothing but age tells the goal from the others.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from benchmarks.stale.page_histories import WORD, DatedParagraph

PAGES_MIN, PAGES_MAX = 3, 6
WORDS_PER_PARAGRAPH = 12
# Of one set of pages a question is enough.
QUESTIONS_PER_PAGES = 2


@dataclass(frozen=True, slots=True)
class LatestQuestion:
    """A question, its goals, and all paragraphs that are of its matter; ids."""

    text: str
    gold: frozenset[str]
    matter: frozenset[str]


def page_ages(dated: Sequence[DatedParagraph]) -> dict[str, datetime]:
    """Returns when each page's standing text was made: what the retriever knows of its age."""
    latest: dict[str, datetime] = {}
    for entry in dated:
        latest[entry.page] = max(latest.get(entry.page, entry.since), entry.since)
    return latest


def latest_questions(dated: Sequence[DatedParagraph]) -> list[LatestQuestion]:
    """Returns the questions that the standing paragraphs give, in order of their words."""
    standing = [entry for entry in dated if entry.current]
    pages_of = _pages_by_word(standing)
    held: dict[tuple[str, str], list[DatedParagraph]] = defaultdict(list)
    for entry in standing:
        rare = sorted(
            {word for word in _words(entry) if PAGES_MIN <= len(pages_of[word]) <= PAGES_MAX},
            key=lambda word: (len(pages_of[word]), word),
        )
        for pair in combinations(sorted(rare[:WORDS_PER_PARAGRAPH]), 2):
            held[pair].append(entry)
    return list(_chosen(held, page_ages(dated)))


def _pages_by_word(standing: Sequence[DatedParagraph]) -> dict[str, set[str]]:
    pages: dict[str, set[str]] = defaultdict(set)
    for entry in standing:
        for word in _words(entry):
            pages[word].add(entry.page)
    return pages


def _chosen(
    held: Mapping[tuple[str, str], Sequence[DatedParagraph]], latest: Mapping[str, datetime]
) -> Iterator[LatestQuestion]:
    asked: Counter[frozenset[str]] = Counter()
    for pair in sorted(held):
        pages = frozenset(entry.page for entry in held[pair])
        newest = sorted((latest[page] for page in pages), reverse=True)
        if not PAGES_MIN <= len(pages) <= PAGES_MAX or newest[0] == newest[1]:
            continue
        asked[pages] += 1
        if asked[pages] > QUESTIONS_PER_PAGES:
            continue
        yield LatestQuestion(
            f"What has changed lately about {pair[0]} and {pair[1]}?",
            frozenset(entry.id for entry in held[pair] if latest[entry.page] == newest[0]),
            frozenset(entry.id for entry in held[pair]),
        )


def _words(entry: DatedParagraph) -> frozenset[str]:
    return frozenset(WORD.findall(entry.text.lower()))
