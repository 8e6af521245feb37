"""The page where the gateway wants to know who calls."""

import itertools
import json
import urllib.error
import urllib.request
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.guarded import Guarded
from tests.e2e.web.manners import wrong


def test_a_key_lets_in_and_is_forgotten(guarded: Guarded, open_page: Callable[..., Page]) -> None:
    """Nothing is shown without a key, a wrong one is refused, and leaving forgets the right one."""
    page = open_page(guarded.http_url)
    page.get_by_label("API key").fill("no key of ours")
    page.get_by_role("button", name="Enter").click()
    expect(page.locator(".field-error")).to_contain_text("does not count here")
    page.get_by_label("API key").fill(guarded.key)
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_label("Address")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Address")).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Forget the key").click()

    expect(page.get_by_label("API key")).to_be_visible()
    assert 0 == page.evaluate("sessionStorage.length + document.cookie.length")


def test_who_asks_keeps_nobody_out(guarded: Guarded, open_page: Callable[..., Page]) -> None:
    """axe finds nothing where a key is asked for, in the settings, and where one pairs."""
    found = {}
    for is_phone, is_dark in itertools.product((False, True), (False, True)):
        page = open_page(f"{guarded.http_url}/me", is_phone=is_phone, is_dark=is_dark)
        page.get_by_label("API key").fill(guarded.key)
        found["sign in", is_phone, is_dark] = wrong(page)
        page.get_by_role("button", name="Enter").click()
        page.get_by_role("button", name="Forget the key").wait_for()
        found["settings", is_phone, is_dark] = wrong(page)
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keys").wait_for()
        found["keys", is_phone, is_dark] = wrong(page)
        page.goto(f"{guarded.http_url}/pair")
        page.get_by_role("button", name="Pair").wait_for()
        found["pair", is_phone, is_dark] = wrong(page)
        page.goto(f"{guarded.http_url}/scopes/a/b/c")
        page.get_by_role("heading", level=1).wait_for()
        found["nothing here", is_phone, is_dark] = wrong(page)

    assert {place: [] for place in found} == found


def test_no_cookie_is_a_credential(guarded: Guarded) -> None:
    """A key in cookies of any name is nobody, also for writes: a forged call has no identity."""
    key = guarded.key
    names = ("authorization", "Authorization", "scops.key", "session", "token", "key", "x-api-key")
    cookies = "; ".join(f"{name}={value}" for name in names for value in (key, f"Bearer%20{key}"))
    by_cookie = {"cookie": cookies, "content-type": "application/json"}
    by_header = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    told = {}
    for name, headers in (("cookie", by_cookie), ("header", by_header)):
        scope = {"seeds": ["https://a.example/"], "boundary": "BOUNDARY_HOST"}
        told[name] = (
            _sent(f"{guarded.http_url}/v1/scopes", headers),
            _sent(
                f"{guarded.http_url}/v1/scopes?scopeId=by-{name}",
                headers,
                json.dumps(scope).encode(),
            ),
        )
    guarded.call("/v1/scopes/by-header", method="DELETE")

    assert {"cookie": ((401, ""), (401, "")), "header": ((200, ""), (200, ""))} == told


def _sent(url: str, headers: dict[str, str], body: bytes | None = None) -> tuple[int, str]:
    """Returns the status of a call, and the cookie that it sets."""
    call = urllib.request.Request(url, data=body, headers=headers)
    try:
        with urllib.request.urlopen(call, timeout=60) as answer:
            return answer.status, answer.headers.get("set-cookie", "")
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get("set-cookie", "")
