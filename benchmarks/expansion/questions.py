"""Questions about a linked site, each with the pages that answer it.

    python -m benchmarks.expansion.questions [DIR] [--questions N] [--half all] [--json]

DIR is the root folder of a site's HTML; without it the sites of `sites.PACKAGES` are asked about.
Prints a question a line: `kind` (`one` page answers, `two` are needed, `gone` and `foreign` have no
answer on the site), `form` (see `wordings`), `question`, `gold` (for each page that is needed, it
and those that say the same word for word), `sentences` (that answer it), `half`.

Questions are made of sentences inside sections: not of a heading, nor of the first sentence below
it, and none names all of what the heading or the title of the page says. A question is asked where
the site as a whole leads to its page: BM25 finds the page among the first five, and no other page
has a paragraph that says nearly the same. Where the page is taken off the site, or is another
site's, no paragraph of the site says nearly the same as the sentence or the question.

The same folder, number and seed give the same questions. Pages fall into a development and a
held-out half by their path, and a question with them.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice, product
from pathlib import Path

from benchmarks.expansion.sections import Section, SectionIndex, sections_of, stems_of
from benchmarks.expansion.sites import PACKAGES, Site, debian_site, read_site
from benchmarks.expansion.wordings import Wording, asks_of, copies, sentences_of, wordings_of
from benchmarks.shared.command import progress
from benchmarks.shared.splits import DEVELOPMENT, HELD_OUT, half_of_link, part_of

SEED = 7
HALVES = ("all", DEVELOPMENT, HELD_OUT)
KINDS = ("one", "two", "gone", "foreign")
# Of twenty questions, so many are of each kind.
SHARES = {"one": 12, "two": 4, "gone": 2, "foreign": 2}
SHARES_ALONE = {"one": 12, "two": 4, "gone": 4, "foreign": 0}
OF_TWENTY = 20
GONE_SHARE = 0.04
GONE_MIN = 2
PAGES_AMONG = 5
SECTIONS_LOOKED_AT = 30
SAID_SHARE = 0.8
QUESTION_SHARE = 0.99
SECTIONS_OF_PAGE = 5
BLOCKS_OF_SECTION = 12
MADE_OF_PAGE = 24
ASKED_OF_PAGE = 3
# No form has more of the questions than this share and a few.
FORM_SHARE_MAX = 0.2
FORM_COUNT_MIN = 3
NEIGHBOURS = 12


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a site.

    Attributes:
        kind: one of `KINDS`.
        form: of its wording; two, with a plus between them, where two pages are needed.
        question: as it is asked.
        gold: for each page that is needed, the paths of those that have the sentence; empty where
            the site has no answer.
        sentences: that answer it, one of each page; of an unanswerable one, those it was made of.
        half: of the page that it was made of.
    """

    kind: str
    form: str
    question: str
    gold: tuple[tuple[str, ...], ...]
    sentences: tuple[str, ...]
    half: str

    @property
    def answerable(self) -> bool:
        """Whether the site has the answer."""
        return bool(self.gold)

    def answered_by(self, paths: Iterable[str]) -> bool:
        """Returns whether these pages hold the answer; False of an unanswerable question."""
        seen = set(paths)
        return self.answerable and all(seen & set(pages) for pages in self.gold)


@dataclass(frozen=True, slots=True)
class Made:
    """A question of one page, before it is known what it is used for."""

    path: str
    wording: Wording
    sentence: str


