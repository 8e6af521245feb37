"""Questions made of pages by templates: what they ask, and which are left out."""

import random

import pytest

from scops.standalone.evaluation.generating import AskedPage, MadeQuestions, QuestionTemplates
from scops.standalone.evaluation.records import question_of

PRICES = "The Lake membership of a coastal station costs 55 euros and includes calibration."
FOUNDED = "Volunteers from Skagen assembled the earliest lighthouse archive in 1962 by hand."
ANEMOMETER = "An anemometer is a device with rotating cups that tells how fast air moves."


def page(text: str, *, title: str = "Handbook", language: str = "en", uri: str = "") -> AskedPage:
    return AskedPage(
        uri=uri or f"https://o.test/{title}", title=title, language=language, text=text
    )


def made(*pages: AskedPage, of_page: int = 5) -> MadeQuestions:
    return QuestionTemplates(pages, random.Random(1)).made(50, of_page=of_page)


@pytest.mark.parametrize(
    ("sentence", "form", "answers"),
    [
        (PRICES, "quantity", ["55", "55 euros"]),
        (FOUNDED, "year", ["1962"]),
        (ANEMOMETER, "definition", None),
        ("Reglas nuevas protegen nuestros pantanos contra residuos tóxicos.", "keywords", None),
    ],
)
def test_a_sentence_is_asked_by_its_template(
    sentence: str, form: str, answers: list[str] | None
) -> None:
    """With words of it, its page, and a short answer where one is known."""
    language = "es" if form == "keywords" else "en"
    asked = page(sentence, language=language)
    (record,) = made(asked).records
    question = question_of(record, number=1)

    assert (form, [sentence], [asked.uri]) == (record["form"], record["support"], record["pages"])
    if answers is not None:
        assert answers == record["answers"]
        assert answers[0] not in record["question"]
    assert question.answerable


def test_a_title_is_not_in_the_question() -> None:
    """What a definition is about may be the title; keywords are chosen beside it."""
    found = made(page(ANEMOMETER, title="Anemometer"))

    assert ["keywords"] == [record["form"] for record in found.records]
    assert "nemometer" not in str(found.records[0]["question"])
    assert 1 == found.left_out["leaks_title"]


def test_what_two_sentences_answer_is_no_question() -> None:
    """The same sentence on two pages is one; another with the same words is in doubt."""
    doubled = (
        f"{FOUNDED}\nBy hand the earliest lighthouse archive of 1975 Skagen volunteers assembled."
    )
    found = made(page(doubled))

    assert [] == [one for one in found.records if one["form"] == "year"]
    assert found.left_out["ambiguous"]


def test_a_sentence_is_asked_once_and_a_page_a_few_times() -> None:
    """Headings, fragments and what stands on a page again are nothing to ask."""
    text = f"Prices\n{PRICES}\n{PRICES}\nA fragment without an end\n{FOUNDED}\n{ANEMOMETER}"

    assert 3 == len(made(page(text)).records)
    assert 1 == len(made(page(text), of_page=1).records)


def test_the_same_draw_makes_the_same_questions() -> None:
    """A file can be made again."""
    pages = (page(f"{PRICES}\n{FOUNDED}\n{ANEMOMETER}"),)

    assert made(*pages).records == made(*pages).records


def test_foreign_questions_have_no_answer_here() -> None:
    """Nor is asked what these pages say as well."""
    own = QuestionTemplates([page(PRICES)], random.Random(1))
    other = page(f"{PRICES}\n{FOUNDED}", uri="https://other.test/")
    found = own.foreign([other], 9, of_page=9).records

    assert ["year"] == [record["form"] for record in found]
    assert not question_of(found[0], number=1).answerable
