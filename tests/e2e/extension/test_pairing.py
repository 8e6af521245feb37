"""Pairing: a key of its own where the server wants to know who asks, which can be taken back."""

import json
import re
import urllib.request
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.e2e.extension.browser import ExtendedBrowser
from tests.e2e.system import System
from tests.e2e.test_quotas import claimed


def test_one_press_on_the_servers_page_pairs_and_forgetting_ends_the_key(
    new_system: Callable[..., System], browser: ExtendedBrowser
) -> None:
    """The key is the person's, carries no role of the installation, and is revocable."""
    system = new_system(SCOPS_GATEWAY_IDENTITY="required").start()
    own = claimed(system)
    panel = browser.panel()
    panel.get_by_label("Server").fill(system.http_url)
    with browser.context.expect_page() as opened:
        panel.get_by_role("button", name="Pair").click()
    page = opened.value
    page.get_by_label("API key").fill(own)
    page.get_by_role("button", name="Enter").click()
    page.get_by_role("button", name="Pair").click()
    expect(panel.locator(".panel-top")).to_contain_text("connected")
    made = [key for key in _keys(system, own) if key.get("displayName") == "browser extension"]

    assert [("SCOPE_ROLE_EDITOR", True)] == [(key["role"], "expireTime" in key) for key in made]
    assert page.is_closed()
    assert own not in json.dumps(browser.stored())

    panel.get_by_role("button", name="Settings").click()
    panel.get_by_role("button", name="Forget this server").click()
    expect(panel.get_by_role("heading", name="Pair this browser")).to_be_visible()
    assert "server" not in browser.stored()
    ended = {key["name"] for key in _keys(system, own) if "revokeTime" in key}
    assert {made[0]["name"]} == ended


def test_a_key_that_has_ended_says_so(
    new_system: Callable[..., System], browser: ExtendedBrowser
) -> None:
    """Nothing goes on to be sent with it, and pairing anew is one press away."""
    system = new_system(SCOPS_GATEWAY_IDENTITY="required").start()
    own = claimed(system)
    made = _call(system, own, "/v1/keys", {"displayName": "by hand"})
    panel = browser.panel()
    panel.get_by_label("Server").fill(system.http_url)
    panel.get_by_role("button", name="Pair").click()
    panel.get_by_text("or give a key by hand").click()
    panel.get_by_label("API key").fill("sk_0123456789abcdef_wrong")
    panel.get_by_role("button", name="Enter").click()
    expect(panel.get_by_role("alert")).to_contain_text("does not count there")
    panel.get_by_label("API key").fill(made["secret"])
    panel.get_by_role("button", name="Enter").click()
    expect(panel.locator(".panel-top")).to_contain_text("connected")
    _call(system, own, f"/v1/{made['key']['name']}:revoke", {})
    # Keys are asked of the database every two seconds.
    expect(panel.locator(".panel-top")).to_contain_text("connected")
    panel.wait_for_timeout(3_000)
    panel.reload()

    expect(panel.locator(".panel-top")).to_contain_text("not paired")
    expect(panel.get_by_role("button", name=re.compile("Pair again"))).to_be_visible()


def _keys(system: System, key: str) -> list[dict[str, Any]]:
    return list(_call(system, key, "/v1/keys")["keys"])


def _call(system: System, key: str, path: str, body: dict[str, Any] | None = None) -> Any:
    request = urllib.request.Request(
        system.http_url + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"authorization": f"Bearer {key}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)
