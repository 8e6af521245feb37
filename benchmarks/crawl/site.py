"""The made-up sites of the crawling benchmark: their pages, and the links a crawler takes.

Both crawlers take links with `links_of`, so that neither parses more than the other.
"""

import random
from urllib.parse import urljoin

from lxml import html

from benchmarks.shared.system.html_pages import simple_page

CHILDREN = 4
OTHER_LINKS = 12
WORDS = 1400
PRIVATE = "/private/minutes.html"
ROBOTS = b"User-agent: *\nDisallow: /private/\n"
SYLLABLES = ("la", "mo", "ri", "ten", "ka", "su", "vel", "dor", "ni", "pas")


def path_of(number: int) -> str:
    """Returns the path of a page; page 0 is the seed."""
    return f"/pages/{number}.html"


def page(host: str, number: int, *, pages: int, edition: int = 0) -> bytes:
    """Returns a page of about 11 KB that links to its children in a tree and to some others.

    Args:
        pages: of the host; every one is reached from page 0.
        edition: another one has another sentence.
    """
    chance = random.Random(f"{host} {number}")
    words = ("".join(chance.choices(SYLLABLES, k=3)) for _ in range(WORDS))
    children = range(CHILDREN * number + 1, min(CHILDREN * (number + 1) + 1, pages))
    others = (chance.randrange(pages) for _ in range(OTHER_LINKS))
    targets = [PRIVATE, *map(path_of, (*children, *others))]
    links = "".join(f'<li><a href="{target}">{target}</a></li>' for target in targets)
    text = f"<p>Edition {edition}.</p><p>{' '.join(words)}</p>"
    return simple_page(f"Page {number}", f"{text}<ul>{links}</ul>")


def links_of(body: bytes, url: str) -> list[str]:
    """Returns the absolute targets of a page's links, each once, in their order."""
    anchors = html.document_fromstring(body).iter("a")
    targets = (anchor.get("href") for anchor in anchors)
    return list(dict.fromkeys(urljoin(url, target) for target in targets if target))
