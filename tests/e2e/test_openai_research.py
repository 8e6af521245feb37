"""Research in OpenAI's form, by the official Python client: pages are fetched for a question."""

from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletionUserMessageParam

from scops.client import Scops
from tests.e2e.research_site import QUESTION, UNKNOWN, build_harbour, page, to
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

MODEL = "scops/research"


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    """A site whose start leads to the answer by a page between."""
    with running(Origin()) as site:
        build_harbour(site)
        yield site


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, origin: Origin) -> Iterator[System]:
    """A system that knows nothing yet."""
    with System(tmp_path_factory.mktemp("openai-research")) as running_system:
        yield running_system


@pytest.fixture
def client(system: System) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{system.http_url}/v1", api_key="none", max_retries=0) as opened:
        yield opened


def user(text: str) -> ChatCompletionUserMessageParam:
    return {"role": "user", "content": text}


def test_a_stream_tells_what_is_looked_at_and_then_the_answer(
    client: openai.OpenAI, system: System, origin: Origin
) -> None:
    """From the URL of the last message; what is looked at is no text of the answer."""
    asked = [user(f"{QUESTION} See {origin.url}/.")]
    told: list[Any] = [
        chunk.to_dict()
        for chunk in client.chat.completions.create(model=MODEL, messages=asked, stream=True)
    ]
    deltas = [chunk["choices"][0]["delta"] for chunk in told]
    text = "".join(delta.get("content") or "" for delta in deltas)
    progress = [chunk["progress"] for chunk in told if "progress" in chunk]
    first_text = next(place for place, delta in enumerate(deltas) if delta.get("content"))
    (cited,) = {
        one["url_citation"]["url"].partition("#")[0] for one in deltas[first_text]["annotations"]
    }
    with Scops(system.address) as scops:
        run = scops.get_research(told[0]["research"]).research

    assert "14 euros" in text
    assert f"{origin.url}/ferries/plover" == cited
    assert f"{origin.url}/" == progress[0]
    assert f"{origin.url}/ferries/plover by “click here”" in progress
    assert progress[-1].endswith("what it found suffices")
    assert not [line for line in progress if line.startswith("look") and line in text]
    assert all("progress" not in chunk for chunk in told[first_text:])
    assert "covered" == told[-1]["stop_reason"] == run.stop_reason
    assert QUESTION == run.question
    assert told[-1]["citations"][0]["version"]


def test_what_is_known_is_answered_whole(client: openai.OpenAI, origin: Origin) -> None:
    """As a completion and as a response, which say the same; nothing is fetched again."""
    before = len(origin.requests)
    asked = f"{QUESTION} {origin.url}/"
    completion = client.chat.completions.create(model=MODEL, messages=[user(asked)])
    response = client.responses.create(model=MODEL, input=asked)
    with client.responses.stream(model=MODEL, input=asked) as stream:
        events = list(stream)
        final = stream.get_final_response()
    under_way: list[Any] = [one.to_dict() for one in events if one.type == "response.in_progress"]
    told = [one["response"].get("progress") for one in under_way]
    message = completion.choices[0].message

    assert "14 euros" in (message.content or "")
    assert message.content == response.output_text == final.output_text
    assert message.annotations
    assert "covered" == completion.to_dict()["stop_reason"] == response.to_dict()["stop_reason"]
    assert told[-1].endswith("what it found suffices")
    assert before == len(origin.requests)


def test_without_an_answer_it_says_what_is_missing_and_why_it_stopped(
    client: openai.OpenAI, origin: Origin
) -> None:
    """Within the budget that the request gives."""
    completion = client.chat.completions.create(
        model=MODEL,
        messages=[user(f"{UNKNOWN} {origin.url}/")],
        extra_body={"budget": {"pages": 4}},
    )
    text = completion.choices[0].message.content or ""

    assert text.startswith("The chosen scopes do not answer this.")
    assert "godwit" in text
    assert "went no further" in text
    assert not completion.choices[0].message.annotations
    assert completion.to_dict()["stop_reason"] in {"pages", "low_gain", "cost", "nothing_left"}


def test_a_scope_is_looked_further_in(
    client: openai.OpenAI, system: System, origin: Origin
) -> None:
    """By the model's name, inside the scope's rules; without a URL."""
    origin.replace("/tern", page("Terns", to("/tern/eggs", "Eggs"), to("/about/1", "Tern eggs")))
    origin.replace("/tern/eggs", page("Eggs", "A sandwich tern lays two eggs in May."))
    inside = f"{origin.url}/tern".removeprefix("http://")
    system.create_scope("terns", seeds=[f"{origin.url}/tern"], include=[inside])
    system.crawl("terns", urls=[f"{origin.url}/tern"])
    completion = client.chat.completions.create(
        model=f"{MODEL}/terns", messages=[user("How many eggs does a sandwich tern lay?")]
    )
    found = client.models.retrieve(f"{MODEL}/terns")

    assert "two eggs" in (completion.choices[0].message.content or "")
    assert f"{MODEL}/terns" == found.id
    assert MODEL in [model.id for model in client.models.list()]


def test_what_cannot_be_begun_is_told(client: openai.OpenAI, origin: Origin) -> None:
    """Before anything is fetched, as errors of the client's own classes."""
    with pytest.raises(openai.BadRequestError) as nowhere:
        client.chat.completions.create(model=MODEL, messages=[user(QUESTION)], stream=True)
    with pytest.raises(openai.NotFoundError) as hidden:
        client.chat.completions.create(model=f"{MODEL}/none", messages=[user(QUESTION)])
    with pytest.raises(openai.BadRequestError) as outside:
        client.chat.completions.create(
            model=f"{MODEL}/terns", messages=[user(f"{QUESTION} {origin.url}/")]
        )

    assert ("FIELD_MISSING", "messages") == (nowhere.value.code, nowhere.value.param)
    assert "SCOPE_NOT_FOUND" == hidden.value.code
    assert "URL_OUTSIDE_SCOPE" == outside.value.code
