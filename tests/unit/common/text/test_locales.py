"""Locales of CLDR."""

import pytest

from scops.common.text.locales import locale_of


def names(tag: str) -> set[str]:
    """Returns every name that a language has for a month."""
    locale = locale_of(tag)
    assert locale is not None
    contexts = locale.months.values()
    return {
        str(name) for context in contexts for width in context for name in context[width].values()
    }


def test_what_one_language_inherits_is_not_met_in_another() -> None:
    """Chinese has its own months where Italian has an alias."""
    before = names("it")

    assert "一月" in names("zh")
    assert names("ja")
    locale_of.cache_clear()

    assert before == names("it")
    assert not {name for name in names("it") if not name.isascii()}


@pytest.mark.parametrize("tag", ["", "xx-unknown", "tlh", "de DE"])
def test_a_language_that_is_not_known_has_none(tag: str) -> None:
    """Nothing is guessed."""
    assert locale_of(tag) is None
