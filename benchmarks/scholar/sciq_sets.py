"""Questions of SciQ's form: an answer, three wrong ones that are near, a sentence that shows it.

Half of them people asked (folders of paragraphs and questions), half are made of the paragraphs by
the templates of `scops evaluate generate`. Wrong answers are right ones of other questions, of the
same kind, and of the same page where it has enough. Left out is what would give itself away:

    leaks_answer     the question has a word of its answer,
    long             the answer has more words than those of SciQ,
    few_distractors  there are not three answers that are near and wrong,

and of what is generated also what `QuestionTemplates` leaves out.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import zip_longest
from pathlib import Path

from benchmarks.answers.sets import html_page
from benchmarks.languages.folders import PARAGRAPHS, folder_names, needed_file
from benchmarks.reader.sets import ReadingQuestion, ReadingSet, read_set
from benchmarks.shared.json_lines import json_lines
from benchmarks.shared.system.html_pages import PREFIX
from scops.common.text.terms import content_terms, word_count
from scops.standalone.evaluation.generating import AskedPage, QuestionTemplates
from scops.standalone.evaluation.matching import normalised

PEOPLE, GENERATED = "people", "generated"
ENGLISH = "en"
SEED = 0
DISTRACTORS = 3
ANSWER_WORDS_MAX = 6
# Of one paragraph; and made for each that is wanted, since many have no short answer.
OF_PARAGRAPH = 2
MADE_FACTOR = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SciqQuestion:
    """A question with what an answer is held against.

    Attributes:
        scope: whose pages are asked: the name of the set.
        page: that it is of; questions of one page are not independent.
        kind: `people` or `generated`.
        answers: each of them right.
        distractors: wrong ones that are near, `DISTRACTORS` of them.
        support: a sentence that shows the answer.
    """

    scope: str
    page: str
    kind: str
    text: str
    answers: tuple[str, ...]
    distractors: tuple[str, ...]
    support: str


@dataclass(slots=True)
class SciqSet:
    """What is asked, the pages that answer it, and what was left out of what was drawn.

    Attributes:
        pages: bodies by path; those of a set are under `PREFIX` and its name.
    """

    pages: dict[str, bytes] = field(default_factory=dict)
    questions: list[SciqQuestion] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def scopes(self) -> list[str]:
        """The names of the sets that are asked."""
        return sorted({one.scope for one in self.questions})


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftQuestion:
    """A question that has no wrong answers yet; `form` tells answers of one kind from others."""

    page: str
    form: str
    text: str
    answers: tuple[str, ...]
    support: str

    @property
    def sort(self) -> tuple[str, bool, bool]:
        """What a wrong answer must share: a number, or a word, is no distractor for a name."""
        answer = self.answers[0]
        return self.form, any(sign.isdigit() for sign in answer), answer[:1].isupper()


def read_sciq(data: Path, *, questions: int) -> SciqSet:
    """Returns questions of a folder of paragraphs, or of every English one in a folder of them.

    Args:
        questions: at most so many, as many of each set and kind as there are.

    Raises:
        FileNotFoundError: there are no paragraphs with questions.
    """
    made = SciqSet()
    drawn = []
    for folder in _folders(data):
        among = read_set(folder)
        made.pages |= _pages(folder.name, among)
        drawn.append(_chosen(folder.name, PEOPLE, _asked_by_people(among), made.left_out))
        drafts = _generated(among, questions, made.left_out)
        drawn.append(_chosen(folder.name, GENERATED, drafts, made.left_out))
    for turn in zip_longest(*drawn):
        made.questions += [one for one in turn if one is not None]
        if len(made.questions) >= questions:
            break
    del made.questions[questions:]
    return made


def distractors_of(
    question: DraftQuestion, others: Sequence[DraftQuestion], chance: random.Random
) -> tuple[str, ...]:
    """Returns wrong answers that are near: right ones of others, of the same page first."""
    same = [one for one in others if one.sort == question.sort]
    near = [one for one in same if one.page == question.page]
    far = [one for one in same if one.page != question.page]
    drawn = [*chance.sample(near, len(near)), *chance.sample(far, len(far))]
    asked, chosen = normalised(question.text), list[str]()
    for answer in (one.answers[0] for one in drawn):
        if len(chosen) == DISTRACTORS:
            break
        clear = not any(_alike(answer, taken) for taken in (*question.answers, *chosen))
        # A wrong answer that the question names would be ruled out by whoever reads it.
        if clear and normalised(answer) not in asked:
            chosen.append(answer)
    return tuple(chosen)


def _folders(data: Path) -> list[Path]:
    try:
        needed_file(data, PARAGRAPHS)
    except FileNotFoundError:
        found = [data / name for name in folder_names(data)]
        english = [one for one in found if _language(one) == ENGLISH]
        if not english:
            raise
        return english
    return [data]


def _language(folder: Path) -> str:
    first: dict[str, object] = next(json_lines(needed_file(folder, PARAGRAPHS)), {})
    return str(first.get("language", ""))


def _pages(scope: str, among: ReadingSet) -> dict[str, bytes]:
    """Returns a page a title, with its paragraphs in their order."""
    blocks: dict[str, list[str]] = {}
    for one in among.paragraphs.values():
        blocks.setdefault(one.title or one.id, []).append(f"<p>{escape(one.text)}</p>")
    return {
        f"{PREFIX}{scope}/{number}.html": html_page(title, paragraphs)
        for number, (title, paragraphs) in enumerate(blocks.items())
    }


def _asked_by_people(among: ReadingSet) -> list[DraftQuestion]:
    return [
        DraftQuestion(
            page=one.page,
            form=PEOPLE,
            text=one.text,
            answers=one.answers,
            support=_support(one, among),
        )
        for one in among.questions
        if one.answerable and one.answers
    ]


def _support(question: ReadingQuestion, among: ReadingSet) -> str:
    """Returns the sentence with the answer, else the whole paragraph."""
    text = among.paragraphs[question.paragraph_id].text
    for sentence in among.sentences[question.paragraph_id]:
        if any(sentence.meets(span) for span in question.spans):
            return text[sentence.start : sentence.end].strip()
    return text


def _generated(among: ReadingSet, wanted: int, left_out: Counter[str]) -> list[DraftQuestion]:
    pages = [
        AskedPage(uri=one.id, title=one.title, language=ENGLISH, text=one.text)
        for one in among.paragraphs.values()
    ]
    templates = QuestionTemplates(pages, random.Random(SEED))
    made = templates.made(MADE_FACTOR * wanted, of_page=OF_PARAGRAPH)
    left_out.update(made.left_out)
    titles = {one.id: one.title or one.id for one in among.paragraphs.values()}
    return [
        DraftQuestion(
            page=titles[record["pages"][0]],
            form=record["form"],
            text=record["question"],
            answers=tuple(record["answers"]),
            support=record["support"][0],
        )
        for record in made.records
        if "answers" in record
    ]


def _chosen(
    scope: str, kind: str, drafts: Sequence[DraftQuestion], left_out: Counter[str]
) -> Iterator[SciqQuestion]:
    """Yields what gives nothing away, drawn by chance, with its distractors."""
    chance = random.Random(SEED)
    short = [one for one in drafts if word_count(one.answers[0]) <= ANSWER_WORDS_MAX]
    for draft in chance.sample(drafts, len(drafts)):
        wrong = distractors_of(draft, short, chance)
        fault = _fault(draft, wrong)
        if fault:
            left_out[fault] += 1
            continue
        yield SciqQuestion(
            scope=scope,
            page=draft.page,
            kind=kind,
            text=draft.text,
            answers=draft.answers,
            distractors=wrong,
            support=draft.support,
        )


def _fault(draft: DraftQuestion, wrong: Sequence[str]) -> str:
    """Returns why a question is left out; empty where it is good."""
    if content_terms(draft.text) & content_terms(draft.answers[0]):
        return "leaks_answer"
    if word_count(draft.answers[0]) > ANSWER_WORDS_MAX:
        return "long"
    return "" if len(wrong) == DISTRACTORS else "few_distractors"


def _alike(left: str, right: str) -> bool:
    """Returns whether two answers may be the same thing: they share a word, or are equal."""
    return bool(content_terms(left) & content_terms(right)) or normalised(left) == normalised(right)
