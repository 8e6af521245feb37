"""Routes that follow from no proto, in OpenAPI 3.1: OpenAI's form, feeds, bodies, and reports.

A test holds them against what the gateway serves.
"""

from typing import Any

from scops.gateway.adapters.research.values import ResearchReport

OPENAI = "OpenAI's form"
FEEDS = "Feeds"
BODIES = "Bodies"
REPORTS = "Reports"
TAGS = [
    {
        "name": OPENAI,
        "description": "What official clients of OpenAI's API call: a model is a scope or a set "
        "of scopes, and an answer is one of those scopes.",
    },
    {"name": FEEDS, "description": "What changed, for feed readers."},
    {"name": BODIES, "description": "What versions were taken out of, as it came."},
    {"name": REPORTS, "description": "What researches came to, for people and programs."},
]
TEXT, COUNT = {"type": "string"}, {"type": "integer"}
OBJECTS = {"type": "array", "items": {"type": "object"}}
MODEL_NAME = {
    "type": "string",
    "description": "Such as `scops/tarn`, `scops/tarn+laws@2026-05-01` or `scops/*`; "
    "`scops/research` and `scops/research/tarn` have pages fetched.",
}
STREAM = {"type": "boolean", "description": "Whether it comes as Server-Sent Events."}
# Of a model of research.
RESEARCH: dict[str, Any] = {
    "budget": {"$ref": "#/components/schemas/ResearchBudget"},
    "hosts": {"type": "array", "items": {"type": "string"}},
}


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


SCHEMAS: dict[str, Any] = {
    "OpenAiError": {
        "description": "Why there is no response, as OpenAI's clients read it.",
        **_object(
            ["error"],
            error=_object(
                ["message", "type", "param", "code"],
                message=TEXT,
                type=TEXT,
                param={"type": ["string", "null"]},
                code={"type": "string", "description": "The reason; stable."},
            ),
        ),
    },
    "OpenAiModel": _object(["id", "object"], id=TEXT, object=TEXT, created=COUNT, owned_by=TEXT),
    "OpenAiModels": _object(
        ["object", "data"], object=TEXT, data={"type": "array", "items": _ref("OpenAiModel")}
    ),
    "ChatCompletionRequest": _object(
        ["model", "messages"],
        model=MODEL_NAME,
        messages={
            "type": "array",
            "minItems": 1,
            "items": _object(["role"], role=TEXT, content={"type": ["string", "array", "null"]}),
            "description": "The last one is the question.",
        },
        stream=STREAM,
        stream_options=_object([], include_usage={"type": "boolean"}),
        **RESEARCH,
    ),
    "ChatCompletion": _object(
        ["id", "object", "created", "model", "choices", "citations"],
        id=TEXT,
        object=TEXT,
        created=COUNT,
        model=TEXT,
        choices=OBJECTS,
        usage={"type": "object"},
        citations={"type": "array", "items": {"type": "object"}},
    ),
    "ResponseRequest": _object(
        ["model", "input"],
        model=MODEL_NAME,
        input={"type": ["string", "array"], "description": "The question, or a conversation."},
        stream=STREAM,
        **RESEARCH,
    ),
    "Response": _object(
        ["id", "object", "status", "output", "citations"],
        id=TEXT,
        object=TEXT,
        status=TEXT,
        model=TEXT,
        output=OBJECTS,
        citations={"type": "array", "items": {"type": "object"}},
    ),
    "EmbeddingRequest": _object(
        ["model", "input"],
        model={"type": "string", "description": "The embedder, as the models list it."},
        input={
            "description": "A text, or at most 256 of them.",
            "oneOf": [TEXT, {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 256}],
        },
        encoding_format={"type": "string", "enum": ["float", "base64"]},
        dimensions=COUNT,
    ),
    "Embeddings": _object(
        ["object", "data", "model", "usage"],
        object=TEXT,
        data=OBJECTS,
        model=TEXT,
        usage={"type": "object"},
    ),
}


def _models(model: Any) -> dict[str, Any]:
    """Returns the schemas of a model and of what it is made of, by name."""
    whole = _untitled(model.model_json_schema(ref_template="#/components/schemas/{model}"))
    parts = whole.pop("$defs")
    return {**parts, model.__name__: whole}


