"""OpenAI's form of a real gateway: who calls, what they see, and errors in its shape."""

import struct
from pathlib import Path

import openai
import pytest

from scops.common.contract.messages.retrieval import EmbedRequest, EmbedResponse
from scops.common.query.ports import EMBED
from tests.connected.gateway.explained import explained
from tests.connected.gateway.http_calls import SCOPE_BODY, HttpCalls, http_calls
from tests.fakes.identity import HeardClaims
from tests.fakes.worlds.gateway import served_gateway

EMBEDDER = "two/test"
REQUIRED = {"identity": "required", "principal_units_per_second": 0.0}


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> HeardClaims:
    return HeardClaims(monkeypatch)


async def keys(call: HttpCalls, heard: HeardClaims) -> tuple[str, str]:
    """Returns the key of an administrator, who has a scope `hidden`, and that of a stranger."""
    made = await call("POST", "/v1/installation:claim", json={"token": heard.tokens[0]})
    owner = str(made.json["key"])
    headers = {"x-api-key": owner}
    await call("POST", "/v1/scopes?scopeId=hidden", json=SCOPE_BODY, headers=headers)
    body = {"principal": "service:stranger"}
    stranger = await call("POST", "/v1/keys", json=body, headers=headers)
    return owner, str(stranger.json["secret"])


def client_of(call: HttpCalls, key: str) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{call.url}/v1", api_key=key, max_retries=0)


async def test_a_key_sees_the_models_of_its_scopes(tmp_path: Path, heard: HeardClaims) -> None:
    """A scope that is hidden from a caller is no model of theirs, by list, name or question."""
    async with served_gateway(tmp_path, **REQUIRED) as served, http_calls(served) as call:
        owner, stranger = await keys(call, heard)
        async with client_of(call, owner) as mine, client_of(call, stranger) as other:
            seen = [model.id async for model in mine.models.list()]
            unseen = [model.id async for model in other.models.list()]
            with pytest.raises(openai.NotFoundError):
                await other.models.retrieve("scops/hidden")
            with pytest.raises(openai.NotFoundError) as asked:
                await other.chat.completions.create(
                    model="scops/hidden", messages=[{"role": "user", "content": "What is it?"}]
                )

    assert ["scops/*", "scops/research", "scops/hidden"] == seen
    assert ["scops/*", "scops/research"] == unseen
    assert "SCOPE_NOT_FOUND" == asked.value.code


async def test_whoever_has_a_key_embeds_within_a_budget(tmp_path: Path, heard: HeardClaims) -> None:
    """The embedder is listed once a retriever is there, and each call costs as an answer does."""

    async def embed(request: EmbedRequest) -> EmbedResponse:
        row = struct.pack("<2f", 0.6, -0.8)
        return EmbedResponse(
            vectors=row * len(request.texts), dimensions=2, embedder_id=EMBEDDER, tokens=7
        )

    settings = {**REQUIRED, "principal_units_per_second": 4.0}
    async with served_gateway(tmp_path, **settings) as served, http_calls(served) as call:
        _, stranger = await keys(call, heard)
        async with client_of(call, stranger) as client:
            unlisted = [model.id async for model in client.models.list()]
            served.answer(EMBED, embed)
            listed = [model.id async for model in client.models.list()]
            embedded = await client.embeddings.create(model=EMBEDDER, input=["a", "b"])
            with pytest.raises(openai.RateLimitError) as spent:
                for _ in range(4):
                    await client.embeddings.create(model=EMBEDDER, input="a")

    assert ["scops/*", "scops/research"] == unlisted
    assert ["scops/*", "scops/research", EMBEDDER] == listed
    assert [pytest.approx([0.6, -0.8])] * 2 == [one.embedding for one in embedded.data]
    assert 7 == embedded.usage.total_tokens
    assert "RATE_LIMITED" == spent.value.code


