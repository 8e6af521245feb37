"""What questions in other languages ask of time; a wrong reading is worse than none."""

import random
from collections.abc import Iterator
from datetime import date

import pytest

from scops.retriever.time.constraint import Relation, TimeConstraint, asked_time
from scops.retriever.time.languages.detection import likely_languages, passage_language
from tests.fakes.stalls import cpu_seconds

TODAY = date(2026, 11, 22)
YEARS_A_FORM = 12
SECONDS_MAX = 0.3
# By language: how a question bounds its answer by a year.
BEFORE, AFTER, BETWEEN, IN = Relation.BEFORE, Relation.AFTER, Relation.BETWEEN, Relation.IN
YEARS = {
    "de": (
        (BEFORE, "Wer war vor {} im Stadtrat von Ulm?"),
        (BEFORE, "Wer war vor {} Bürgermeister?"),
        (BEFORE, "Wer leitete den Verein bis {}?"),
        (AFTER, "Wer leitet den Verein seit {}?"),
        (AFTER, "Welche Firmen wurden nach {} gegründet?"),
        (AFTER, "Was gilt ab {}?"),
        (IN, "Was geschah im Jahr {} in der Stadt?"),
        (IN, "Wer wurde {} zum Vorsitzenden gewählt?"),
    ),
    "fr": (
        (BEFORE, "Qui était maire avant {} ?"),
        (BEFORE, "Avant {}, qui était maire de la ville ?"),
        (BEFORE, "Qui était président jusqu’en {} ?"),
        (AFTER, "Qui dirige le club depuis {} ?"),
        (AFTER, "Quelles lois s'appliquent à partir de {} ?"),
        (AFTER, "Qui est venu après {} ?"),
        (IN, "Que s'est-il passé en {} dans la ville ?"),
        (IN, "Qui a été élu pendant l'année {} ?"),
    ),
    "es": (
        (BEFORE, "¿Quién era alcalde antes de {}?"),
        (BEFORE, "¿Quién dirigió el club hasta {}?"),
        (AFTER, "¿Quién dirige el club desde {}?"),
        (AFTER, "¿Qué leyes se aplican a partir de {}?"),
        (AFTER, "¿Quién llegó después de {}?"),
        (IN, "¿Quién fue elegido en el año {}?"),
        (IN, "En {}, ¿quién era alcalde?"),
    ),
    "it": (
        (BEFORE, "Chi era il sindaco prima del {}?"),
        (BEFORE, "Chi ha guidato la squadra fino al {}?"),
        (AFTER, "Chi guida la squadra dal {}?"),
        (AFTER, "Chi è arrivato dopo il {}?"),
        (IN, "Che cosa è successo nel {} a Torino?"),
    ),
    "pt": (
        (BEFORE, "Quem era o prefeito antes de {}?"),
        (BEFORE, "Quem dirigiu o clube até {}?"),
        (AFTER, "Quem dirige o clube desde {}?"),
        (AFTER, "Quem chegou depois de {}?"),
        (IN, "O que aconteceu em {} na cidade?"),
    ),
    "nl": (
        (BEFORE, "Wie was de burgemeester vóór {}?"),
        (BEFORE, "Wie leidde de club tot {}?"),
        (AFTER, "Wie leidt de club sinds {}?"),
        (AFTER, "Welke bedrijven zijn na {} opgericht?"),
        (IN, "Wat gebeurde er in {} in de stad?"),
    ),
    "pl": (
        (BEFORE, "Kto był burmistrzem przed {} rokiem?"),
        (BEFORE, "Kto prowadził klub do {} roku?"),
        (AFTER, "Kto prowadzi klub od {} roku?"),
        (AFTER, "Jakie firmy powstały po {} roku?"),
        (IN, "Co się wydarzyło w {} roku w mieście?"),
    ),
    "ru": (
        (BEFORE, "Кто был мэром до {} года?"),
        (AFTER, "Кто руководит клубом с {} года?"),
        (AFTER, "Какие фирмы появились после {} года?"),
        (IN, "Что произошло в {} году в городе?"),
    ),
    "zh": (
        (BEFORE, "{}年以前谁是市长？"),
        (BEFORE, "在{}年之前，谁是市长？"),
        (AFTER, "自{}年以来谁领导俱乐部？"),
        (AFTER, "{}年以后成立了哪些公司？"),
        (IN, "{}年城里发生了什么？"),
    ),
    "ja": (
        (BEFORE, "{}年以前の市長は誰でしたか？"),
        (BEFORE, "{}年までクラブを率いたのは誰ですか？"),
        (AFTER, "{}年以降に設立された会社は？"),
        (AFTER, "{}年からクラブを率いているのは誰ですか？"),
        (IN, "{}年に町で何がありましたか？"),
    ),
}
RANGES = (
    "Wer war zwischen {} und {} Bürgermeister?",
    "Wer war von {} bis {} im Amt?",
    "Qui était maire entre {} et {} ?",
    "Qui a gouverné de {} à {} ?",
    "¿Quién era alcalde entre {} y {}?",
    "¿Quién gobernó de {} a {}?",
    "Chi era sindaco tra il {} e il {}?",
    "Chi ha governato dal {} al {}?",
    "Quem era o prefeito entre {} e {}?",
    "Wie was de burgemeester tussen {} en {}?",
    "Wie was van {} tot {} de burgemeester?",
    "Kto był burmistrzem między {} a {} rokiem?",
    "Kto był burmistrzem od {} do {} roku?",
    "Кто был мэром между {} и {} годами?",
    "Кто был мэром с {} по {} год?",
    "{}年到{}年之间谁是市长？",
    "从{}年至{}年，谁是市长？",
    "{}年から{}年までの市長は誰ですか？",
)
DAYS = (
    ("Was geschah im Mai 1990?", "1990-05-01", "1990-05-31"),
    ("Was geschah am 14. Juni 2024 in Ulm?", "2024-06-14", "2024-06-14"),
    ("Was wurde am 14.06.2024 beschlossen?", "2024-06-14", "2024-06-14"),
    ("Was geschah vom 5. bis 10. Mai 1990?", "1990-05-05", "1990-05-10"),
    ("Was war in den 1990er Jahren Mode?", "1990-01-01", "1999-12-31"),
    ("Wer regierte im 19. Jahrhundert?", "1800-01-01", "1899-12-31"),
    ("Que s'est-il passé le 1er mars 1848 ?", "1848-03-01", "1848-03-01"),
    ("Qui chantait dans les années 1980 ?", "1980-01-01", "1989-12-31"),
    ("Qui régnait au XIXe siècle ?", "1800-01-01", "1899-12-31"),
    ("¿Qué pasó el 5 de mayo de 1990?", "1990-05-05", "1990-05-05"),
    ("¿Qué pasó de enero a marzo de 2019?", "2019-01-01", "2019-03-31"),
    ("¿Quién gobernó en el siglo XIX?", "1800-01-01", "1899-12-31"),
    ("Che cosa è successo il 5 maggio 1990?", "1990-05-05", "1990-05-05"),
    ("Chi cantava negli anni 1980?", "1980-01-01", "1989-12-31"),
    ("O que aconteceu em março de 1990?", "1990-03-01", "1990-03-31"),
    ("O que aconteceu na década de 1990?", "1990-01-01", "1999-12-31"),
    ("Wat gebeurde er op 5 mei 1990?", "1990-05-05", "1990-05-05"),
    ("Wie regeerde er in de 19e eeuw?", "1800-01-01", "1899-12-31"),
    ("Co się wydarzyło w listopadzie 1990 roku?", "1990-11-01", "1990-11-30"),
    ("Kto rządził w XIX wieku?", "1800-01-01", "1899-12-31"),
    ("Что произошло в мае 1990 года?", "1990-05-01", "1990-05-31"),
    ("Что носили в 1970-х годах?", "1970-01-01", "1979-12-31"),
    ("1990年5月14日发生了什么？", "1990-05-14", "1990-05-14"),
    ("20世纪80年代流行什么？", "1980-01-01", "1989-12-31"),
    ("昭和50年の首相は誰ですか？", "1975-01-01", "1975-12-31"),
    ("２０１５年に何がありましたか？", "2015-01-01", "2015-12-31"),
)
NO_TIMES = (
    "¿Qué se hizo en 2000 km de carretera?",
    "Wat kostten na 1990 dozen?",
    "Que font 1990 personnes dans la rue ?",
    "Qui a vu en 1990 personnes le plus grand danger ?",
    "Combien coûtent plus de 2000 vis ?",
    "Que coûte la Peugeot 2008 ?",
    "Combien gagne-t-on de 1500 à 2000 euros ?",
    "Qui régnait en 1000 av. J.-C. ?",
    "Qui habitait ici avant la guerre de 1914 ?",
    "¿Cuánto cuestan 1500 tornillos?",
    "¿Qué empresas tienen más de 1990 empleados?",
    "¿Qué dice el modelo AS-1990 del año?",
    "Was kosten 1500 Schrauben?",
    "Wer spielte vor 1500 Zuschauern in der Halle?",
    "Was bekommt man bis 2000 Euro?",
    "Wie viele der 1990 Menschen kamen?",
    "Was bedeutet die Norm DIN 1986?",
    "Wer war vor der Wahl 1990 im Amt?",
    "Quante viti si trovano in 1990 scatole?",
    "Quem pagou de 1500 a 2000 reais?",
    "Wat is het budget voor 2027?",
    "Ile kosztuje od 1500 do 2000 złotych?",
    "Сколько стоят товары до 2000 рублей?",
    "Что стоит от 1500 до 2000 рублей?",
    "2000年前的人吃什么？",
    "这座城市有2000年的历史吗？",
    "型番1990の値段は？",
    "Vem var borgmästare före 1990?",
    "من كان رئيس البلدية قبل 1990؟",
)


