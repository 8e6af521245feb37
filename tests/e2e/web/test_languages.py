"""The page in the language of its reader, in a browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.system import System
from tests.e2e.web.manners import wrong

ASKED = "How much does the River plan cost?"
# Words of the page by which a person sees that a language is English.
ENGLISH = (
    "Scopes to ask",
    "Check the quotes",
    "verified",
    "Settings",
    "Cited pages",
    "What changed",
)
OpenPage = Callable[..., Page]


def test_the_browser_says_the_language_and_a_reader_another_one(
    known: System, open_page: OpenPage
) -> None:
    """It is French for a French browser, German once that is chosen, and stays so."""
    page = open_page(f"{known.http_url}/ask", locale="fr-CA")
    expect(page.get_by_role("link", name="Périmètres")).to_be_visible()
    page.get_by_role("link", name="Réglages").click()
    page.get_by_label("Langue").select_option("de")
    expect(page.get_by_role("heading", level=1)).to_have_text("Einstellungen")
    page.goto(f"{known.http_url}/scopes")
    expect(page.locator("time").first).to_have_text(
        re.compile(r"^(jetzt|vor \d+ (Sek|Min|Std)\.)$")
    )

    assert "de-DE" == page.evaluate("document.documentElement.lang")


def test_what_the_server_tells_is_told_in_the_readers_language(
    known: System, open_page: OpenPage
) -> None:
    """Remarks and problems are said by their codes; the server's own words stand below."""
    page = open_page(f"{known.http_url}/ask?scope=tarn&q=Was ist Photosynthese", locale="de-DE")
    expect(page.get_by_text("Nicht beantwortet").first).to_be_visible()
    page.goto(f"{known.http_url}/scopes/nowhere")
    notice = page.locator(".notice")
    expect(notice).to_contain_text("Diesen Scope gibt es nicht")

    expect(notice.locator("[lang=en]")).to_be_visible()


@pytest.mark.parametrize("locale", ["de-DE", "fr-FR", "es-ES"])
def test_long_words_fit_on_a_phone(known: System, open_page: OpenPage, *, locale: str) -> None:
    """Nothing scrolls sideways at 360 px, axe finds nothing, and no word of English is left."""
    page = open_page(f"{known.http_url}/ask?scope=tarn&q={ASKED}", locale=locale, is_phone=True)
    page.locator(".cited-pages").wait_for()
    found = {"ask": wrong(page)}
    left = {"ask": _left(page)}
    for place, awaited in (
        ("new", "input"),
        ("scopes", ".pane"),
        ("scopes/tarn", ".preview p"),
        ("scopes/tarn/changes", "h1"),
        (f"explain?scope=tarn&q={ASKED}", ".lab"),
        ("jobs", ".table"),
        ("me", "select"),
    ):
        page.goto(f"{known.http_url}/{place}")
        page.locator(awaited).first.wait_for()
        found[place] = wrong(page)
        left[place] = _left(page)

    assert {place: [] for place in found} == found
    assert {place: [] for place in left} == left


def _left(page: Page) -> list[str]:
    said = page.locator("body").inner_text()
    return [words for words in ENGLISH if words in said]
