"""Terms of texts and of queries."""

import pytest

from scops.libraries.index.words.analysis import WORDS_MAX, analysed, query_terms
from scops.libraries.index.words.language import PLAIN, detected_language, main_languages


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "expired permits", "permit expires"),
        ("de", "die Häuser", "des Hauses"),
        ("ru", "квартиры города", "город квартира"),
        ("ar", "المدارس", "مدارس"),
        ("fr", "les écoles nationales", "école nationale"),
    ],
)
def test_forms_of_a_word_have_one_term(language: str, one: str, other: str) -> None:
    """Inflection does not part what is the same word."""
    first, second = (set(analysed(text, language).split()) for text in (one, other))

    assert first & second


def test_words_of_an_unknown_language_are_folded_alone() -> None:
    """Without a language nothing is stemmed; case, accents and width are type."""
    assert "expires cafe 12" == analysed("Expires CAFÉ １２", PLAIN)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("水", ["水"]),
        ("Windows用户手册", ["windows", "用户", "户手", "手册"]),
        ("서울의", ["서울", "울의"]),
    ],
)
def test_scripts_without_spaces_are_read_in_pairs(text: str, terms: list[str]) -> None:
    """Every part of two characters is found; a word beside them stays whole."""
    assert terms == analysed(text, "zh").split()


@pytest.mark.parametrize("text", ["हिन्दी शुल्क", "ค่าธรรมเนียม", "שָׁלוֹם", "naïve 🦉 a_b don't"])
def test_term_is_letters_and_digits_alone(text: str) -> None:
    """No tokenizer of a store cuts a term."""
    terms = analysed(text, "hi").split()

    assert terms
    assert all(term.isalnum() for term in terms)


def test_vowel_signs_part_words() -> None:
    """Words that differ in a vowel alone have different terms."""
    assert analysed("शुल्क", "hi") != analysed("शल्क", "hi")


def test_query_holds_the_words_and_the_stems_of_each_language() -> None:
    """The words as they are come first, each term once."""
    assert ("wohnungen", "wohnung") == query_terms("Wohnungen wohnungen", ("de", "zh"))


def test_operators_and_signs_are_no_terms() -> None:
    """What a store might read as an instruction does not reach it."""
    assert ("near", "quokka", "header") == query_terms('NEAR("quokka*", ^header:-)', ())
    assert () == query_terms("?!… —", ("en",))


def test_query_has_a_bound() -> None:
    """A long text is a query of its first words."""
    text = " ".join(f"word{number}" for number in range(1000))

    assert WORDS_MAX == len(query_terms(text, ("en",)))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Die Verwaltung hat die Gebühren für alle Wohnungen im Herbst gesenkt.", "de"),
        ("Администрация снизила сборы за все квартиры в этом городе осенью.", "ru"),
        ("tok0x0", PLAIN),
        ("", PLAIN),
    ],
)
def test_language_of_a_text(text: str, language: str) -> None:
    """A text that is too short to tell has no language."""
    assert language == detected_language(text)


def test_main_languages_leave_out_what_is_rare_or_unknown() -> None:
    """A few passages taken for another language do not lengthen every query."""
    assert ("de", "en") == main_languages({"en": 40, "de": 58, "sv": 1, PLAIN: 500 // 100})
    assert () == main_languages({})
