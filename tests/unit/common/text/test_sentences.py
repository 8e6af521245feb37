"""Sentences as spans: what ends one, and what does not."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.common.text.locales import locale_of
from scops.common.text.sentences import sentence_spans
from tools.month_names import FILE, LANGUAGES, NUMBERED_FILE, numbered, written


def sentences(text: str) -> list[str]:
    """Returns the sentences of a text."""
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["It works.", "It does!", "Does it?"],
        ["Dr. Smith met Mr. Jones, e.g. on Monday.", "They left."],
        ["It costs 3.14 euros in version 1.2.3.", "Buy it."],
        ["See Fig. 3 and sec. 4.2 for details.", "Then go on."],
        ["J. R. R. Tolkien wrote it.", "He did."],
        ["The U.S. law applies.", "No other does."],
        ["It ended in 2019.", "The next began."],
        ["The answer is no.", "We left."],
        ["See no. 5 on the list.", "It is short."],
        ["Call foo.bar() or read config.yaml first.", "Then wait."],
        ["Use initdb.", "pg_dump comes later."],
        ["Yahoo! is a name.", "So is this."],
        ["He said “stop.”", "She did not."],
        ["It was shown.[12]", "Others agree."],
        ["(It is open.)", "Come in."],
        ["Wait for it...", "Now."],
        ["Apples, pears, etc.", "Bananas are elsewhere."],
        ["Visit https://example.org/a.b?c=d. for more.", "Thanks."],
    ],
    ids=lambda expected: expected[0],
)
def test_sentences_are_told_apart(expected: list[str]) -> None:
    """The sentences joined by a space are found again."""
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["Die Frist endet am 14. Juni.", "Danach ist es zu spät."],
        ["Am 3. März 2020 begann es.", "Es endete am 31. Dez. 2021 um zwölf."],
        ["Sie tagten am 13./14. August in Bonn.", "Er kam am 1. Mai."],
        ["Den 24. Desember er fri.", "Þann 17. Júní er þjóðhátíð."],
        ["Le 1. janvier est férié.", "Le 1er Janvier aussi."],
        ["Do 14. 6. 2020 to platí.", "Pak ne."],
        ["Im Okt. 2020 war es so.", "Am 5. Okt. war es anders."],
        ["Ouvert le 2 févr. 2022 au soir.", "Fermé le 3."],
        ["Открыт 2 мар. 2026 г. в Москве.", "Закрыт 3 мар. 2026 г. там же."],
        ["A 2022. 10. 24. napon nyit.", "A 2022. okt. 25. napon zár."],
        ["2022. 9. 26. 개장했다.", "휴무."],
    ],
    ids=lambda expected: expected[0],
)
def test_a_date_is_not_cut(expected: list[str]) -> None:
    """Neither after the day nor after a month's abbreviation, in languages that write days so."""
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("it", ["Il sig. Rossi abita in p.za Dante.", "Perché?"]),
        ("pt", ["O Sr. Silva e a Dra. Costa chegaram.", "Fim."]),
        ("es", ["Los EE. UU. firmaron con el Sr. Pérez.", "Véase núm. 3."]),
        ("fr", ["Platon (vers 428 av. Jésus) écrivit.", "M. Curie aussi."]),
        ("nl", ["Dhr. Jansen betaalde o.a. 3,50 euro.", "Klaar."]),
        ("pl", ["Mieszka na ul. Długiej od 1950 r. w Warszawie.", "Tak."]),
        ("cs", ["Např. Praha má č. 1.", "Brno ne."]),
        ("ru", ["В 1950 г. Он жил на ул. Ленина.", "А. С. Пушкин писал."]),
        ("el", ["Ο κ. Παπαδόπουλος ήρθε.", "Ποιος;", "Ο Κ. Π. Καβάφης."]),
        ("de", ["Das steht z. B. in Abs. 3 Satz 2.", "Es gilt u. U. nicht."]),
        ("hy", ["Սա առաջինն է։", "Սա երկրորդն է։"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_abbreviations_of_the_language_end_no_sentence(language: str, expected: list[str]) -> None:
    """Of titles, streets, units and references; what ends a sentence still does."""
    text = " ".join(expected)
    assert [text[start:end] for start, end in sentence_spans(text, language)] == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("", ["The vote is in.", "We left."]),
        ("en", ["It is rich in vitamin C.", "We left."]),
        ("de", ["Er kommt aus.", "Wir gehen an.", "Sie liest es."]),
        ("it", ["Lui va fuori.", "Lei resta a casa.", "Noi no."]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_words_that_other_languages_abbreviate_end_a_sentence(
    language: str, expected: list[str]
) -> None:
    """What one language abbreviates is a word of another, so a list of all would not do."""
    text = " ".join(expected)
    assert [text[start:end] for start, end in sentence_spans(text, language)] == expected


def test_a_script_without_stops_is_cut_at_spaces_once_it_is_long() -> None:
    """Thai and Lao; short clauses stay together, and numbers and names between them."""
    clause = "ทีมแพนเทอร์สเสียไปแค่ 308 แต้ม อยู่ในอันดับหกของลีก"
    text = " ".join([clause] * 30)
    spans = sentence_spans(text)
    assert len(spans) > 5
    assert all(end - start < 250 for start, end in spans)
    assert "".join(text[start:end] for start, end in spans).replace(" ", "") == text.replace(
        " ", ""
    )
    assert sentence_spans(clause) == [(0, len(clause))]


@pytest.mark.parametrize(
    "expected",
    [
        ["He was 14.", "May I go?"],
        ["It ended on day 14.", "March on."],
        ["Er wurde 45.", "Juni kam."],
        ["Das Haus hat die Nummer 14.", "Dort wohnt sie."],
        ["He sold 6.", "2020 units are left."],
        ["He was out.", "2020 was long."],
        ["It began in 2019.", "12 men came."],
    ],
    ids=lambda expected: expected[0],
)
def test_a_number_that_is_no_day_ends_a_sentence(expected: list[str]) -> None:
    """English, whose days have no full stop, is read as before."""
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_of_ordinal_days_are_those_of_cldr(language: str) -> None:
    """Their dates have a full stop after the day."""
    locale = locale_of(language)
    assert locale is not None
    formats = locale.date_formats

    assert any(re.search(r"d\.\s?M", formats[width].pattern) for width in ("long", "full"))


def test_names_of_months_are_those_of_cldr() -> None:
    """The file is what tools/month_names.py writes."""
    assert written() == FILE.read_text(encoding="utf-8")


def test_numbers_of_months_are_those_of_cldr() -> None:
    """The file by which times are read is what tools/month_names.py writes."""
    assert numbered() == NUMBERED_FILE.read_text(encoding="utf-8")


def test_short_name_of_a_month_that_is_a_word_begins_a_sentence() -> None:
    """Czech "led" and "pro" are months only as abbreviations, or before a year."""
    assert sentences("He came in 12. Led by her he won.") == [
        "He came in 12.",
        "Led by her he won.",
    ]


def test_cjk_stops_need_no_space() -> None:
    """Also with a closing quote."""
    assert sentences("今日は晴れ。「明日も。」雨？はい") == [
        "今日は晴れ。",
        "「明日も。」",
        "雨？",
        "はい",
    ]


def test_a_line_break_always_ends_a_sentence() -> None:
    """Blocks of a clean text are lines: headings and list items have no stop."""
    assert sentences("Heading\n1. First item. More.\n\n- second") == [
        "Heading",
        "1. First item.",
        "More.",
        "- second",
    ]


def test_the_number_of_a_list_item_is_no_sentence() -> None:
    """Neither a letter nor a Roman number."""
    assert sentences("1. Install it.\na. Run it.\niv. Read it.") == [
        "1. Install it.",
        "a. Run it.",
        "iv. Read it.",
    ]


@given(st.text(alphabet="aB1 .!?。\n\"')]", max_size=60) | st.text(max_size=60))
def test_every_character_lies_in_exactly_one_sentence(text: str) -> None:
    """White space around sentences aside; spans rise and do not overlap."""
    spans = sentence_spans(text)

    covered = [place for start, end in spans for place in range(start, end)]
    assert covered == sorted(set(covered))
    assert all(text[place].isspace() for place in set(range(len(text))) - set(covered))
    assert all(not text[a].isspace() and not text[b - 1].isspace() for a, b in spans)


def test_tokenised_text_keeps_its_abbreviations() -> None:
    """A space before the full stop changes nothing of the word before it."""
    assert sentences(
        "William Enyart , Jr . ( born 1949 ) served in the U.S . Army . He left ."
    ) == [
        "William Enyart , Jr . ( born 1949 ) served in the U.S . Army .",
        "He left .",
    ]
