"""The installation is operated in a browser: parts, dead letters, keys, people, audit."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from scops.common.bus.embedded.nats_child import embedded_address
from scops.common.bus.nats_bus import open_bus
from scops.common.config.settings import CommonSettings
from tests.e2e.guarded import GRAFANA, Guarded
from tests.e2e.system import System
from tests.e2e.web.manners import wrong
from tests.fakes.worlds.services import outgoing, page_gone

OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def operated(guarded: Guarded) -> Guarded:
    """The system that wants to know who calls, with a dead letter."""
    # A thread of its own: Playwright keeps a loop running in this one.
    with ThreadPoolExecutor(1) as other:
        other.submit(lambda: asyncio.run(_give_something_up(guarded.system))).result()
    return guarded


async def _give_something_up(system: System) -> None:
    """Sends what is no message, which its consumer gives up at once."""
    common = CommonSettings.model_validate({"data_dir": system.data})
    address = embedded_address(common)
    assert address is not None
    bus = await open_bus(address, common)
    await bus.publisher.publish(replace(outgoing(page_gone(), "e-1"), data=b"\xff"))
    await bus.close()


def entered(operated: Guarded, open_page: OpenPage, **options: bool) -> Page:
    """Opens the operator's page by the key."""
    page = open_page(f"{operated.http_url}/operate", **options)
    page.get_by_label("API key").fill(operated.key)
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Operate")
    return page


def test_a_dead_letter_is_replayed_and_dropped(operated: Guarded, open_page: OpenPage) -> None:
    """Each part says how it is; a deed is asked about once, and stands in the audit."""
    page = entered(operated, open_page)
    parts = page.locator("#health")
    for part in ("message bus", "change detector", "retriever and index", "indexer"):
        expect(parts.get_by_role("row", name=part)).to_contain_text("works")
    expect(page.get_by_role("link", name="Grafana")).to_have_attribute("href", GRAFANA)
    letters = page.locator("#letters")
    expect(letters.locator("tbody tr")).to_have_count(1)
    letters.get_by_role("button", name="Replay the message").click()
    expect(letters).to_contain_text("Deliver it again?")
    page.keyboard.press("Escape")
    letters.get_by_role("button", name="Replay the message").click()
    letters.get_by_role("button", name="Replay", exact=True).click()
    expect(letters.locator("tbody")).to_contain_text("replayed")
    # It is given up again: it still is no message.
    expect(letters.locator("tbody tr")).to_have_count(2)
    letters.get_by_role("button", name="Drop the message").first.click()
    letters.get_by_role("button", name="Drop", exact=True).click()
    expect(letters).to_contain_text("The message is dropped.")
    audit = page.locator("#audit")
    audit.get_by_label("Action").fill("ReplayDeadLetter")
    audit.get_by_role("button", name="Filter").click()
    expect(audit.locator("tbody tr").first).to_contain_text("ReplayDeadLetter")
    audit.get_by_role("button", name="Verify the chain").click()

    expect(audit).to_contain_text("The chain holds")


def test_keys_and_roles_are_given_and_taken_back(operated: Guarded, open_page: OpenPage) -> None:
    """A key is shown once and ended; whoever comes by a key without a role sees none of this."""
    page = entered(operated, open_page)
    people, keys = page.locator("#people"), page.locator("#keys")
    people.get_by_label("User, service or group").fill("group:ops")
    people.get_by_role("button", name="Give the role").click()
    expect(people.get_by_role("row", name="group:ops")).to_contain_text("operator")
    people.get_by_role("button", name="Take back from group:ops").click()
    people.get_by_role("button", name="Take back", exact=True).click()
    expect(people.get_by_role("row", name="group:ops")).to_have_count(0)
    keys.get_by_label("Name").fill("reader")
    keys.get_by_label("Of", exact=True).fill("service:reader")
    keys.get_by_role("button", name="Make a key").click()
    secret = keys.locator(".secret").inner_text()

    other = open_page(f"{operated.http_url}/operate")
    other.get_by_label("API key").fill(secret)
    other.get_by_role("button", name="Enter").click()
    expect(other.get_by_text("This page is for operators")).to_be_visible()
    expect(other.get_by_role("link", name="Operate")).to_have_count(0)

    keys.get_by_role("button", name="Revoke the key reader").click()
    keys.get_by_role("button", name="Revoke", exact=True).click()
    expect(keys.get_by_role("row", name="reader").first).to_contain_text("ended")


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("is_phone", [False, True], ids=["1280", "360"])
def test_the_operators_page_keeps_nobody_out(
    operated: Guarded, open_page: OpenPage, *, is_phone: bool, is_dark: bool
) -> None:
    """axe finds nothing, and nothing scrolls sideways, also while a deed is asked about."""
    page = entered(operated, open_page, is_phone=is_phone, is_dark=is_dark)
    for part in ("#health", "#keys", "#quotas", "#audit"):
        page.locator(f"{part} tbody tr").first.wait_for()
    page.locator("#queues").get_by_role("button", name="Empty ones too").click()
    page.locator("#queues tbody tr").first.wait_for()
    page.locator("#keys").get_by_role("button", name="Revoke").first.click()

    assert [] == wrong(page)
