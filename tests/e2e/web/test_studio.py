"""A scope is changed in a browser: rules with what they would do, members, history."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from scops.client import Scops
from tests.e2e.system import System
from tests.e2e.web.manners import wrong
from tests.fakes.servers.origin import Origin

PATHS = ("/about.html", "/releases/index.html", "/releases/4-2.html")
OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def crawled(system: System, origin: Origin) -> System:
    """The system once it knows some pages of the site as `studied`."""
    host = origin.url.partition("://")[2]
    system.create_scope("studied", seeds=[origin.url + "/about.html"], include=[host])
    system.crawl("studied", urls=[origin.url + path for path in PATHS])
    return system


def excluded(system: System) -> list[str]:
    """Returns what rules of the scope keep out, as it is stored."""
    with Scops(system.address) as client:
        return [rule.pattern for rule in client.get_scope("studied").rules if rule.exclude]


def test_a_rule_shows_what_it_would_do_before_it_is_made(
    crawled: System, origin: Origin, open_page: OpenPage
) -> None:
    """Known pages that come in or go out, by which rule; then its history, and back again."""
    host = origin.url.partition("://")[2]
    page = open_page(f"{crawled.http_url}/scopes")
    page.get_by_role("region", name="@studied").get_by_role("link", name="Open").click()
    preview = page.get_by_label("What these rules hold")
    expect(preview).to_contain_text("known pages.")
    page.get_by_role("button", name="Add a rule").click()
    page.get_by_label("Rule 2: in or out").select_option("out")
    page.get_by_label("Rule 2: pattern").fill(f"{host}/releases")
    expect(preview).to_contain_text("Goes out")
    expect(preview).to_contain_text(f"by prefix {host}/releases")
    page.get_by_label("Why, for the history").fill("old news")
    page.get_by_role("button", name="Change the scope").click()
    history = page.locator("section[aria-labelledby=history-title]")
    expect(history).to_contain_text("old news")
    expect(history).to_contain_text(f"{host}/releases")
    changed = excluded(crawled)
    page.get_by_role("button", name="Go back to revision 1").click()
    expect(page.get_by_label("Rule 2: pattern")).to_have_count(0)

    assert [f"{host}/releases"] == changed
    assert [] == excluded(crawled)


def test_a_scope_is_watched_where_it_is_made(crawled: System, open_page: OpenPage) -> None:
    """The watch is of all its pages, stands in the list of that place, and ends there."""
    page = open_page(f"{crawled.http_url}/scopes/studied")
    page.get_by_role("button", name="Watch").click()
    form = page.locator("section.watch")
    form.get_by_label("Where").fill("https://hooks.example.org/in")
    form.get_by_role("button", name="Watch").click()
    expect(form.get_by_role("list")).to_contain_text("hooks.example.org")
    with Scops(crawled.address) as client:
        (watch,) = (one for one in client.list_watches() if one.scope == "scopes/studied")
    found = wrong(page)
    form.get_by_role("button", name="End the watch").click()
    form.get_by_role("button", name="End", exact=True).click()
    expect(form.get_by_role("list")).to_have_count(0)

    assert "" == watch.page
    assert [] == found


def test_a_rule_that_cannot_be_read_is_told_at_once(crawled: System, open_page: OpenPage) -> None:
    """What was written stays, and nothing is stored."""
    page = open_page(f"{crawled.http_url}/scopes/studied")
    page.get_by_role("button", name="Add a rule").click()
    page.get_by_label("Rule 2: kind").select_option("KIND_REGEX")
    page.get_by_label("Rule 2: pattern").fill("https://a\\.example/(")

    expect(page.get_by_role("alert").first).to_be_visible()
    expect(page.get_by_label("Rule 2: pattern")).to_have_value("https://a\\.example/(")


def test_a_scope_is_shared_and_taken_back(crawled: System, open_page: OpenPage) -> None:
    """Its members have a role each; without one they are none."""
    page = open_page(f"{crawled.http_url}/scopes/studied")
    page.get_by_label("User, service or group").fill("group:readers")
    page.get_by_label("Role").select_option("SCOPE_ROLE_EDITOR")
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.get_by_role("list", name="Members")).to_contain_text("editor")
    page.get_by_role("button", name="Take back what group:readers may").click()

    expect(page.get_by_text("It is shared with nobody.")).to_be_visible()


def test_health_says_what_a_crawl_brought_and_sets_the_budget(
    crawled: System, origin: Origin, open_page: OpenPage
) -> None:
    """Pages by outcome, what is missing with what to do, and what keeps the scope fresh."""
    missing = origin.url + "/nowhere.html"
    crawled.create_scope("holes", seeds=[missing], include=[origin.url.partition("://")[2]])
    crawled.crawl("holes", urls=[missing])
    page = open_page(f"{crawled.http_url}/scopes/holes")
    health = page.locator("section[aria-labelledby=health-title]")
    expect(health).to_contain_text("1 gone: The server says that it is not found.")
    health.get_by_label("Fetches a day").fill("50")
    expect(health).to_contain_text("50 fetches a day at most")
    health.get_by_role("button", name="Set", exact=True).click()
    expect(health.get_by_role("button", name="Set", exact=True)).to_be_disabled()
    expect(page.locator("section[aria-labelledby=history-title]")).to_contain_text("Revision 2")

    with Scops(crawled.address) as client:
        assert 50 == client.get_scope("holes").recrawl_per_day


def test_a_scope_says_how_a_browser_shows_its_pages(
    crawled: System, origin: Origin, open_page: OpenPage
) -> None:
    """All of them or those that need it, so many a day, and how many of today's are used."""
    crawled.create_scope("shown", include=[origin.url.partition("://")[2]])
    page = open_page(f"{crawled.http_url}/scopes/shown")
    health = page.locator("section[aria-labelledby=health-title]")
    health.get_by_text("Pages by a browser", exact=True).click()
    health.get_by_label("A browser shows all of its pages").check()
    health.get_by_label("Pages a day by a browser").fill("40")
    expect(health).to_contain_text("Today 0 of 1,000.")
    health.get_by_role("button", name="Set browser").click()
    expect(page.locator("section[aria-labelledby=history-title]")).to_contain_text("Revision 2")
    health.get_by_text("Pages by a browser", exact=True).click()
    expect(health.get_by_label("Pages a day by a browser")).to_have_value("40")
    expect(health).to_contain_text("Today 0 of 40.")

    with Scops(crawled.address) as client:
        scope = client.get_scope("shown")
    assert (True, 40) == (scope.rendered_always, scope.rendered_per_day)


