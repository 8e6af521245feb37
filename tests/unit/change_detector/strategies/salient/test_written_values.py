"""Numbers, dates and amounts are compared by what they stand for in the page's language."""

import pytest

from scops.change_detector.strategies.salient.edits import typed_edits
from scops.change_detector.strategies.salient.strategy import SalientStrategy
from scops.change_detector.strategies.salient.tokens import tokens_of
from scops.change_detector.strategies.salient.written_values import plain_number
from scops.common.contract.messages.types import ChangeClass, ChangeSummary
from tests.fakes.worlds.change import body_of


def summary(language: str, old: str, new: str) -> ChangeSummary:
    """Returns what the edits amount to on a page of a language."""
    old, new = f"Before.\n{old}\nAfter.", f"Before.\n{new}\nAfter."
    edits = typed_edits(
        old, body_of(old).blocks, new, body_of(new).blocks, languages=(language, language)
    )
    return SalientStrategy(salience_min=0.25).summary(edits)


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("de", "Es kostet 1.500 EUR.", "Es kostet 1500 EUR."),
        ("de", "Gültig bis 14. Juni 2024.", "Gültig bis 14.06.2024."),
        ("en", "Dated June 14, 2024.", "Dated 14th of June 2024."),
        ("en", "It costs €30 now.", "It costs 30 EUR now."),
        ("en", "It costs $1,500.00 now.", "It costs 1500 dollars now."),
        ("en", "It is 5 kilometers away.", "It is 5 km away."),
        ("fr", "Le 1er mai 2024 à Paris", "Le 01/05/2024 à Paris"),
        ("es", "El 14 de junio de 2024 abre.", "El 14/06/2024 abre."),
        ("ru", "Открыт 14 июня 2024 г. в Москве", "Открыт 14.06.2024 в Москве"),
        ("zh", "期限为三天。", "期限为3天。"),
        ("zh", "共有三万人。", "共有30000人。"),
        ("zh", "二〇二四年五月三日生效", "2024年5月3日生效"),
        ("ko", "2024년 6월 14일 개장", "2024-06-14 개장"),
        ("ar", "السعر ١٬٥٠٠ فقط", "السعر 1500 فقط"),
        ("de", "Der Kunde zahlt sofort.", "Der Kunden zahlt sofort."),
        ("sv", "Senast uppdaterad: 3 maj 2024", "Senast uppdaterad: 12 juni 2024"),
        ("pl", "Ostatnia aktualizacja: 3 maja 2024", "Ostatnia aktualizacja: 12 czerwca 2024"),
        ("ja", "最終更新日：2024年5月3日", "最終更新日：2024年6月12日"),
        ("zh", "最后更新：2024年5月3日", "最后更新：2024年6月12日"),
        ("ru", "Обновлено 3 дня назад", "Обновлено 5 дней назад"),
        ("de", "Aktualisiert vor 1 Tag", "Aktualisiert vor 3 Tagen"),
    ],
)
def test_the_same_in_other_figures_is_no_news(language: str, old: str, new: str) -> None:
    """In either direction."""
    assert not summary(language, old, new).semantic
    assert not summary(language, new, old).semantic


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("en", "The revised fee is 30.", "The revised fee is 45."),
        ("en", "The revised deadline is 30 June 2026.", "The revised deadline is 15 May 2026."),
        ("en", "Update it by 3 May 2024", "Update it by 9 May 2024"),
        ("en", "Updated: revision 30", "Updated: revision 31"),
        ("en", "It was founded 5 years ago", "It was founded 50 years ago"),
        ("de", "Kündigung bis 14 Tage vor Beginn", "Kündigung bis 30 Tage vor Beginn"),
        ("fr", "Le réservoir contient 2,345 l", "Le réservoir contient 2345 l"),
        ("en", "The rate is 1.500 mm.", "The rate is 1500 mm."),
        ("en", "Version 1.10 is out.", "Version 1.1 is out."),
        ("de", "Es kostet 1.500 EUR.", "Es kostet 1.500 USD."),
        ("de", "Schalten Sie das Gerät aus.", "Schalten Sie das Gerät ein."),
        ("en", "The office is closed.", "The office was closed."),
        ("en", "The complaint system works.", "The compliant system works."),
        ("es", "Yo hablo con el juez.", "Yo habló con el juez."),
        ("es", "La puerta está cerrada.", "La puerta esta cerrada."),
        ("ru", "Срок оплаты 30 дней.", "Срок оплаты 45 дней."),
        ("zh", "期限为三天。", "期限为五天。"),
    ],
)
def test_another_value_or_word_is_seen(language: str, old: str, new: str) -> None:
    """In either direction, whatever word of updating stands beside it."""
    assert summary(language, old, new).semantic
    assert summary(language, new, old).semantic


def test_a_date_in_other_figures_is_of_class_format() -> None:
    """It weighs nothing."""
    found = summary("de", "Gültig bis 14. Juni 2024.", "Gültig bis 14.06.2024.")

    assert (ChangeClass.FORMAT, 0.0) == (found.change_class, found.salience)


@pytest.mark.parametrize(
    ("written", "decimal", "plain"),
    [
        ("2,345", ",", "2.345"),
        ("2,345", ".", "2345"),
        ("1.234.567", ",", "1234567"),
        ("1,234.5", ",", "1234.5"),
        ("12,34,567", ".", "1234567"),
        ("3.10.0", ".", "3.10.0"),
        ("007", ".", "007"),
        ("-1,5", ",", "-1.5"),
    ],
)
def test_a_number_loses_only_the_signs_of_its_language(
    written: str, decimal: str, plain: str
) -> None:
    """What is no number stays as it is."""
    assert plain == plain_number(written, decimal)


@pytest.mark.parametrize("language", ["", "en", "xx", "de-CH", "zh-Hant", "../en", "x" * 1_000])
def test_any_tag_of_a_language_is_read(language: str) -> None:
    """One that CLDR lacks is read like English."""
    assert "@2024-06-14" in tokens_of("On 2024-06-14 it opens.", language=language).keys