class QuestionMaker:
    """Makes questions about one site.

    Args:
        site: that is asked about.
        seed: another one gives other questions.
    """

    def __init__(self, site: Site, *, seed: int = SEED) -> None:
        self.site = site
        self._seed = seed
        self._sections = {path: sections_of(body, path) for path, body in site.pages.items()}
        self._made: dict[str, list[Made]] = {}

    @cached_property
    def reached(self) -> frozenset[str]:
        """The pages that links lead to from the start."""
        return frozenset(self.site.graph.steps_from(self.site.start))

    @cached_property
    def gone(self) -> frozenset[str]:
        """The pages that are taken off the site; all others are reached without them."""
        ordered = sorted(self.reached - {self.site.start}, key=lambda one: part_of(one, 1 << 64))
        wanted = max(GONE_MIN, round(GONE_SHARE * len(ordered)))
        chosen: set[str] = set()
        for path in islice((one for one in ordered if self._sections[one]), 2 * wanted):
            left = self.site.graph.without({*chosen, path}).steps_from(self.site.start)
            if len(chosen) < wanted and len(left) == len(self.reached) - len(chosen) - 1:
                chosen.add(path)
        return frozenset(chosen)

    @cached_property
    def index(self) -> SectionIndex:
        """The sections of all pages, those that are taken off the site included."""
        return SectionIndex(self._sections)

    @cached_property
    def served(self) -> SectionIndex:
        """The sections of the pages that stay on the site."""
        kept = {path: of for path, of in self._sections.items() if path not in self.gone}
        return SectionIndex(kept)

    def questions(
        self, count: int, *, half: str = "all", others: Sequence["QuestionMaker"] = ()
    ) -> list[Question]:
        """Returns questions of all kinds, in random order.

        Args:
            count: of questions; fewer where the site does not give so many.
            half: of the pages that are asked about, one of `HALVES`.
            others: makers of other sites; without one, no question is foreign.
        """
        shares = SHARES if others else SHARES_ALONE
        wanted = {kind: round(count * share / OF_TWENTY) for kind, share in shares.items()}
        wanted["one"] = count - sum(wanted[kind] for kind in KINDS if kind != "one")
        sources = {
            "gone": self._gone(half),
            "foreign": self._foreign(half, others),
            "one": self._one(half),
            "two": self._two(half),
        }
        found = [one for kind in KINDS for one in islice(sources[kind], wanted[kind])]
        random.Random(self._seed).shuffle(found)
        return found

    def made_of(self, path: str) -> list[Made]:
        """Returns what sentences of a page ask, a few of them, in random order."""
        if path not in self._made:
            chance = random.Random(f"{self._seed} {path}")
            self._made[path] = list(islice(self._candidates(path, chance), MADE_OF_PAGE))
        return self._made[path]

    def is_asked(self, made: Made) -> bool:
        """Returns whether the whole site leads from a question to its page, and to no other."""
        return self._is_found(made, self.served) and not self._is_said(
            made, self.served, but=self.served.pages_with(made.sentence), share=QUESTION_SHARE
        )

    def lacks(self, made: Made) -> bool:
        """Returns whether nothing on the site says what a question was made of, or asks."""
        return not self._is_said(made, self.served, share=SAID_SHARE)

    def _candidates(self, path: str, chance: random.Random) -> Iterator[Made]:
        sections = list(self._sections[path])
        chance.shuffle(sections)
        for section in sections[:SECTIONS_OF_PAGE]:
            first, *others = sentences_of(section.blocks[:BLOCKS_OF_SECTION])
            for sentence in filter(asks_of, others):
                for wording in wordings_of(sentence, rarity=self.index.rarity, chance=chance):
                    if not copies(wording.text, first.text) and not _names(wording.text, section):
                        yield Made(path, wording, sentence.text.strip())

    def _one(self, half: str) -> Iterator[Question]:
        for made in self._spread(self.reached - self.gone, half, self.is_asked):
            gold = tuple(self.served.pages_with(made.sentence))
            yield _question("one", (made,), (gold,))

    def _two(self, half: str) -> Iterator[Question]:
        for first in self._spread(self.reached - self.gone, half, self.is_asked, order="two"):
            second = self._beside(first, half)
            if second is not None:
                pair = (first, second)
                gold = tuple(tuple(self.served.pages_with(one.sentence)) for one in pair)
                yield _question("two", pair, gold)

    def _gone(self, half: str) -> Iterator[Question]:
        for made in self._spread(self.gone, half, self._is_missed):
            yield _question("gone", (made,), ())

    def _foreign(self, half: str, others: Sequence["QuestionMaker"]) -> Iterator[Question]:
        for other in others:
            for made in other._spread(other.reached - other.gone, half, other.is_asked):
                if self.lacks(made):
                    yield _question("foreign", (made,), ())

    def _spread(
        self, pages: Iterable[str], half: str, suits: Callable[[Made], bool], order: str = ""
    ) -> Iterator[Made]:
        """Yields one of each page, then a second of each, and prefers forms that are rare yet."""
        used: Counter[str] = Counter()
        asked: set[str] = set()
        for _, path in product(range(ASKED_OF_PAGE), _of_half(pages, half, f"{self._seed}{order}")):
            by_form = sorted(self.made_of(path), key=lambda one: used[one.wording.form])
            for made in by_form:
                form = made.wording.form
                often = used[form] > FORM_COUNT_MIN + FORM_SHARE_MAX * used.total()
                if not often and made.sentence not in asked and suits(made):
                    used[form] += 1
                    asked.add(made.sentence)
                    yield made
                    break

    def _is_missed(self, made: Made) -> bool:
        return self._is_found(made, self.index) and self.lacks(made)

    def _beside(self, first: Made, half: str) -> Made | None:
        """Returns a question of a page that the first one's links to, about some same thing."""
        if first.wording.form == "keywords":
            return None
        about = stems_of(first.wording.text)
        targets = set(self.site.graph.targets[first.path]) - self.gone - {first.path}
        pages = _of_half(targets, half, str(self._seed))
        for made in (one for path in pages[:NEIGHBOURS] for one in self.made_of(path)):
            suits = made.wording.form != "keywords" and about & stems_of(made.wording.text)
            if (
                suits
                and self.is_asked(made)
                and first.path not in self.served.pages_with(made.sentence)
            ):
                return made
        return None

    def _is_found(self, made: Made, index: SectionIndex) -> bool:
        best = index.best(made.wording.text, limit=SECTIONS_LOOKED_AT)
        pages = list(dict.fromkeys(section.path for section in best))[:PAGES_AMONG]
        return made.path in pages

    def _is_said(
        self, made: Made, index: SectionIndex, *, share: float, but: Iterable[str] = ()
    ) -> bool:
        left_out = frozenset(but)
        return index.nearly_said(
            made.sentence, share=SAID_SHARE, but=left_out
        ) or index.nearly_said(made.wording.text, share=share, but=left_out)


