"""OpenAI's form of `scops up`, by the official Python client and as its guide writes it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletionUserMessageParam

from scops.client import Scops
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/api/openai.md").read_text()
FENCE = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODEL = "scops/tarn"
EMBEDDER = "multilingual-e5-small/int8/title-section"
QUESTION: ChatCompletionUserMessageParam = {
    "role": "user",
    "content": "How much does the River plan cost?",
}
GUIDE_SECONDS = 60


@pytest.fixture
def client(shared: System) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{shared.http_url}/v1", api_key="none", max_retries=0) as opened:
        yield opened


def test_models_are_scopes(client: openai.OpenAI, shared: System) -> None:
    """Those that the caller sees are listed, and each is found by its name."""
    with Scops(shared.address) as scops:
        seen = [scope.name.replace("scopes/", "scops/") for scope in scops.list_scopes()]
    listed = [model.id for model in client.models.list()]
    found = client.models.retrieve(MODEL)
    with pytest.raises(openai.NotFoundError) as raised:
        client.models.retrieve("scops/none")

    embedder = client.models.retrieve(EMBEDDER)

    assert MODEL in seen
    assert ["scops/*", "scops/research", *seen, EMBEDDER] == listed
    assert EMBEDDER == embedder.id
    assert MODEL == found.id
    assert "SCOPE_NOT_FOUND" == raised.value.code


def test_a_chat_is_answered_with_citations(client: openai.OpenAI) -> None:
    """As links in the text, as annotations and whole."""
    completion = client.chat.completions.create(model=MODEL, messages=[QUESTION])
    message = completion.choices[0].message
    assert message.annotations
    cited = message.annotations[0].url_citation
    whole: Any = completion.to_dict()
    first = whole["citations"][0]

    assert "14 euros" in (message.content or "")
    assert f"({cited.url})" == (message.content or "")[cited.start_index : cited.end_index][5:]
    assert "/policies/prices.html" in cited.url
    assert "14 euros" in first["quote"]
    assert first["version"]


def test_a_stream_says_the_same(client: openai.OpenAI) -> None:
    """What was found with the first chunk, then each statement with its annotations."""
    whole = client.chat.completions.create(model=MODEL, messages=[QUESTION])
    chunks = list(
        client.chat.completions.create(
            model=MODEL, messages=[QUESTION], stream=True, stream_options={"include_usage": True}
        )
    )
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    told: list[Any] = [delta.to_dict() for delta in deltas]
    annotations = [one for delta in told for one in delta.get("annotations", [])]
    message = whole.choices[0].message.to_dict()

    assert message["content"] == "".join(delta.content or "" for delta in deltas)
    assert message["annotations"] == annotations
    assert chunks[0].to_dict()["sources"]
    assert whole.to_dict()["citations"] == chunks[-2].to_dict()["citations"]
    assert chunks[-1].usage is not None


def test_a_response_says_what_a_chat_says(client: openai.OpenAI) -> None:
    """By an input that is a text, or a conversation that goes on with what was said."""
    chat = client.chat.completions.create(model=MODEL, messages=[QUESTION])
    response = client.responses.create(model=MODEL, input=str(QUESTION["content"]))
    said: Any = response.output[0].to_dict()
    again = client.responses.create(
        model=MODEL,
        instructions="Be brief.",
        input=[
            {"role": "user", "content": "What plans are there?"},
            said,
            {"role": "user", "content": str(QUESTION["content"])},
        ],
    )
    cited = said["content"][0]["annotations"][0]

    assert chat.choices[0].message.content == response.output_text
    assert "completed" == response.status
    assert (
        f"({cited['url']})" == (response.output_text[cited["start_index"] : cited["end_index"]][5:])
    )
    assert chat.to_dict()["citations"] == response.to_dict()["citations"]
    assert "14 euros" in again.output_text


def test_a_streamed_response_says_the_same(client: openai.OpenAI) -> None:
    """The client's own accumulator ends with the response; what was found comes at first."""
    response = client.responses.create(model=MODEL, input=str(QUESTION["content"]))
    with client.responses.stream(model=MODEL, input=str(QUESTION["content"])) as stream:
        events = list(stream)
        final = stream.get_final_response()
    first: Any = events[0].to_dict()
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]

    assert "response.created" == first["type"]
    assert first["response"]["sources"]
    assert response.to_dict()["citations"] == final.to_dict()["citations"]
    assert response.output_text == "".join(deltas) == final.output_text
    assert "completed" == final.status


