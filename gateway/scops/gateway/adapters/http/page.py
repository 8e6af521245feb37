"""A page that shows what the API offers; nothing of it is loaded from elsewhere."""

import base64
import hashlib
import json
from collections.abc import Iterator
from html import escape
from typing import Any

STYLE = """
:root { color-scheme: light dark; --line: color-mix(in srgb, CanvasText 18%, Canvas) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere }
details { border-top: 1px solid var(--line); padding: 0.5rem 0 }
summary { cursor: pointer }
summary b { display: inline-block; min-width: 4.5rem }
td, th { text-align: left; vertical-align: top; padding: 0.2rem 1rem 0.2rem 0 }
td:last-child { overflow-wrap: anywhere }
"""
_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
API_PAGE_HEADERS = {
    "cache-control": "private, no-cache",
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{_DIGEST}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


def api_page(described: bytes) -> bytes:
    """Returns the page of an OpenAPI document."""
    document = json.loads(described)
    info = document["info"]
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(info['title'])} API</title><style>{STYLE}</style></head><body><main>",
        f"<h1>{escape(info['title'])} API</h1><p>{escape(info['description'])}</p>",
        '<p>For programs: <a href="/openapi.json">openapi.json</a>. A credential goes into ',
        "<code>Authorization: Bearer …</code> or <code>X-Api-Key</code>; on this machine without ",
        "identity none is needed.</p>",
        *_operations(document),
        "</main></body></html>",
    ]
    return "".join(parts).encode()


def _operations(document: dict[str, Any]) -> Iterator[str]:
    for tag in document["tags"]:
        yield f"<h2>{escape(tag['name'])}</h2><p>{escape(tag['description'])}</p>"
        for path, verbs in document["paths"].items():
            for verb, operation in verbs.items():
                if tag["name"] in operation["tags"]:
                    yield from _operation(document, path, verb, operation)


def _operation(
    document: dict[str, Any], path: str, verb: str, operation: dict[str, Any]
) -> Iterator[str]:
    yield f"<details><summary><b>{verb.upper()}</b> <code>{escape(path)}</code></summary>"
    yield f"<p>{escape(operation['summary'])}</p><table><thead><tr><th scope='col'>field</th>"
    yield "<th scope='col'>in</th><th scope='col'>type</th><th scope='col'>meaning</th></tr>"
    yield "</thead><tbody>"
    for parameter in operation["parameters"]:
        yield _row(parameter["name"], parameter["in"], parameter["schema"], parameter)
    body = operation.get("requestBody")
    if body is not None:
        schema = _resolved(document, body["content"]["application/json"]["schema"])
        for name, field in schema["properties"].items():
            yield _row(name, "body", field, field)
    for kind, answer in operation["responses"]["200"]["content"].items():
        schema = _resolved(document, answer["schema"])
        # What is no JSON is one text.
        for name, field in schema.get("properties", {kind: schema}).items():
            yield _row(name, "response", field, field)
    yield "</tbody></table></details>"


def _row(name: str, where: str, schema: dict[str, Any], said: dict[str, Any]) -> str:
    cells = (f"<code>{escape(name)}</code>", where, escape(_kind(schema)))
    meaning = escape(said.get("description", ""))
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in (*cells, meaning)) + "</tr>"


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "oneOf" in schema:
        return " or ".join(_kind(one) for one in schema["oneOf"])
    if isinstance(schema["type"], list):
        return " or ".join(schema["type"])
    if schema["type"] == "array":
        return f"list of {_kind(schema['items'])}"
    return str(schema.get("format", schema["type"]))


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in schema:
        return schema
    name = str(schema["$ref"]).rpartition("/")[2]
    found: dict[str, Any] = document["components"]["schemas"][name]
    return found
