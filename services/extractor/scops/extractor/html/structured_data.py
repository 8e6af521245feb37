"""JSON-LD of a page: the first value of a property, wherever schema.org lets it stand."""

import json
from collections import deque
from collections.abc import Iterator
from typing import Any

from lxml.html import HtmlElement

NODES_MAX = 10_000
BYTES_MAX = 1_000_000
# Other things than the page: their dates are not the page's.
_FOREIGN = {
    *("author", "citation", "comment", "hasPart", "itemListElement", "mentions"),
    *("publisher", "review", "video"),
}


def json_ld_objects(root: HtmlElement) -> list[dict[str, Any]]:
    """Returns the objects that describe the page, outermost first."""
    found: list[dict[str, Any]] = []
    for script in root.iter("script"):
        if (script.get("type") or "").strip().lower() == "application/ld+json":
            found.extend(_objects(script.text or ""))
    return found


def _objects(text: str) -> Iterator[dict[str, Any]]:
    if len(text) > BYTES_MAX:
        return
    try:
        # Line breaks inside strings are common on real pages.
        value = json.loads(text.strip().rstrip(";"), strict=False)
    except (ValueError, RecursionError):
        return
    queue: deque[Any] = deque([value])
    for _ in range(NODES_MAX):
        if not queue:
            return
        node = queue.popleft()
        if isinstance(node, dict):
            yield node
            queue.extend(child for name, child in node.items() if name not in _FOREIGN)
        elif isinstance(node, list):
            queue.extend(node)