def test_a_scope_says_who_is_asked_for_papers(
    crawled: System, origin: Origin, open_page: OpenPage
) -> None:
    """Services are named one by one, and taken out again."""
    crawled.create_scope("papers", include=[origin.url.partition("://")[2]])
    page = open_page(f"{crawled.http_url}/scopes/papers")
    health = page.locator("section[aria-labelledby=health-title]")
    history = page.locator("section[aria-labelledby=history-title]")
    health.get_by_text("Papers", exact=True).click()
    expect(health).to_contain_text("They are told keyphrases of the question.")
    expect(health.get_by_role("button", name="Set services")).to_be_disabled()
    health.get_by_label("Europe PMC").check()
    health.get_by_label("arXiv").check()
    health.get_by_role("button", name="Set services").click()
    expect(history).to_contain_text("Revision 2")
    with Scops(crawled.address) as client:
        assert ["arxiv", "europe-pmc"] == sorted(client.get_scope("papers").paper_services)

    health.get_by_text("Papers", exact=True).click()
    expect(health.get_by_label("arXiv")).to_be_checked()
    health.get_by_label("arXiv").uncheck()
    health.get_by_role("button", name="Set services").click()
    expect(history).to_contain_text("Revision 3")
    with Scops(crawled.address) as client:
        assert ["europe-pmc"] == list(client.get_scope("papers").paper_services)


def test_rules_go_out_as_a_file_and_come_in_to_be_looked_at(
    crawled: System, origin: Origin, open_page: OpenPage, tmp_path: Path
) -> None:
    """What is exported is what `scops apply` reads; what comes in is shown, and not yet stored."""
    host = origin.url.partition("://")[2]
    page = open_page(f"{crawled.http_url}/scopes/studied")
    with page.expect_download() as exported:
        page.get_by_role("button", name="Export").click()
    path = tmp_path / "studied.yaml"
    exported.value.save_as(path)
    applied = crawled.run("apply", "-f", str(path), "--dry-run")
    (definition,) = json.loads(path.read_text())
    path.write_text(json.dumps([{**definition, "exclude": [f"prefix:{host}/releases"]}]))
    page.get_by_label("Import rules of a file").set_input_files(path)
    expect(page.get_by_label("Rule 2: pattern")).to_have_value(f"{host}/releases")
    expect(page.get_by_label("What these rules hold")).to_contain_text("Goes out")

    assert 0 == applied.code, applied.err
    assert [] == excluded(crawled)
    by_hand = tmp_path / "by-hand.yaml"
    by_hand.write_text("- name: studied")
    page.get_by_label("Import rules of a file").set_input_files(by_hand)
    expect(page.get_by_role("alert")).to_contain_text("scops apply")


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("is_phone", [False, True], ids=["1280", "360"])
def test_the_studio_keeps_nobody_out(
    crawled: System, open_page: OpenPage, *, is_phone: bool, is_dark: bool
) -> None:
    """axe finds nothing, while rules are changed."""
    page = open_page(f"{crawled.http_url}/scopes/studied", is_phone=is_phone, is_dark=is_dark)
    page.get_by_role("button", name="Add a rule").click()
    page.get_by_label("Rule 2: in or out").select_option("out")
    page.get_by_label("Rule 2: pattern").fill("127.0.0.1")
    expect(page.get_by_role("button", name="Change the scope")).to_be_visible()

    assert [] == wrong(page)
