"""Describes the readable routes of the API as OpenAPI 3.1, from the protos and their comments."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import other_routes
from google.api import annotations_pb2, field_behavior_pb2
from google.protobuf import descriptor_pb2 as pb

# Of collections whose names are not of one thing and an s.
SINGULAR = {"watches": "watch"}
PACKAGE = ".scops.api.v1alpha1."
TITLE = "Scops"
ABOUT = (
    "Answers from an organisation's own slice of the web, with verbatim citations pinned to "
    "versions. The same methods are served over gRPC, Connect and gRPC-Web."
)
Field = pb.FieldDescriptorProto
SCALARS: dict[int, dict[str, Any]] = {
    Field.TYPE_STRING: {"type": "string"},
    Field.TYPE_BYTES: {"type": "string", "contentEncoding": "base64"},
    Field.TYPE_BOOL: {"type": "boolean"},
    Field.TYPE_DOUBLE: {"type": "number", "format": "double"},
    Field.TYPE_INT32: {"type": "integer", "format": "int32"},
    # JSON's numbers do not hold them.
    Field.TYPE_INT64: {"type": "string", "format": "int64", "pattern": "^-?[0-9]{1,19}$"},
}
WELL_KNOWN: dict[str, dict[str, Any]] = {
    ".google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    ".google.protobuf.FieldMask": {"type": "string", "description": "Names with commas."},
}
PROBLEM = {
    "type": "object",
    "description": "Why there is no response (RFC 9457).",
    "required": ["type", "title", "status", "detail", "reason", "metadata"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong, why, and what to do."},
        "reason": {"type": "string", "description": "For programs; stable."},
        "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
        "field": {"type": "string", "description": "The field of the request that it is about."},
        "retryAfterSeconds": {"type": "number"},
        "requestId": {"type": "string"},
    },
}
Path_ = tuple[int, ...]


class Described:
    """The API's messages and methods with their comments."""

    def __init__(self, image: pb.FileDescriptorSet) -> None:
        self.messages: dict[str, tuple[pb.DescriptorProto, str, list[str]]] = {}
        self.enums: dict[str, tuple[pb.EnumDescriptorProto, str]] = {}
        self.services: list[tuple[pb.ServiceDescriptorProto, str, list[str]]] = []
        for file in image.file:
            if f".{file.package}." == PACKAGE:
                self._read(file)

    def _read(self, file: pb.FileDescriptorProto) -> None:
        comments = {
            tuple(at.path): _text(at.leading_comments) for at in file.source_code_info.location
        }
        for index, enum in enumerate(file.enum_type):
            self.enums[PACKAGE + enum.name] = (enum, comments.get((5, index), ""))
        for index, message in enumerate(file.message_type):
            self._message(PACKAGE, message, (4, index), comments)
        for index, service in enumerate(file.service):
            said = [comments.get((6, index, 2, at), "") for at in range(len(service.method))]
            self.services.append((service, comments.get((6, index), ""), said))

    def _message(
        self, prefix: str, message: pb.DescriptorProto, path: Path_, comments: dict[Path_, str]
    ) -> None:
        said = [comments.get((*path, 2, at), "") for at in range(len(message.field))]
        self.messages[prefix + message.name] = (message, comments.get(path, ""), said)
        inner = f"{prefix}{message.name}."
        for index, enum in enumerate(message.enum_type):
            self.enums[inner + enum.name] = (enum, comments.get((*path, 4, index), ""))
        for index, nested in enumerate(message.nested_type):
            self._message(inner, nested, (*path, 3, index), comments)


def document(image: pb.FileDescriptorSet) -> dict[str, Any]:
    """Returns the OpenAPI document."""
    described = Described(image)
    paths: dict[str, dict[str, Any]] = {}
    for service, _, comments in described.services:
        for method, comment in zip(service.method, comments, strict=True):
            for path, verb, operation in _operations(described, service, method, comment):
                paths.setdefault(path, {})[verb] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": TITLE, "version": "v1alpha1", "description": ABOUT},
        "servers": [{"url": "/"}],
        "security": [{}, {"key": []}, {"token": []}],
        "tags": [
            {"name": service.name, "description": comment}
            for service, comment, _ in described.services
        ]
        + other_routes.TAGS,
        "paths": dict(sorted({**paths, **other_routes.PATHS}.items())),
        "components": {
            "schemas": {
                "Problem": PROBLEM,
                **dict(sorted(_schemas(described))),
                **other_routes.SCHEMAS,
            },
            "responses": {
                "Problem": {
                    "description": "Why there is no response.",
                    "content": {"application/problem+json": {"schema": _ref("Problem")}},
                }
            },
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
                "token": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def write_document(image: pb.FileDescriptorSet, target: Path) -> None:
    """Writes the document as JSON."""
    target.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document(image), indent=1, ensure_ascii=False, sort_keys=False)
    target.write_text(text + "\n")


