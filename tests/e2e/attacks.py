"""Texts that would run or be loaded if a page took them for markup, and pages that hold them."""

from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from playwright.sync_api import Page

from tests.fakes.servers.origin import Origin

PAYLOADS: Sequence[str] = (
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' autofocus onfocus=alert(1) x='",
    "<a href=javascript:alert(1)>owls</a>",
    "[owls](javascript:alert(1)) ![owls](x)",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
    "<template><img src=x onerror=alert(1)></template>",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)}",
    "<base href=//evil.example/><meta http-equiv=refresh content=0;url=//evil.example/>",
    "&lt;img src=x onerror=alert(1)&gt; <b>\N{RIGHT-TO-LEFT OVERRIDE}owls</b>",
)
ASKED = "How many voles does the barn owl eat a night?"
# Icons are SVG of our own; a page of ours has none of the rest.
TAKEN = """() => [...document.querySelectorAll("body *")].filter(one =>
    ["IMG", "IFRAME", "BASE", "META", "TEMPLATE", "MATH"].includes(one.tagName.toUpperCase())
    || (one.tagName === "SCRIPT" && !one.src)
    || one.getAttributeNames().some(name => name.startsWith("on") || name === "srcdoc")
    || /^(javascript|data):/i.test(one.getAttribute("href") ?? "")
).map(one => one.outerHTML.slice(0, 200))"""


def attacking(origin: Origin, payload: str, place: int) -> str:
    """Puts a page on a site that has a payload in address, title, heading and text.

    Returns:
        its URL.
    """
    text = escape(payload)
    origin.replace(
        f"/attack/{place}{payload}.html",
        f"<!doctype html><title>Owls {text}</title><h1>Owls {text}</h1><p>Barn owl {place} of our "
        f"station eats 1{place} voles {text} a night. It sleeps by day in barns and old trees.</p>"
        f"<p>The young of owl {place} leave their nest after {place + 4} weeks {text}.</p>",
    )
    return f"{origin.url}/attack/{place}{quote(payload, safe='')}.html"


def taken(page: Page) -> list[str]:
    """Returns the elements of a page of ours that a payload has become."""
    return list(page.evaluate(TAKEN))
