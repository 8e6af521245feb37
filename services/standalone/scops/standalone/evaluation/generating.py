"""Makes questions of the pages of a scope, and leaves out those that give themselves away.

A question is left out where
    leaks_answer     it has a word of its answer,
    leaks_title      it has a word of the title of its page: the title would be found, not the text,
    ambiguous        another sentence has all the words that it asks by,
    duplicate        it, or its sentence, was asked already.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import zip_longest

from scops.client import Scops
from scops.client.errors import NotFound
from scops.common.text.sentences import sentence_spans
from scops.common.text.terms import content_terms, word_count
from scops.standalone.evaluation.questions import Record
from scops.standalone.evaluation.templates import ANY_LANGUAGE, ENGLISH, TemplateQuestion

LISTED_MAX = 20_000
CHARACTERS_OF_PAGE = 80_000
SENTENCES_OF_PAGE = 400
SENTENCE_WORDS = range(7, 46)
ENDS = (".", "。", "!", "！", "।")
ENGLISH_LANGUAGE = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPage:
    """A page that questions are made of."""

    uri: str
    title: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class PageSentence:
    """A sentence, the page that it stands on, and the stems of its words."""

    page: AskedPage
    text: str
    stems: frozenset[str]


@dataclass(slots=True)
class MadeQuestions:
    """Questions as lines of a file, and how many were left out for what."""

    records: list[Record] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def forms(self) -> Mapping[str, int]:
        """How many there are of each template."""
        return Counter(str(record["form"]) for record in self.records)


def pages_of(
    client: Scops, scope: str, *, count: int, chance: random.Random
) -> Iterator[AskedPage]:
    """Yields pages of a scope with what they say now, drawn at random.

    Raises:
        ScopsError: the scope cannot be read.
    """
    listed = [
        page.uri for page, _ in zip(client.list_pages(scope), range(LISTED_MAX), strict=False)
    ]
    for uri in chance.sample(listed, min(count, len(listed))):
        try:
            said = client.read_page(uri, characters=CHARACTERS_OF_PAGE)
        except NotFound:
            # It is known, and has no text yet, or none any more.
            continue
        yield AskedPage(uri=uri, title=said.title, language=said.language, text=said.text)


class QuestionTemplates:
    """Makes questions of pages.

    Args:
        pages: of the scope that will be asked.
        chance: draws sentences.
    """

    def __init__(self, pages: Sequence[AskedPage], chance: random.Random) -> None:
        self._chance = chance
        self._sentences = [one for page in pages for one in sentences_of(page)]
        self._with_stem: dict[str, set[int]] = defaultdict(set)
        for place, sentence in enumerate(self._sentences):
            for term in sentence.stems:
                self._with_stem[term].add(place)

    def made(self, count: int, *, of_page: int) -> MadeQuestions:
        """Returns questions that the pages answer, of all templates in turn.

        Args:
            count: at most so many.
            of_page: at most so many of one page.
        """
        return self._chosen(self._sentences, count, of_page, answerable=True)

    def foreign(self, pages: Sequence[AskedPage], count: int, *, of_page: int) -> MadeQuestions:
        """Returns questions of other pages, that no sentence of these has the words of."""
        sentences = [one for page in pages for one in sentences_of(page)]
        return self._chosen(sentences, count, of_page, answerable=False)

    def _chosen(
        self, sentences: Sequence[PageSentence], count: int, of_page: int, *, answerable: bool
    ) -> MadeQuestions:
        made, asked, pages = MadeQuestions(), set[str](), Counter[str]()
        drawn = self._chance.sample(sentences, len(sentences))
        for sentence, question in _in_turn(self._questions(one) for one in drawn):
            if len(made.records) >= count:
                break
            if pages[sentence.page.uri] >= of_page:
                continue
            fault = self._fault(sentence, question, answerable=answerable)
            words = {question.text.casefold(), sentence.text.casefold()}
            fault = fault or ("duplicate" if words & asked else "")
            if fault:
                made.left_out[fault] += 1
                continue
            asked |= words
            pages[sentence.page.uri] += 1
            number = len(made.records) + 1
            made.records.append(_record(sentence, question, number, answerable=answerable))
        return made

    def _questions(self, sentence: PageSentence) -> Iterator[tuple[PageSentence, TemplateQuestion]]:
        known = content_terms(sentence.page.title)
        english = sentence.page.language.partition("-")[0] == ENGLISH_LANGUAGE
        for template in [*(ENGLISH.values() if english else ()), *ANY_LANGUAGE.values()]:
            for question in template(sentence.text, known, self._rarity):
                yield sentence, question

    def _rarity(self, term: str) -> int:
        return len(self._with_stem.get(term, ()))

    def _fault(
        self, sentence: PageSentence, question: TemplateQuestion, *, answerable: bool
    ) -> str:
        """Returns why a question is left out; empty where it is good."""
        said = content_terms(question.text)
        if question.answers and said & content_terms(question.answers[0]):
            return "leaks_answer"
        if said & content_terms(sentence.page.title):
            return "leaks_title"
        places = [self._with_stem.get(term, set()) for term in question.asked]
        holding = reduce(lambda left, right: left & right, places) if places else set()
        if len({self._sentences[place].text for place in holding}) > int(answerable):
            return "ambiguous"
        return ""


def _in_turn(
    made: Iterable[Iterator[tuple[PageSentence, TemplateQuestion]]],
) -> Iterator[tuple[PageSentence, TemplateQuestion]]:
    """Yields questions of one template after the other, so that none has most of them."""
    by_form: dict[str, list[tuple[PageSentence, TemplateQuestion]]] = defaultdict(list)
    for questions in made:
        for sentence, question in questions:
            by_form[question.form].append((sentence, question))
    for turn in zip_longest(*(by_form[form] for form in (*ENGLISH, *ANY_LANGUAGE))):
        yield from (one for one in turn if one is not None)


def sentences_of(page: AskedPage) -> Iterator[PageSentence]:
    """Yields the whole sentences of a page, each once."""
    known: set[str] = set()
    for block in page.text.splitlines():
        for start, end in sentence_spans(block, page.language):
            text = " ".join(block[start:end].split())
            if len(known) >= SENTENCES_OF_PAGE:
                return
            if text in known or not text.endswith(ENDS) or word_count(text) not in SENTENCE_WORDS:
                continue
            known.add(text)
            yield PageSentence(page, text, content_terms(text))


def _record(
    sentence: PageSentence, question: TemplateQuestion, number: int, *, answerable: bool
) -> Record:
    asked: dict[str, object] = {"question": question.text, "form": question.form}
    if not answerable:
        return {"id": f"foreign-{number}", **asked, "answerable": False}
    held = {"support": [sentence.text], "pages": [sentence.page.uri]}
    answers = {"answers": list(question.answers)} if question.answers else {}
    return {"id": f"{question.form}-{number}", **asked, **answers, **held}
