"""Readable routes: each method has one, each is told from the others, and values arrive."""

from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import MethodOptions

from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.http.routes import Route, Routes, all_routes, request_of
from scops.gateway.api.methods import METHODS, bound_methods

ROUTES = tuple(all_routes())
# Reads that fetch anew where they are asked to.
CAUSES_FETCHES = {"Answer", "StreamAnswer"}


def routed(path: str, verb: str) -> tuple[Route, tuple[str, ...]]:
    """Finds the route of a path."""
    found, segments = Routes().of_path(path)
    return found[verb], segments


def test_every_method_has_a_route() -> None:
    """And no route belongs to what the API lacks."""
    methods = {bound.path for service in METHODS for bound in bound_methods(service)}

    assert methods == {route.bound.path for route in ROUTES}


def test_no_two_routes_meet() -> None:
    """A path and a verb lead to one method, which they lead back to."""
    for route in ROUTES:
        path = route.template.replace("*", "one")
        assert routed(path, route.verb)[0] is not None
        assert route.bound.path == routed(path, route.verb)[0].bound.path
    shapes = [(route.verb, route.template) for route in ROUTES]

    assert len(shapes) == len(set(shapes))


def test_what_is_read_by_get_changes_nothing() -> None:
    """GET belongs to methods that say so in the proto and in the table of methods."""
    for service in METHODS:
        for bound in bound_methods(service):
            level = service.methods_by_name[bound.method.name].GetOptions().idempotency_level
            is_safe = level == MethodOptions.NO_SIDE_EFFECTS
            expected = bound.method.read_only and bound.method.name not in CAUSES_FETCHES
            assert expected == is_safe, bound.path
    for route in ROUTES:
        assert route.verb != "GET" or route.bound.method.read_only, route.template


def test_path_query_and_body_make_one_request() -> None:
    """The path fills the field that the annotation names, also inside of a message."""
    route, segments = routed("/v1/scopes/tarn:crawl", "POST")
    body = {"urls": ["https://a.org/"], "pageLimit": 4, "scope": "scopes/other"}
    made: Any = request_of(route, segments, [("requestId", "r")], body)

    assert ("scopes/tarn", ["https://a.org/"], 4, "r") == (
        made.job.scope,
        list(made.job.urls),
        made.job.page_limit,
        made.request_id,
    )


def test_query_holds_every_plain_kind_of_value() -> None:
    """Texts, lists, numbers, instants, booleans and optional ones, by either spelling."""
    route, segments = routed("/v1/search", "GET")
    query = [
        ("query", "how deep?"),
        ("scopes", "scopes/a"),
        ("scopes", "scopes/b"),
        ("page_size", "7"),
        ("asOfTime", "2026-05-01T00:00:00Z"),
        ("minScore", "0.25"),
        ("weights.alpha", "0.5"),
    ]
    made: Any = request_of(route, segments, query, None)
    changes, where = routed("/v1/scopes/tarn/changes", "GET")
    asked: Any = request_of(changes, where, [("withNoise", "true")], None)

    assert ["scopes/a", "scopes/b"] == list(made.scopes)
    assert (7, 0.25, 0.5) == (made.page_size, made.min_score, made.weights.alpha)
    assert 2026 == made.as_of_time.ToDatetime().year
    assert (True, "scopes/tarn") == (asked.with_noise, asked.scope)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ([("nothing", "1")], "FIELD_UNKNOWN"),
        ([("query.text", "1")], "FIELD_UNKNOWN"),
        ([("scopes.x", "1")], "FIELD_UNKNOWN"),
        ([("query", "a"), ("query", "b")], "FIELD_TWICE"),
        ([("preferredScopes", "a")], "FIELD_NOT_PLAIN"),
        ([("pageSize", "1.5")], "REQUEST_UNREADABLE"),
        ([("minScore", "much")], "REQUEST_UNREADABLE"),
        ([("asOfTime", "2026-99-01T00:00:00Z")], "REQUEST_UNREADABLE"),
        ([("weights", "x"), ("weights.alpha", "1")], "FIELD_NOT_PLAIN"),
        ([("weights.alpha", "1"), ("weights", "x")], "FIELD_TWICE"),
        ([("", "x")], "FIELD_UNKNOWN"),
    ],
)
def test_what_cannot_be_is_refused(query: list[tuple[str, str]], reason: str) -> None:
    """With the field and a reason."""
    route, segments = routed("/v1/search", "GET")
    with pytest.raises(InvalidInput) as caught:
        request_of(route, segments, query, None)

    assert reason == caught.value.reason
