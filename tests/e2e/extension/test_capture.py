"""A page behind a login is captured as its reader sees it, for one scope and nobody else."""

from aiohttp import web
from playwright.sync_api import expect

from scops.client import Scops
from tests.e2e.extension.browser import ExtendedBrowser
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

ACCOUNT = """<!doctype html><html lang=en><head><title>Your account</title>
<meta name=csrf-token content=secret-token><script>
document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("price").textContent =
    "The Heron tariff costs 77 euros a month and may be cancelled at the end of each quarter.";
  const inner = document.getElementById("card").attachShadow({ mode: "open" });
  inner.innerHTML = "<style>p{color:red}</style><p>Your adviser in Tarn is Ada Brook, room 12.</p>";
});
</script></head><body><h1>Your account</h1><p id=price onclick="alert('handler')"></p>
<div id=card></div><p style="display:none">Nobody sees this: hidden-words.</p>
<form><input name=iban value=typed-before><input type=hidden name=token value=secret-token>
<textarea>typed-long</textarea></form><a href="/guide/#x">The guide</a>
<iframe srcdoc="<p>framed-words</p>"></iframe></body></html>"""
WALL = """<!doctype html><title>Sign in</title><h1>Sign in</h1><form action=/login method=post>
<input name=user><input type=password name=password><button>Sign in</button></form>"""
QUESTION = "How much does the Heron tariff cost?"
UNSENT = ("secret-token", "hidden-words", "typed-", "framed-words", "handler", "<script", "<style")


async def account(request: web.Request) -> web.Response:
    """Shows the account to who has the cookie, and else a login."""
    text = ACCOUNT if request.cookies.get("session") == "ann" else WALL
    return web.Response(text=text, content_type="text/html")


def test_a_page_behind_a_login_is_captured_as_it_is_seen(
    system: System, origin: Origin, browser: ExtendedBrowser
) -> None:
    """After what will be sent was shown; no script, token, hidden part or typed word is in it."""
    origin.handle("/account", account)
    url = f"{origin.url}/account"
    for name in ("mine", "others"):
        system.create_scope(name, include=[origin.url.partition("://")[2]])
    browser.context.add_cookies([{"name": "session", "value": "ann", "url": origin.url}])
    browser.pair(system.http_url)
    page = browser.visit(url)
    page.get_by_role("textbox").first.fill("typed-now")
    panel = browser.panel()
    panel.get_by_text("Capture this page as you see it").click()
    panel.get_by_label("For", exact=True).select_option(label="@mine")
    panel.get_by_role("button", name="Show what would be sent").click()
    expect(panel.get_by_text("2 scripts and frames, 2 hidden parts")).to_be_visible()
    panel.get_by_text("How it begins").click()
    shown = panel.locator(".capture-shown").inner_text()
    with panel.expect_request("**/v1/scopes/mine:capture") as sent:
        panel.get_by_role("button", name="Capture it for @mine").click()
    expect(panel.locator(".verdict")).to_contain_text("Indexed in @mine", timeout=60_000)
    expect(panel.get_by_text("captured by local")).to_be_visible()

    assert "costs 77 euros" in shown
    assert f'href="{origin.url}/guide/#x"' in shown
    assert [] == [word for word in UNSENT if word in shown]
    assert {"uri", "content", "charset"} == set(sent.value.post_data_json or ())
    assert "cookie" not in sent.value.headers

    with Scops(system.address) as scops:
        scops.wait_job(scops.crawl("mine", urls=[url]))
        (citation, *_) = scops.answer(QUESTION, "mine").citations
        adviser = scops.search("Who is my adviser in Tarn?", "mine").passages

        assert ("local", url) == (citation.captured_by, citation.uri)
        assert any("Ada Brook" in one.text for one in adviser)
        assert [] == [one for one in scops.search(QUESTION, "others").passages if one.captured_by]


def test_nothing_is_captured_without_a_press(
    system: System, origin: Origin, browser: ExtendedBrowser
) -> None:
    """Looking at what would be sent sends nothing."""
    browser.pair(system.http_url)
    browser.visit(f"{origin.url}/about.html")
    panel = browser.panel()
    asked: list[str] = []
    panel.on("request", lambda request: asked.append(request.url))
    panel.get_by_text("Capture this page as you see it").click()
    panel.get_by_role("button", name="Show what would be sent").click()
    expect(panel.get_by_text("of text and structure")).to_be_visible()

    assert [] == [one for one in asked if one.endswith(":capture")]
