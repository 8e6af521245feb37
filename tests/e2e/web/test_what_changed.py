"""What changed is filtered, stepped through, watched; and a page is read as it was."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from playwright.sync_api import Page, expect

from examples.site_server import SITE
from scops.api.v1alpha1 import transfer_service_pb2 as pb
from scops.api.v1alpha1 import transfer_service_pb2_grpc
from scops.client import Scops
from tests.e2e.system import System, call
from tests.e2e.web.manners import wrong
from tests.fakes.servers.origin import Origin

CHANGED = ("/policies/prices.html", "/policies/safety.html")
# Longer than the page looks back at first: what it meets there for the first time is added.
AGE = timedelta(days=40)
OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def changed(system: System, origin: Origin) -> System:
    """The system once it has seen two pages change that it has known for longer."""
    rule = origin.url.partition("://")[2] + "/policies"
    urls = [origin.url + path for path in CHANGED]
    system.create_scope("policies", seeds=urls, include=[rule])
    stub = transfer_service_pb2_grpc.TransferServiceStub(system.channel)
    older = [_seen_long_ago(origin, path) for path in CHANGED]
    request = pb.ImportPagesRequest(scope="scopes/policies", pages=older)
    taken = call(stub.ImportPages, request).results
    assert [pb.ImportResult.STATE_ACCEPTED] * len(CHANGED) == [one.state for one in taken]
    # Each is taken in once its text is found.
    system.until(lambda: set(urls) <= {url for url, *_ in system.chunks_by_url()})
    for path in CHANGED:
        origin.replace(path, (SITE / "edition-2" / path.lstrip("/")).read_bytes())
    system.crawl("policies", urls=urls)
    return system


def _seen_long_ago(origin: Origin, path: str) -> pb.ImportedPage:
    """Returns the page as an archive holds it that was made before the window."""
    observed = Timestamp()
    observed.FromDatetime(datetime.now(UTC) - AGE)
    body = origin.body(path)
    assert body is not None
    sent = pb.ImportedResponse(body=body, media_type="text/html", charset="utf-8")
    return pb.ImportedPage(uri=origin.url + path, observed_time=observed, response=sent)


def test_changes_are_filtered_and_stepped_through(changed: System, open_page: OpenPage) -> None:
    """By reason and weight; keys and buttons lead from one to the next, Enter to its page."""
    page = open_page(f"{changed.http_url}/scopes/policies/changes")
    titles = page.locator(".timeline .cited-title")
    expect(titles).to_have_count(2)
    of_one_page = page.locator(".filter-reasons button", has_text=re.compile(" 1$")).first
    of_one_page.click()
    expect(titles).to_have_count(1)
    expect(page.get_by_text("1 of 2 changes")).to_be_visible()
    of_one_page.click()
    expect(titles).to_have_count(2)
    page.get_by_label("Least weight").fill("0.05")
    expect(page.locator(".filter-weight output")).to_have_text("weight 0.05")
    page.keyboard.press("j")
    expect(titles.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(titles.nth(1)).to_be_focused()
    page.get_by_role("button", name="Previous change").click()
    expect(titles.nth(0)).to_be_focused()
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile("/pages/"))


def test_the_strip_leads_to_each_change(changed: System, open_page: OpenPage) -> None:
    """A press and the keys jump and keep the focus; letters go on from there; no phone has it."""
    page = open_page(f"{changed.http_url}/scopes/policies/changes")
    titles = page.locator(".timeline .cited-title")
    expect(titles).to_have_count(2)
    strip = page.get_by_label("Jump to a change")
    told = "aria-valuetext"
    expect(strip).to_have_attribute(told, re.compile(r"^1 of 2, .*, weight [01]\.\d\d$"))
    box, card = strip.bounding_box(), page.locator(".jumped").bounding_box()
    assert box is not None
    assert card is not None
    assert box["y"] + box["height"] <= card["y"] + card["height"]
    strip.click(position={"x": box["width"] / 2, "y": box["height"] - 3})
    expect(strip).to_have_attribute(told, re.compile("^2 of 2, "))
    expect(titles.nth(1)).to_be_in_viewport()
    strip.press("Home")
    expect(strip).to_have_attribute(told, re.compile("^1 of 2, "))
    strip.press("ArrowDown")
    expect(strip).to_be_focused()
    page.keyboard.press("k")
    expect(titles.nth(0)).to_be_focused()
    expect(strip).to_have_attribute(told, re.compile("^1 of 2, "))
    phone = open_page(f"{changed.http_url}/scopes/policies/changes", is_phone=True)
    phone.locator(".timeline").wait_for()

    expect(phone.get_by_label("Jump to a change")).to_be_hidden()


def test_a_watch_is_made_of_the_filters_and_ended(changed: System, open_page: OpenPage) -> None:
    """Its signing secret is shown once; what an address must not be is told."""
    page = open_page(f"{changed.http_url}/scopes/policies/changes")
    page.locator(".filter-reasons button").first.click()
    page.get_by_role("button", name="Watch").click()
    form = page.locator(".watch")
    form.get_by_label("Where").fill("http://127.0.0.1:9/in")
    form.get_by_role("button", name="Watch").click()
    expect(form.get_by_role("alert")).to_be_visible()
    form.get_by_label("Where").fill("https://hooks.example.org/in")
    form.get_by_role("button", name="Watch").click()
    expect(form.locator(".secret")).to_have_text(re.compile("^whsec_"))
    with Scops(changed.address) as client:
        (watch,) = (one for one in client.list_watches() if one.scope == "scopes/policies")
    form.get_by_role("button", name="End the watch").click()
    form.get_by_role("button", name="End", exact=True).click()
    expect(form.get_by_role("list")).to_have_count(0)

    assert 1 == len(watch.condition.counted_reasons)


def test_one_page_is_watched_alone(changed: System, origin: Origin, open_page: OpenPage) -> None:
    """Its watch names the page, and stands at the page, not at its scope."""
    name = _page_id(changed, origin)
    page = open_page(f"{changed.http_url}/pages/{name}")
    page.get_by_role("button", name="Watch").click()
    form = page.locator(".watch")
    form.get_by_label("Where").fill("https://hooks.example.org/page")
    form.get_by_role("button", name="Watch").click()
    expect(form.get_by_role("list")).to_contain_text("hooks.example.org")
    with Scops(changed.address) as client:
        (watch,) = (one for one in client.list_watches() if one.page == f"pages/{name}")
        client.delete_watch(watch.name)

    assert "" == watch.scope


def test_a_page_is_read_as_it_was_and_pinned(
    changed: System, origin: Origin, open_page: OpenPage
) -> None:
    """The slider shows what stood, marked as superseded; a pin is kept until it is ended."""
    page = open_page(f"{changed.http_url}/pages/{_page_id(changed, origin)}")
    text = page.locator(".then-text")
    state = page.locator(".state")
    expect(text).to_contain_text("17 euros")
    expect(state).to_have_text("current")
    page.get_by_label("Version", exact=True).press("ArrowLeft")
    expect(text).to_contain_text("14 euros")
    expect(state).to_have_text("superseded")
    page.get_by_role("button", name="Pin v1").click()
    expect(page.locator(".timeline li").last).to_contain_text("pinned")
    page.get_by_role("button", name="Unpin v1").click()
    expect(page.get_by_role("button", name="Pin v1")).to_be_visible()
    page.get_by_role("button", name="v2", exact=True).click()
    page.locator(".diff").first.wait_for()
    page.keyboard.press("n")

    expect(page.locator(".diff").first).to_be_focused()


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("is_phone", [False, True], ids=["1280", "360"])
def test_what_changed_keeps_nobody_out(
    changed: System, origin: Origin, open_page: OpenPage, *, is_phone: bool, is_dark: bool
) -> None:
    """axe finds nothing, with the filters and the watch open, and beside a page as it was."""
    page = open_page(
        f"{changed.http_url}/scopes/policies/changes", is_phone=is_phone, is_dark=is_dark
    )
    page.locator(".timeline").wait_for()
    page.get_by_role("button", name="Watch").click()
    found = {"changes": wrong(page)}
    page.goto(f"{changed.http_url}/pages/{_page_id(changed, origin)}")
    page.locator(".then-text").wait_for()
    page.locator(".diff").first.wait_for()
    page.get_by_role("button", name="Watch").click()
    found["page"] = wrong(page)

    assert {"changes": [], "page": []} == found


def _page_id(system: System, origin: Origin) -> str:
    with Scops(system.address) as client:
        return str(client.get_page(origin.url + CHANGED[0]).name.rpartition("/")[2])
