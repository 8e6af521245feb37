"""Why passages rank as they do, in a browser, and how they would by other weights."""

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from scops.retriever.scoring.recipes import RECIPES
from tests.e2e.system import System
from tests.e2e.web.manners import wrong

ASKED = "How much does the River plan cost?"
OpenPage = Callable[..., Page]


def test_an_answer_is_explained_by_what_it_was_made_of(known: System, open_page: OpenPage) -> None:
    """Each passage has its parts, exact where asked, the rule that let it in and its versions."""
    page = open_page(f"{known.http_url}/ask?scope=tarn&q={ASKED}")
    page.get_by_role("link", name="Explain").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(ASKED)
    expect(page.get_by_text("nothing is searched again")).to_be_visible()
    detail = page.locator("section[aria-labelledby=why-title]")
    expect(detail).to_contain_text("by prefix")
    expect(detail.locator(".lineage li[data-cited]")).to_be_visible()
    expect(detail.get_by_text("Ranks 1")).to_be_visible()
    detail.locator("summary").get_by_text("Parts of the score").click()
    expect(detail.locator(".part-sum")).to_have_count(0)
    detail.get_by_role("button", name="Exact numbers").click()
    sums = detail.locator("li.part .part-sum").all_text_contents()
    second = page.locator(".rank-table tbody tr").nth(1).locator("button")
    title = second.text_content()
    page.keyboard.press("j")

    expect(second).to_have_attribute("aria-pressed", "true")
    expect(detail.get_by_role("heading", level=2)).to_have_text(title or "")
    *parts, score = (float(one.rpartition("=")[2].replace("−", "-")) for one in sums)
    assert sum(parts) == pytest.approx(score, abs=0.005)


def test_ranks_follow_the_weights(known: System, open_page: OpenPage) -> None:
    """A preferred scope rises, says by how much, and the default comes back with one press."""
    page = open_page(f"{known.http_url}/explain?{urlencode({'q': 'What is new?'})}")
    rows = page.locator(".rank-table tbody tr")
    first = _titles(rows)
    page.locator("summary").get_by_text("Preferred scopes").click()
    page.get_by_label("@releases").check()
    expect(page.locator(".moved[data-move=up]").first).to_be_visible()
    moved = _titles(rows)
    page.get_by_label("weight of preferred scopes").fill("0")
    expect(page.locator(".moved[data-move=up]")).to_have_count(0)
    expect(page.get_by_text("0 of 12 passages stand elsewhere")).to_be_visible()
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(page.get_by_text("As the default ranks.")).to_be_visible()

    assert first != moved
    assert first == _titles(rows)


def test_a_preset_is_kept_by_the_browser(known: System, open_page: OpenPage) -> None:
    """Recipe and weights come back under their name, on another question too."""
    page = open_page(f"{known.http_url}/explain?{urlencode({'q': ASKED, 'scope': 'tarn'})}")
    recipe = page.get_by_label("Recipe")
    expect(recipe.locator("option")).to_have_count(len(RECIPES))
    assert set(RECIPES) == set(recipe.locator("option").all_text_contents())
    recipe.select_option("fresh")
    freshness = page.get_by_label("weight of freshness")
    expect(freshness).to_have_value("1.5")
    freshness.fill("2.5")
    page.get_by_label("Name of the preset").fill("the new first")
    page.get_by_role("button", name="Save as preset").click()
    page.goto(f"{known.http_url}/explain?{urlencode({'q': 'What is new?'})}")
    page.get_by_role("button", name="the new first", exact=True).click()

    expect(page.get_by_label("Recipe")).to_have_value("fresh")
    expect(page.get_by_label("weight of freshness")).to_have_value("2.5")


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("is_phone", [False, True], ids=["1280", "360"])
def test_the_lab_keeps_nobody_out(
    known: System, open_page: OpenPage, *, is_phone: bool, is_dark: bool
) -> None:
    """axe finds nothing, with everything opened and a weight moved."""
    address = f"{known.http_url}/explain?{urlencode({'q': ASKED})}"
    page = open_page(address, is_phone=is_phone, is_dark=is_dark)
    page.get_by_label("Recipe").select_option("graph")
    page.locator("summary").get_by_text("Parts of the score").click()
    page.get_by_role("button", name="Exact numbers").click()
    page.locator("summary").get_by_text("How far its text").click()
    page.locator("summary").get_by_text("Preferred scopes").click()
    page.get_by_label("@releases").check()
    expect(page.locator(".moved").first).to_be_visible()

    assert [] == wrong(page)


def _titles(rows: Locator) -> list[str]:
    expect(rows.first).to_be_visible()
    return [re.sub(r"\s+", " ", one) for one in rows.locator("button").all_text_contents()]
