"""The phrases of a language as they are looked up."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from scops.retriever.time.languages.month_names import MONTHS
from scops.retriever.time.languages.tokens import Phrase, kinds, phrases
from scops.retriever.time.languages.words import WORDS

PAST = "past"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """What `TimeWords` says of a language, in pieces.

    Attributes:
        relations: the English words for each phrase; `past` where the year tells which.
        months: numbers by name.
        month_links: what may stand between a month and its year.
    """

    relations: Mapping[Phrase, frozenset[str]]
    months: Mapping[str, int]
    month_links: frozenset[Phrase]
    of: frozenset[Phrase]
    articles: frozenset[Phrase]
    day_endings: frozenset[Phrase]
    year_before: frozenset[Phrase]
    year_after: frozenset[Phrase]
    decade_before: frozenset[Phrase]
    decade_after: frozenset[Phrase]
    century: frozenset[Phrase]
    century_endings: frozenset[str]
    early: frozenset[Phrase]
    late: frozenset[Phrase]
    before_christ: frozenset[Phrase]
    function: frozenset[str]
    verbs: frozenset[str]
    nouns_have_capitals: bool
    plural_endings: tuple[str, ...]
    units: frozenset[str]


@cache
def grammar_of(language: str) -> Grammar:
    """Returns the grammar of one of the languages in `WORDS`."""
    row = WORDS[language]
    names = (entry.split("=") for entry in MONTHS[language].split())
    of, articles, years = phrases(row.of), phrases(row.articles), phrases(row.year_before)
    relations = kinds({**row.relations, PAST: row.past})
    single = frozenset(one[0] for one in {*relations, *articles} if len(one) == 1)
    return Grammar(
        relations=relations,
        months={name: int(number) for name, number in names},
        month_links=of | articles | years,
        of=of,
        articles=articles,
        day_endings=phrases(row.day_endings),
        year_before=years,
        year_after=phrases(row.year_after),
        decade_before=phrases(row.decade_before),
        decade_after=phrases(row.decade_after),
        century=phrases(row.century),
        century_endings=frozenset(one for (one,) in phrases(row.century_endings)),
        early=phrases(row.early),
        late=phrases(row.late),
        before_christ=phrases(row.before_christ),
        function=frozenset(row.function.split()) | single,
        verbs=frozenset(row.verbs.split()),
        nouns_have_capitals=row.nouns_have_capitals,
        plural_endings=tuple(one for (one,) in phrases(row.plural_endings)),
        units=frozenset(row.units.split()),
    )
