"""The page before texts, titles, addresses and names that want to be markup, and before frames."""

import json
import re
import urllib.request
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.attacks import ASKED, PAYLOADS, attacking, taken
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

OpenPage = Callable[..., Page]
NAME = "Owls " + PAYLOADS[0]
# A pattern has no spaces; markup needs none.
RULE = "owls.example/<img/src=x/onerror=alert(1)>"


@pytest.fixture(scope="module")
def attacked(system: System, origin: Origin) -> System:
    """The system with every payload in the title, text and address of a page, and in names."""
    urls = [attacking(origin, payload, place) for place, payload in enumerate(PAYLOADS)]
    rules = [
        {"kind": "KIND_PREFIX", "pattern": origin.url.partition("://")[2]},
        {"kind": "KIND_PREFIX", "pattern": RULE, "exclude": True},
    ]
    scope = {"displayName": NAME, "seeds": urls[:1], "rules": rules}
    request = urllib.request.Request(
        f"{system.http_url}/v1/scopes?scopeId=barns",
        data=json.dumps(scope).encode(),
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as created:
        assert 200 == created.status
    system.crawl("barns", urls=urls)
    # Their second editions are what changed.
    for place, payload in enumerate(PAYLOADS):
        path = f"/attack/{place}{payload}.html"
        body = origin.body(path)
        assert body is not None
        origin.replace(path, body.replace(b"barns", b"towers"))
    system.crawl("barns", urls=urls)
    return system


def test_nothing_of_a_page_becomes_markup(attacked: System, open_page: OpenPage) -> None:
    """Shown in every place it is text: no element, no handler, no link that runs, no dialog."""
    dialogs: list[str] = []
    page = open_page(f"{attacked.http_url}/ask?scope=barns&q={ASKED}")
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.get_by_role("button", name=re.compile("^Citation 1")).first.click()
    page.locator(".evidence mark").wait_for()
    found = {"ask": taken(page)}
    history = page.get_by_role("link", name="History of the page").evaluate("link => link.href")
    places = {
        "scopes": ".pane",
        "scopes/barns": ".outcomes",
        "scopes/barns/changes": ".change, .timeline, ins",
        f"explain?scope=barns&q={ASKED}": ".rank-table",
        "jobs": ".table",
        history.removeprefix(f"{attacked.http_url}/"): ".timeline",
    }
    for place, awaited in places.items():
        page.goto(f"{attacked.http_url}/{place}")
        page.locator(awaited).first.wait_for()
        found[place] = taken(page)
    page.goto(f"{attacked.http_url}/jobs")
    page.get_by_role("link", name="@barns").first.click()
    page.get_by_text("What became of each page").click()
    page.locator("td.address, .address").first.wait_for()
    found["job"] = taken(page)
    page.goto(f"{attacked.http_url}/scopes")
    expect(page.locator("main")).to_contain_text(NAME)
    expect(page.locator("main")).to_contain_text(RULE)

    assert {place: [] for place in found} == found
    assert [] == dialogs


def test_nobody_frames_the_page(attacked: System, origin: Origin, chromium: Browser) -> None:
    """A page of another site that lays ours under its own buttons gets nothing to lay there."""
    origin.replace(
        "/frame.html",
        f"<!doctype html><title>Win</title><iframe src='{attacked.http_url}/me'></iframe>",
    )
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{origin.url}/frame.html")
    page.wait_for_load_state("networkidle")
    (framed,) = page.main_frame.child_frames
    shown = framed.evaluate("document.querySelector('#root') !== null")
    context.close()

    assert not shown
