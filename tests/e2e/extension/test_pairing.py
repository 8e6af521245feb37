"""Pairing: a key of its own where the server wants to know who asks, which can be taken back."""

import json
import re
from typing import Any

from playwright.sync_api import expect

from tests.e2e.extension.browser import ExtendedBrowser
from tests.e2e.guarded import Guarded


def test_one_press_on_the_servers_page_pairs_and_forgetting_ends_the_key(
    guarded: Guarded, browser: ExtendedBrowser
) -> None:
    """The key is the person's, carries no role of the installation, and is revocable."""
    before = _keys(guarded)
    panel = browser.panel()
    panel.get_by_label("Server").fill(guarded.http_url)
    with browser.context.expect_page() as opened:
        panel.get_by_role("button", name="Pair").click()
    page = opened.value
    page.get_by_label("API key").fill(guarded.key)
    page.get_by_role("button", name="Enter").click()
    with page.expect_event("close"):
        page.get_by_role("button", name="Pair").click()
    expect(panel.locator(".panel-top")).to_contain_text("connected")
    made = [key for name, key in _keys(guarded).items() if name not in before]

    assert [("browser extension", "SCOPE_ROLE_EDITOR", True)] == [
        (key["displayName"], key["role"], "expireTime" in key) for key in made
    ]
    assert guarded.key not in json.dumps(browser.stored())

    panel.get_by_role("button", name="Settings").click()
    panel.get_by_role("button", name="Forget this server").click()
    expect(panel.get_by_role("heading", name="Pair this browser")).to_be_visible()
    assert "server" not in browser.stored()
    ended = {name for name, key in _keys(guarded).items() if "revokeTime" in key}
    assert {made[0]["name"]} == ended - {
        name for name, key in before.items() if "revokeTime" in key
    }


def test_a_key_that_has_ended_says_so(guarded: Guarded, browser: ExtendedBrowser) -> None:
    """Nothing goes on to be sent with it, and pairing anew is one press away."""
    made = guarded.call("/v1/keys", {"displayName": "by hand"})
    panel = browser.panel()
    panel.get_by_label("Server").fill(guarded.http_url)
    panel.get_by_role("button", name="Pair").click()
    panel.get_by_text("or give a key by hand").click()
    panel.get_by_label("API key").fill("sk_0123456789abcdef_wrong")
    panel.get_by_role("button", name="Enter").click()
    expect(panel.get_by_role("alert")).to_contain_text("does not count there")
    panel.get_by_label("API key").fill(made["secret"])
    panel.get_by_role("button", name="Enter").click()
    expect(panel.locator(".panel-top")).to_contain_text("connected")
    guarded.end(made)
    panel.reload()

    expect(panel.locator(".panel-top")).to_contain_text("not paired")
    expect(panel.get_by_role("button", name=re.compile("Pair again"))).to_be_visible()


def _keys(guarded: Guarded) -> dict[str, dict[str, Any]]:
    """Returns the administrator's keys by name, ended ones among them."""
    return {key["name"]: key for key in guarded.call("/v1/keys")["keys"]}