def _untitled(schema: Any) -> Any:
    """Returns a schema without the titles that say its names again."""
    if isinstance(schema, list):
        return [_untitled(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    told = {key: value for key, value in schema.items() if (key, type(value)) != ("title", str)}
    return {key: _untitled(value) for key, value in told.items()}


SCHEMAS |= _models(ResearchReport)


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _openai(
    name: str,
    summary: str,
    response: str,
    *,
    body: str = "",
    streams: bool = False,
    parameters: tuple[dict[str, Any], ...] = (),
) -> dict[str, Any]:
    """Returns the operation of a route in OpenAI's form."""
    content = _content(_ref(response))
    if streams:
        content["text/event-stream"] = {"schema": TEXT}
    operation: dict[str, Any] = {
        "operationId": name,
        "tags": [OPENAI],
        "summary": summary,
        "parameters": list(parameters),
        "responses": {
            "200": {"description": "The response.", "content": content},
            "default": {
                "description": "Why there is no response.",
                "content": {
                    **_content(_ref("OpenAiError")),
                    "application/problem+json": {"schema": _ref("Problem")},
                },
            },
        },
    }
    if body:
        operation["requestBody"] = {"required": True, "content": _content(_ref(body))}
    return operation


def _query(name: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, "description": description}


TEXTS = {"type": "array", "items": TEXT}


def _feed(name: str, summary: str, parent: str, *more: dict[str, Any]) -> dict[str, Any]:
    """Returns the operation of a feed of changes; `parent` is the name in its path."""
    return {
        "operationId": name,
        "tags": [FEEDS],
        "summary": summary,
        "parameters": [
            {
                "name": parent,
                "in": "path",
                "required": True,
                "description": f"The id in `{parent}s/ID`.",
                "schema": {"type": "string", "pattern": "^[^/:]+$"},
            },
            _query("since", {"type": "string", "format": "date-time"}, "Else thirty days back."),
            _query("countedReasons", TEXTS, "Only changes for one of these reasons count."),
            _query("ignoredReasons", TEXTS, "Changes for nothing but these are noise."),
            _query("withNoise", {"type": "boolean"}, "Changes that are not semantic count too."),
            *more,
        ],
        "responses": {
            "200": {
                "description": "The feed (RFC 4287).",
                "content": {"application/atom+xml": {"schema": TEXT}},
            },
            "304": {"description": "Its reader has it."},
            "default": {"$ref": "#/components/responses/Problem"},
        },
    }


def _bytes(kind: str, description: str) -> dict[str, Any]:
    return {
        "200": {
            "description": description,
            "content": {kind: {"schema": {"type": "string", "format": "binary"}}},
        },
        "default": {"$ref": "#/components/responses/Problem"},
    }


BODY = {
    "operationId": "PageBody",
    "tags": [BODIES],
    "summary": "The body that a version was taken out of, as it came.",
    "parameters": [
        {
            "name": "page",
            "in": "path",
            "required": True,
            "description": "The id in `pages/ID`.",
            "schema": {"type": "string", "pattern": "^[^/:]+$"},
        },
        _query("version", TEXT, "A version's id, `latest` or `previous`; else the newest."),
    ],
    "responses": _bytes(
        "application/octet-stream", "A file; a PDF comes as `application/pdf`, to be shown."
    ),
}
CITED = {
    "operationId": "CitedVersions",
    "tags": [BODIES],
    "summary": "What citations name as a WARC file (ISO 28500), each version once.",
    "parameters": [],
    "requestBody": {"required": True, "content": _content(_ref("ResolveCitationsRequest"))},
    "responses": _bytes(
        "application/warc",
        "Records packed by gzip: `resource` for a body, `conversion` where the text alone is kept.",
    ),
}
REPORT = {
    "operationId": "ResearchReport",
    "tags": [REPORTS],
    "summary": "What a research found, how, at what cost, and what is missing.",
    "parameters": [
        {
            "name": "research",
            "in": "path",
            "required": True,
            "description": "The id in `researches/ID`.",
            "schema": {"type": "string", "pattern": "^[^/:]+$"},
        },
        _query(
            "format",
            {"type": "string", "enum": ["json", "md", "html"]},
            "Else by the header Accept; JSON where that names none of them.",
        ),
    ],
    "responses": {
        "200": {
            "description": "The report.",
            "content": {
                **_content(_ref("ResearchReport")),
                "text/markdown": {"schema": TEXT},
                "text/html": {"schema": TEXT},
            },
        },
        "304": {"description": "Its reader has it."},
        "default": {"$ref": "#/components/responses/Problem"},
    },
}
PAGE_SIZE = _query("pageSize", {"type": "integer", "format": "int32"}, "At most this many pages.")
FEED = _feed("ChangesFeed", "What changed on the pages of a scope, as Atom.", "scope", PAGE_SIZE)
PAGE_FEED = _feed("PageChangesFeed", "What changed on a page, as Atom.", "page")
MODEL_PARAMETER = {"name": "model", "in": "path", "required": True, "schema": TEXT}
PATHS: dict[str, Any] = {
    "/v1/scopes/{scope}/changes.atom": {"get": FEED},
    "/v1/pages/{page}/changes.atom": {"get": PAGE_FEED},
    "/v1/pages/{page}/body": {"get": BODY},
    "/v1/citations.warc": {"post": CITED},
    "/v1/researches/{research}/report": {"get": REPORT},
    "/v1/models": {"get": _openai("ListModels", "Lists the models.", "OpenAiModels")},
    "/v1/models/{model}": {
        "get": _openai(
            "GetModel", "Says that a model is there.", "OpenAiModel", parameters=(MODEL_PARAMETER,)
        )
    },
    "/v1/chat/completions": {
        "post": _openai(
            "CreateChatCompletion",
            "Answers the last message of a conversation.",
            "ChatCompletion",
            body="ChatCompletionRequest",
            streams=True,
        )
    },
    "/v1/responses": {
        "post": _openai(
            "CreateResponse",
            "Answers an input.",
            "Response",
            body="ResponseRequest",
            streams=True,
        )
    },
    "/v1/embeddings": {
        "post": _openai(
            "CreateEmbeddings",
            "Gives texts as vectors of the index's embedder.",
            "Embeddings",
            body="EmbeddingRequest",
        )
    },
}
