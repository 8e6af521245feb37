"""Phrases that may be keyphrases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.libraries.keyphrases.phrases import WORDS_MAX, phrases_of


def test_stop_words_and_marks_end_phrases() -> None:
    text = "We study the phase transition of a van der Waals model, which is of first order."

    assert ["study", "phase transition", "van der Waals model", "first order"] == phrases_of(
        text, language="en"
    )


def test_a_phrase_is_told_once_as_it_is_first_written() -> None:
    assert ["Klein–Gordon equation"] == phrases_of(
        "Klein–Gordon equation; the klein–gordon Equation.", language="en"
    )


@pytest.mark.parametrize(
    ("language", "text", "phrases"),
    [
        ("de", "Die Gebühren für den Anwohnerausweis der Stadt", ["Gebühren", "Anwohnerausweis"]),
        ("fr", "Le prix de la carte de stationnement est de 14 euros", ["carte", "stationnement"]),
        ("ru", "Стоимость билета на паром до острова", ["Стоимость билета", "паром", "острова"]),
        ("zh", "我们研究的相变模型和热力学极限", ["相变模型", "热力学极限"]),
    ],
)
def test_each_language_has_its_own_stop_words(language: str, text: str, phrases: list[str]) -> None:
    found = phrases_of(text, language=language)

    assert set(phrases) <= set(found)


def test_an_unknown_language_is_read_as_english() -> None:
    text = "The tariff of the ferry"

    assert phrases_of(text, language="") == phrases_of(text, language="en") == ["tariff", "ferry"]


@pytest.mark.parametrize("text", ["", " . , ", "1911 2 14", "a the of", "word " * (WORDS_MAX + 1)])
def test_there_may_be_none(text: str) -> None:
    assert [] == phrases_of(text, language="en")


@given(st.text(max_size=300), st.sampled_from(["en", "de", "zh", "ja", "xx"]))
def test_any_text_is_read(text: str, language: str) -> None:
    found = phrases_of(text, language=language)

    assert len(found) == len({one.casefold() for one in found})
