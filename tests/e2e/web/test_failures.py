"""A server that is slow, and a key that ends while one reads, in a browser."""

from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.e2e.guarded import Guarded
from tests.e2e.web.manners import wrong

OpenPage = Callable[..., Page]


def test_a_slow_server_is_waited_for(guarded: Guarded, open_page: OpenPage) -> None:
    """What is under way is said, the page goes on to be used, and the answer comes to its place."""
    held: list[Route] = []
    page = open_page(f"{guarded.http_url}/ask")
    page.get_by_label("API key").fill(guarded.key)
    page.get_by_role("button", name="Enter").click()
    page.get_by_label("Question").wait_for()
    page.route("**/v1/answer:stream", lambda route: held.append(route))
    page.get_by_label("Question").fill("Which pages are there?")
    page.keyboard.press("Enter")
    expect(page.locator(".progress-line")).to_contain_text("Passages are ranked")
    expect(page.get_by_role("status").filter(has_text="Passages are ranked")).to_have_count(1)
    page.get_by_label("Question").fill("The next one")
    page.get_by_role("link", name="Scopes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Scopes")
    page.go_back()
    expect(page.locator(".progress-line")).to_be_visible()
    held[0].continue_()

    expect(page.locator(".turn")).to_contain_text("Not answered")


def test_a_key_that_ends_while_one_reads_is_replaced(guarded: Guarded, open_page: OpenPage) -> None:
    """What was written stays, a wrong key is told, and by the next one the question is answered."""
    keys = [guarded.call("/v1/keys", {"displayName": name}) for name in ("one", "two")]
    page = open_page(f"{guarded.http_url}/ask")
    page.get_by_label("API key").fill(keys[0]["secret"])
    page.get_by_role("button", name="Enter").click()
    page.get_by_label("Question").wait_for()
    guarded.end(keys[0])
    page.get_by_label("Question").fill("Which pages are there?")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Your key counts no more")
    expect(dialog).to_be_visible()
    found = wrong(page)
    dialog.get_by_label("API key").fill("sk_0123456789abcdef_wrong")
    dialog.get_by_role("button", name="Enter").click()
    expect(dialog.locator(".field-error")).to_contain_text("does not count here")
    dialog.get_by_label("API key").fill(keys[1]["secret"])
    dialog.get_by_role("button", name="Enter").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("heading", name="Which pages are there?").first).to_be_visible()
    page.get_by_role("button", name="Try again").click()

    expect(page.locator(".turn")).to_contain_text("Not answered")
    assert [] == found