def _operations(
    described: Described,
    service: pb.ServiceDescriptorProto,
    method: pb.MethodDescriptorProto,
    comment: str,
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    rule = method.options.Extensions[annotations_pb2.http]
    for number, one in enumerate((rule, *rule.additional_bindings)):
        verb = str(one.WhichOneof("pattern"))
        path, parameters, filled = _path(str(getattr(one, verb)))
        operation: dict[str, Any] = {
            "operationId": method.name + (str(number + 1) if number else ""),
            "tags": [service.name],
            "summary": comment,
            "parameters": parameters + _query(described, method.input_type, filled, one.body),
            "responses": {
                "200": _response(method),
                "default": {"$ref": "#/components/responses/Problem"},
            },
        }
        if one.body:
            operation["requestBody"] = {
                "required": True,
                "content": {
                    "application/json": {"schema": _body(described, method, one.body, filled)}
                },
            }
        yield path, verb, operation


def _response(method: pb.MethodDescriptorProto) -> dict[str, Any]:
    """Returns the response of a method; a stream's are events."""
    name = _name(method.output_type)
    if not method.server_streaming:
        return {
            "description": "The response.",
            "content": {"application/json": {"schema": _ref(name)}},
        }
    about = (
        f"Server-Sent Events: the data of each is a {name}; `end` and `problem`, with a Problem, "
        "are the last ones."
    )
    return {
        "description": about,
        "content": {
            "text/event-stream": {
                "schema": {"type": "string", "description": about},
                # As OpenAPI 3.2 calls it: of what each event's data is.
                "x-itemSchema": _ref(name),
            }
        },
    }


def _path(template: str) -> tuple[str, list[dict[str, Any]], str]:
    """Returns a path as OpenAPI writes it, its parameters, and the field that they fill."""
    before, _, rest = template.partition("{")
    if not rest:
        return template, [], ""
    inside, _, after = rest.partition("}")
    field, _, shape = inside.partition("=")
    collections = [part for part in shape.split("/") if part != "*"]
    names = [SINGULAR.get(one, one.removesuffix("s")) for one in collections]
    parameters = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": f"The id in `{collection}/ID`.",
            "schema": {"type": "string", "pattern": "^[^/:]+$"},
        }
        for collection, name in zip(collections, names, strict=True)
    ]
    pairs = zip(collections, names, strict=True)
    filled = "/".join(f"{collection}/{{{name}}}" for collection, name in pairs)
    return f"{before}{filled}{after}", parameters, field


def _query(described: Described, kind: str, filled: str, body: str) -> list[dict[str, Any]]:
    """Returns the plain fields of a request that neither path nor body says."""
    if body == "*":
        return []
    message, _, comments = described.messages[kind]
    parameters = []
    for field, comment in zip(message.field, comments, strict=True):
        if field.name in (filled.partition(".")[0], body) or not _is_plain(field):
            continue
        parameter = {
            "name": field.json_name,
            "in": "query",
            "required": _is_required(field),
            "schema": _field(field),
        }
        if comment:
            parameter["description"] = comment
        parameters.append(parameter)
    return parameters


def _body(
    described: Described, method: pb.MethodDescriptorProto, body: str, filled: str
) -> dict[str, Any]:
    if body != "*":
        message, _, _ = described.messages[method.input_type]
        (field,) = [field for field in message.field if field.name == body]
        inner, _, _ = described.messages[field.type_name]
        taken = filled.partition(".")[2]
        names = [one for one in inner.field if one.name != taken]
        if len(names) == len(inner.field):
            return _ref(_name(field.type_name))
        return _object(described, field.type_name, without=taken)
    return _object(described, method.input_type, without=filled)


def _schemas(described: Described) -> Iterator[tuple[str, dict[str, Any]]]:
    for kind, (enum, comment) in described.enums.items():
        names = [value.name for value in enum.value]
        yield _name(kind), {"type": "string", "enum": names, "description": comment}
    for kind, (message, _, _) in described.messages.items():
        if not message.options.map_entry:
            yield _name(kind), _object(described, kind)


def _object(described: Described, kind: str, without: str = "") -> dict[str, Any]:
    message, comment, comments = described.messages[kind]
    fields = [
        (field, said)
        for field, said in zip(message.field, comments, strict=True)
        if field.name != without
    ]
    schema: dict[str, Any] = {"type": "object", "additionalProperties": False}
    if comment:
        schema["description"] = comment
    required = [field.json_name for field, _ in fields if _is_required(field)]
    if required:
        schema["required"] = required
    schema["properties"] = {
        field.json_name: _commented(_field(field), said) for field, said in fields
    }
    return schema


def _field(field: Field) -> dict[str, Any]:
    one = _single(field)
    if field.label == Field.LABEL_REPEATED:
        return {"type": "array", "items": one}
    return one


def _single(field: Field) -> dict[str, Any]:
    if field.type in (Field.TYPE_MESSAGE, Field.TYPE_ENUM):
        known = WELL_KNOWN.get(field.type_name)
        return dict(known) if known is not None else _ref(_name(field.type_name))
    return dict(SCALARS[field.type])


def _commented(schema: dict[str, Any], comment: str) -> dict[str, Any]:
    return {**schema, "description": comment} if comment else schema


def _is_plain(field: Field) -> bool:
    return field.type != Field.TYPE_MESSAGE or field.type_name in WELL_KNOWN


def _is_required(field: Field) -> bool:
    behaviors = field.options.Extensions[field_behavior_pb2.field_behavior]
    return field_behavior_pb2.REQUIRED in behaviors


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _name(kind: str) -> str:
    return kind.removeprefix(PACKAGE)


def _text(comment: str) -> str:
    return " ".join(comment.split())