def _constraint(question: str) -> TimeConstraint | None:
    return asked_time(question, TODAY).constraint


def _years(constraint: TimeConstraint | None) -> tuple[Relation, int, int] | None:
    if constraint is None:
        return None
    days = (constraint.interval.begin, constraint.interval.end)
    first, last = (date.fromordinal(day).year for day in days)
    return constraint.relation, first, last


def _drawn(form: str) -> Iterator[int]:
    chance = random.Random(form)
    yield from (chance.randrange(1701, 2025) for _ in range(YEARS_A_FORM))


@pytest.mark.parametrize("language", YEARS)
def test_relation_to_a_year_is_read(language: str) -> None:
    """Of any year, in each way to say it."""
    for relation, form in YEARS[language]:
        for year in _drawn(form):
            question = form.format(year)

            assert (relation, year, year) == _years(_constraint(question)), question


@pytest.mark.parametrize("form", RANGES)
def test_two_years_are_a_range(form: str) -> None:
    """Neither of them alone is what is asked."""
    for year in _drawn(form):
        question = form.format(year, year + 4)

        assert (BETWEEN, year, year + 4) == _years(_constraint(question)), question


@pytest.mark.parametrize(("question", "first", "last"), DAYS)
def test_days_are_read(question: str, first: str, last: str) -> None:
    """Months, dates, decades and centuries."""
    constraint = _constraint(question)

    assert constraint is not None
    days = (constraint.interval.begin, constraint.interval.end)
    assert (first, last) == tuple(date.fromordinal(day).isoformat() for day in days)