async def test_a_stream_begins_with_what_was_found(tmp_path: Path) -> None:
    """Before there is an answer, in both shapes of the API; and says what it breaks off by."""
    ask = {"model": "scops/docs", "stream": True, "timeout": 1}
    async with (
        explained(tmp_path, deadline_default_seconds=1.0) as (served, explainer),
        http_calls(served) as call,
        client_of(call, "none") as client,
    ):
        message = {"role": "user", "content": "How often?"}
        chunks = await client.chat.completions.create(  # type: ignore[call-overload]
            messages=[message], **ask
        )
        first = (await anext(chunks)).to_dict()
        with pytest.raises(openai.APIError, match="deadline") as broken:
            await anext(chunks)
        events = await client.responses.create(  # type: ignore[call-overload]
            input="How often?", **ask
        )
        told = [event.to_dict() async for event in events]
        explainer.may_answer.set()
        again = await client.chat.completions.create(  # type: ignore[call-overload]
            messages=[message], **ask
        )
        rest = [chunk.to_dict() async for chunk in again]

    source = {"url": "https://docs.example.org/", "title": "https://docs.example.org/"}
    assert [source] == first["sources"] == told[0]["response"]["sources"]
    assert "DEADLINE_EXCEEDED" == broken.value.code
    assert ("error", "DEADLINE_EXCEEDED") == (told[-1]["type"], told[-1]["code"])
    assert [1, 2] == [one["number"] for one in rest[-1]["citations"]]


async def test_without_a_key_nothing_is_told(tmp_path: Path, heard: HeardClaims) -> None:
    """A wrong key is refused in the client's own terms, on every route."""
    async with served_gateway(tmp_path, **REQUIRED) as served, http_calls(served) as call:
        await keys(call, heard)
        async with client_of(call, "sk_no_such") as nobody:
            with pytest.raises(openai.AuthenticationError) as listed:
                await nobody.models.list()
            with pytest.raises(openai.AuthenticationError):
                await nobody.models.retrieve("scops/*")
            with pytest.raises(openai.AuthenticationError):
                await nobody.chat.completions.create(
                    model="scops/*", messages=[{"role": "user", "content": "?"}], stream=True
                )
            with pytest.raises(openai.AuthenticationError):
                await nobody.responses.create(model="scops/*", input="?")
            with pytest.raises(openai.AuthenticationError):
                await nobody.responses.create(model="scops/research", input="? https://a.test/")
            with pytest.raises(openai.AuthenticationError):
                await nobody.embeddings.create(model=EMBEDDER, input="a")
        bare = await call("GET", "/v1/models")

    assert "authentication_error" == listed.value.type
    assert (401, "authentication_error") == (bare.status, bare.json["error"]["type"])


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{", "REQUEST_UNREADABLE"),
        (b"[]", "REQUEST_UNREADABLE"),
        (b"", "REQUEST_UNREADABLE"),
        (b'{"model": "\\ud800", "messages": []}', "REQUEST_UNREADABLE"),
        (
            b'{"model": "\\ud800", "messages": [{"role": "user", "content": "x"}]}',
            "MODEL_UNKNOWN",
        ),
        (b"x" * (4 * 1024 * 1024 + 1), "REQUEST_TOO_LARGE"),
    ],
)
async def test_what_cannot_be_read_is_refused(tmp_path: Path, body: bytes, reason: str) -> None:
    """With 400 and a reason, never an INTERNAL."""
    headers = {"content-type": "application/json"}
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        answered = await call("POST", "/v1/chat/completions", data=body, headers=headers)

    assert (400, reason) == (answered.status, answered.json["error"]["code"])


@pytest.mark.parametrize("body", [b"{", b"[]", b"", b'{"model": "\\ud800", "input": "a"}'])
async def test_what_cannot_be_embedded_is_refused(tmp_path: Path, body: bytes) -> None:
    """With 400 and a reason, never an INTERNAL."""
    headers = {"content-type": "application/json"}
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        answered = await call("POST", "/v1/embeddings", data=body, headers=headers)

    assert (400, "REQUEST_UNREADABLE") == (answered.status, answered.json["error"]["code"])
