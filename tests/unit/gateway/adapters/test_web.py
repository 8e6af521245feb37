"""The built page: which addresses have it, and what its headers forbid."""

import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from scops.gateway.adapters.web import BUILT, PLACES, web_routes
from scops.gateway.api.methods import METHODS


@pytest.fixture(scope="module")
def door() -> TestClient:
    """The routes of the page, alone."""
    return TestClient(Starlette(routes=web_routes()))


@pytest.mark.parametrize(
    "path",
    [
        *PLACES,
        "/chats/01a2",
        "/scopes/tarn/changes",
        "/pages/b9cee73f",
        "/jobs/01a21122",
        "/researches/01a2",
    ],
)
def test_a_place_is_the_page(door: TestClient, path: str) -> None:
    """Whoever opens or reloads an address of the page gets the page."""
    response = door.get(path)

    assert 200 == response.status_code
    assert BUILT.joinpath("index.html").read_bytes() == response.content


def test_everything_that_the_page_names_is_served(door: TestClient) -> None:
    """Scripts, styles and pictures have the types that browsers insist on with nosniff."""
    named = re.findall(r'(?:src|href)="(/[^"]+)"', door.get("/").text)
    kinds = {path: door.get(path).headers["content-type"].partition(";")[0] for path in named}

    assert {"text/javascript", "text/css", "image/svg+xml"} == set(kinds.values())


def test_nothing_is_loaded_from_elsewhere(door: TestClient) -> None:
    """The policy names no origin but the page's own, and nothing inline; frames it makes itself."""
    policy = door.get("/").headers["content-security-policy"]
    parts = dict(one.strip().split(" ", 1) for one in policy.split(";"))

    assert "'none'" == parts.pop("default-src")
    assert "'none'" == parts["frame-ancestors"]
    assert "blob:" == parts.pop("frame-src")
    assert {"'self'", "'none'", "'script'"} == set(parts.values())


def test_a_page_that_is_held_already_is_not_sent_again(door: TestClient) -> None:
    """Names of files stay over releases; their tags do not."""
    first = door.get("/assets/index.js")
    second = door.get("/assets/index.js", headers={"if-none-match": first.headers["etag"]})

    assert (304, b"") == (second.status_code, second.content)


@pytest.mark.parametrize("path", ["/v1/scopes", "/api", "/nothing", "/assets/../settings.py"])
def test_no_other_address_is_the_page(door: TestClient, path: str) -> None:
    """Routes of the API, and what is nowhere, are left to others."""
    assert 404 == door.get(path).status_code


def test_no_place_hides_a_method() -> None:
    """Connect's paths begin with the name of a service, which no place does."""
    services = {f"/{service.full_name}" for service in METHODS}

    assert not services & {route.path for route in web_routes()}