def test_texts_are_embedded(client: openai.OpenAI) -> None:
    """As floats and as base64, which the client reads by itself; alike texts lie close."""
    texts = ["The River plan costs 14 euros.", "What does the River plan cost?", "Bees make honey."]
    floats = client.embeddings.create(model=EMBEDDER, input=texts, encoding_format="float")
    packed = client.embeddings.create(model=EMBEDDER, input=texts)
    alone = client.embeddings.create(model=EMBEDDER, input=texts[1])
    price, asked, bees = (one.embedding for one in floats.data)

    assert [0, 1, 2] == [one.index for one in floats.data]
    assert [one.embedding for one in packed.data] == [
        pytest.approx(one.embedding) for one in floats.data
    ]
    assert asked == pytest.approx(alone.data[0].embedding)
    assert {384} == {len(one.embedding) for one in floats.data}
    assert pytest.approx(1.0, abs=1e-5) == cosine(price, price)
    assert cosine(price, asked) > cosine(bees, asked) + 0.05
    assert EMBEDDER == floats.model
    assert floats.usage.total_tokens > alone.usage.total_tokens > 0


def test_what_cannot_be_embedded_is_refused(client: openai.OpenAI) -> None:
    """Another model, no text, and too much of it."""
    with pytest.raises(openai.BadRequestError) as unknown:
        client.embeddings.create(model=MODEL, input="a")
    with pytest.raises(openai.BadRequestError) as empty:
        client.embeddings.create(model=EMBEDDER, input=["a", ""])
    with pytest.raises(openai.BadRequestError) as much:
        client.embeddings.create(model=EMBEDDER, input=["a"] * 257)
    with pytest.raises(openai.BadRequestError) as cut:
        client.embeddings.create(model=EMBEDDER, input="a", dimensions=64)

    assert ("MODEL_UNKNOWN", "model") == (unknown.value.code, unknown.value.param)
    assert EMBEDDER in unknown.value.message
    assert "INPUT_EMPTY" == empty.value.code
    assert "INPUT_TOO_LONG" == much.value.code
    assert "dimensions" == cut.value.param


def cosine(first: list[float], second: list[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))


def test_errors_have_the_shape_of_the_client(client: openai.OpenAI) -> None:
    """Its own classes are raised, with our reason and the field."""
    with pytest.raises(openai.BadRequestError) as invalid:
        client.chat.completions.create(model="gpt-4", messages=[QUESTION])
    with pytest.raises(openai.NotFoundError) as hidden:
        client.chat.completions.create(model="scops/none", messages=[QUESTION], stream=True)

    with pytest.raises(openai.NotFoundError) as unseen:
        client.responses.create(model="scops/none", input="What is it?", stream=True)
    with pytest.raises(openai.BadRequestError) as stored:
        client.responses.create(model=MODEL, input="?", previous_response_id="resp_1")

    assert ("MODEL_UNKNOWN", "model") == (invalid.value.code, invalid.value.param)
    assert ["SCOPE_NOT_FOUND"] * 2 == [hidden.value.code, unseen.value.code]
    assert "previous_response_id" == stored.value.param


def test_the_guide_runs_as_it_is_written(shared: System, tarn: Origin) -> None:
    """Every block of docs/api/openai.md, each by what it is written for."""
    shells = {"python": [sys.executable, "-c"], "sh": ["bash", "-euo", "pipefail", "-c"]}
    blocks = FENCE.findall(GUIDE)
    for language, block in blocks:
        script = block.replace("http://127.0.0.1:7301", shared.http_url)
        script = script.replace("http://127.0.0.1:8099", tarn.url)
        script = script.replace("curl ", "curl --silent --show-error --fail-with-body ")
        done = subprocess.run(
            [*shells[language], script],
            capture_output=True,
            text=True,
            timeout=GUIDE_SECONDS,
            check=False,
        )
        assert 0 == done.returncode, done.stdout[-2000:] + done.stderr[-3000:]
        assert "14 euros" in done.stdout

    assert {"python", "sh"} == {language for language, _ in blocks}
