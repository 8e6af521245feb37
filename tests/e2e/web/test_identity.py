"""The page where the gateway wants to know who calls."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.system import System
from tests.e2e.test_quotas import claimed


def test_a_key_lets_in_and_is_forgotten(
    new_system: Callable[..., System], open_page: Callable[..., Page]
) -> None:
    """Nothing is shown without a key, a wrong one is refused, and leaving forgets the right one."""
    system = new_system(SCOPS_GATEWAY_IDENTITY="required").start()
    key = claimed(system)
    page = open_page(system.http_url)
    page.get_by_label("API key").fill("no key of ours")
    page.get_by_role("button", name="Enter").click()
    expect(page.locator(".field-error")).to_contain_text("does not count here")
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_label("Address")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Address")).to_be_visible()
    page.get_by_role("link", name="Account").click()
    page.get_by_role("button", name="Forget the key").click()

    expect(page.get_by_label("API key")).to_be_visible()
    assert 0 == page.evaluate("sessionStorage.length + document.cookie.length")