def makers_of(data: Path | None, *, seed: int = SEED) -> list[QuestionMaker]:
    """Returns a maker for the site of a folder, or for each default site where none is named."""
    sites = [read_site(data)] if data else [debian_site(package) for package in PACKAGES]
    return [QuestionMaker(site, seed=seed) for site in sites]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, nargs="?", help="root folder of a site's HTML")
    parser.add_argument("--questions", type=int, default=60, help="of each site")
    parser.add_argument("--half", choices=HALVES, default="all")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    makers = makers_of(options.data, seed=options.seed)
    for maker in makers:
        others = [one for one in makers if one is not maker]
        asked = maker.questions(options.questions, half=options.half, others=others)
        for question in asked:
            print(json.dumps({"site": maker.site.name, **asdict(question)}, ensure_ascii=False))
        if len(asked) < options.questions:
            progress(f"{maker.site.name}: {len(asked)} questions; its pages give no more")


def _question(kind: str, made: Sequence[Made], gold: tuple[tuple[str, ...], ...]) -> Question:
    return Question(
        kind=kind,
        form="+".join(one.wording.form for one in made),
        question=" And ".join(
            one.wording.text if not number else _lowered(one.wording.text)
            for number, one in enumerate(made)
        ),
        gold=gold,
        sentences=tuple(one.sentence for one in made),
        half=half_of_link(made[0].path),
    )


def _lowered(text: str) -> str:
    return text if text.startswith("I ") else text[0].lower() + text[1:]


def _of_half(pages: Iterable[str], half: str, seed: str) -> list[str]:
    """Returns the pages of a half, in random order."""
    ordered = sorted(path for path in pages if half in ("all", half_of_link(path)))
    random.Random(seed).shuffle(ordered)
    return ordered


def _names(question: str, section: Section) -> bool:
    """Returns whether a question says all that a heading above its sentence says."""
    asked = stems_of(question)
    titles = (stems_of(title) for title in (section.title, section.page_title))
    return any(title and title <= asked for title in titles)


if __name__ == "__main__":
    main()