@pytest.mark.parametrize("question", NO_TIMES)
def test_reading_that_is_not_sure_is_none(question: str) -> None:
    """Amounts, codes, names, years before ours, and languages that are not read."""
    assert _constraint(question) is None


def test_text_is_left_without_its_time() -> None:
    """The phrase goes with the year."""
    asked = [
        asked_time(one, TODAY).text for one in ("Wer war vor 1990 im Amt?", "1990年以前谁是市长？")
    ]

    assert ["Wer war im Amt?", "谁是市长？"] == asked


def test_language_is_told_by_few_words() -> None:
    """English where nothing tells; none where the letters are of another language."""
    texts = (
        "Panthers 2015",
        "Qui était là ?",
        "Кто он?",
        "Хто він у 1990 році?",
        "誰ですか",
        "谁？",
    )

    assert [("en",), ("fr",), ("ru",), (), ("ja",), ("zh",)] == [
        likely_languages(one) for one in texts
    ]


UNITS = (
    "1990 ",
    "vor 1990 und ",
    "le 5 mai 1990 ",
    "до ",
    "5. ",
    "1990-",
    "1990年",
    "到1990年",
    "XIX ",
)


@pytest.mark.parametrize("unit", UNITS)
def test_long_question_is_read_at_once(unit: str) -> None:
    """The longest that may be asked, of one piece again and again."""
    question = "Wer war der " + (unit * 8000)[:7980] + "?"

    assert cpu_seconds(lambda: asked_time(question, TODAY), enough=SECONDS_MAX) < SECONDS_MAX


def test_passage_is_read_in_english_where_it_may_be() -> None:
    """A list of names has dates that another language could have too."""
    texts = (
        "- Martin Latsis , April 2 , 1919 – August 16 , 1919",
        "1974 Chinatown Capers ( 小英雄大鬧唐人街 )",
        "Der Verein wurde am 14. Juni 1924 gegründet und ist seither in Ulm.",
        "协会成立于1924年6月。",
    )

    assert ["en", "en", "de", "zh"] == [passage_language(one) for one in texts]
