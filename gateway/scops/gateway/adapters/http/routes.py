"""Readable routes, as the protos' `google.api.http` annotations name them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.api.annotations_pb2 import http
from google.api.http_pb2 import HttpRule
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message

from scops.common.contract.errors import InvalidInput
from scops.gateway.api.method import BoundMethod
from scops.gateway.api.methods import METHODS, bound_methods
from scops.gateway.requests.limits import FIELD

WHOLE = "*"
BOOLEANS = {"true": True, "false": False}
TIMESTAMP, FIELD_MASK = "google.protobuf.Timestamp", "google.protobuf.FieldMask"
# Messages that JSON writes as one text.
TEXTS = frozenset({TIMESTAMP, FIELD_MASK})


@dataclass(frozen=True, slots=True)
class Route:
    """A readable route of a method.

    Attributes:
        verb: of HTTP, such as `GET`.
        segments: of the path; `*` stands for any one.
        custom: what follows the colon, such as `crawl`; empty for none.
        variable: the field that the segments from `start` to `end` fill; empty for none.
        body: the field that the body fills, `*` for the whole request, empty for none.
    """

    bound: BoundMethod
    verb: str
    segments: tuple[str, ...]
    custom: str
    variable: str
    start: int
    end: int
    body: str

    @property
    def template(self) -> str:
        """The path as readers see it."""
        path = "/" + "/".join(self.segments)
        return f"{path}:{self.custom}" if self.custom else path

    def fits(self, segments: Sequence[str]) -> bool:
        """Returns whether a path of as many segments is of this route."""
        pairs = zip(self.segments, segments, strict=True)
        return all(given == part or (part == WHOLE and given) for part, given in pairs)


class Routes:
    """All readable routes, by what a path looks like."""

    def __init__(self) -> None:
        self._by_shape: dict[tuple[int, str], list[Route]] = {}
        for route in all_routes():
            shape = (len(route.segments), route.custom)
            self._by_shape.setdefault(shape, []).append(route)

    def of_path(self, path: str) -> tuple[dict[str, Route], tuple[str, ...]]:
        """Returns the routes of a path by verb, and the path's segments."""
        *rest, last = path.removeprefix("/").split("/")
        last, _, custom = last.partition(":")
        segments = (*rest, last)
        candidates = self._by_shape.get((len(segments), custom), ())
        return {route.verb: route for route in candidates if route.fits(segments)}, segments


def all_routes() -> Iterator[Route]:
    """Yields the routes of every method."""
    for service in METHODS:
        for bound in bound_methods(service):
            options = service.methods_by_name[bound.method.name].GetOptions()
            rule = options.Extensions[http]
            for one in (rule, *rule.additional_bindings):
                yield _route(bound, one)


def _route(bound: BoundMethod, rule: HttpRule) -> Route:
    kind = str(rule.WhichOneof("pattern"))
    path, _, custom = str(getattr(rule, kind)).partition(":")
    before, _, rest = path.partition("{")
    inside, _, after = rest.partition("}")
    variable, _, shape = inside.partition("=")
    first, filled, last = _segments(before), _segments(shape), _segments(after)
    return Route(
        bound,
        verb=kind.upper(),
        segments=(*first, *filled, *last),
        custom=custom,
        variable=variable,
        start=len(first),
        end=len(first) + len(filled),
        body=rule.body,
    )


def _segments(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part)


def request_of(
    route: Route,
    segments: Sequence[str],
    query: Sequence[tuple[str, str]],
    body: Any,
) -> Message:
    """Returns the request that path, query and body say together.

    Args:
        body: as JSON said it; None for none.

    Raises:
        InvalidInput: a field is unknown, given twice, or has no such value.
    """
    descriptor = route.bound.request.DESCRIPTOR
    fields: dict[str, Any] = {}
    if body is not None:
        _put_body(route, fields, body)
    for name in dict.fromkeys(key for key, _ in query):
        _put(descriptor, fields, name, [value for key, value in query if key == name])
    if route.variable:
        name = "/".join(segments[route.start : route.end])
        _put(descriptor, fields, route.variable, [name], replaces=True)
    try:
        return ParseDict(fields, route.bound.request())
    except (ParseError, ValueError, TypeError, RecursionError) as error:
        raise InvalidInput(
            f"The request cannot be read: {error}. GET /openapi.json says what it may hold.",
            reason="REQUEST_UNREADABLE",
        ) from error


def _put_body(route: Route, fields: dict[str, Any], body: Any) -> None:
    if not isinstance(body, Mapping):
        raise InvalidInput("The body is no JSON object.", reason="REQUEST_UNREADABLE")
    if route.body == WHOLE:
        fields.update(body)
    elif route.body:
        fields[route.body] = dict(body)
    else:
        raise InvalidInput(
            f"{route.verb} {route.template} takes no body.", reason="REQUEST_UNREADABLE"
        )


def _put(
    descriptor: Any,
    fields: dict[str, Any],
    path: str,
    values: Sequence[str],
    *,
    replaces: bool = False,
) -> None:
    """Puts a value where its dotted path says."""
    *parents, name = path.split(".")
    for parent in parents:
        field = _field(descriptor, parent, path)
        if field.message_type is None or field.is_repeated:
            raise _unknown(path)
        descriptor = field.message_type
        inner = fields.setdefault(parent, {})
        if not isinstance(inner, dict):
            raise _unknown(path)
        fields = inner
    field = _field(descriptor, name, path)
    given = {field.name, field.json_name} & fields.keys()
    if given and not replaces:
        raise InvalidInput(
            f"{path} stands in the query and in the body; give it once.",
            reason="FIELD_TWICE",
            **{FIELD: path},
        )
    for key in given:
        del fields[key]
    fields[field.name] = _value(field, path, values)


def _value(field: FieldDescriptor, path: str, values: Sequence[str]) -> Any:
    if field.message_type is not None and field.message_type.full_name not in TEXTS:
        raise InvalidInput(
            f"{path} is no plain value; send it in the body of a POST.",
            reason="FIELD_NOT_PLAIN",
            **{FIELD: path},
        )
    read = [_scalar(field, path, value) for value in values]
    if field.is_repeated:
        return read
    if len(read) > 1:
        raise InvalidInput(
            f"{path} is given {len(read)} times; it takes one value.",
            reason="FIELD_TWICE",
            **{FIELD: path},
        )
    return read[0]


def _scalar(field: FieldDescriptor, path: str, value: str) -> Any:
    if field.type != FieldDescriptor.TYPE_BOOL:
        return value
    if value not in BOOLEANS:
        raise InvalidInput(
            f"{path} is `true` or `false`, not {value[:40]!r}.",
            reason="FIELD_INVALID",
            **{FIELD: path},
        )
    return BOOLEANS[value]


def _field(descriptor: Any, name: str, path: str) -> FieldDescriptor:
    field: FieldDescriptor | None = descriptor.fields_by_name.get(
        name
    ) or descriptor.fields_by_camelcase_name.get(name)
    if field is None:
        raise _unknown(path)
    return field


def _unknown(path: str) -> InvalidInput:
    return InvalidInput(
        f"The request has no field {path[:80]!r}. GET /openapi.json says what it may hold.",
        reason="FIELD_UNKNOWN",
        **{FIELD: path[:80]},
    )
