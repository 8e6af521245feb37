"""Answers as responses of OpenAI's form, and inputs as questions."""

import json
from typing import Any

import pytest

from scops.api.v1alpha1 import search_service_pb2 as search
from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.http.openai.chat_values import completion
from scops.gateway.adapters.http.openai.response_values import Events, response_request, whole
from tests.fakes.answer_parts import parts_of

ABOUT = {"id": "resp_1", "created_at": 1, "model": "scops/tarn"}


def answered() -> search.AnswerResponse:
    """Builds an answer of two statements, worded by a model."""
    return search.AnswerResponse(
        answered=True,
        statements=[
            search.Statement(text="It is 14 m deep 🏔.", citation_numbers=[1]),
            search.Statement(text="It freezes.", citation_numbers=[1, 2]),
        ],
        citations=[
            search.Citation(number=1, uri="https://docs.example.org/1", title="Depth"),
            search.Citation(number=2, uri="https://docs.example.org/2"),
        ],
        model=search.ModelUse(input_tokens=5, output_tokens=2),
    )


def asked(given: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "scops/tarn", "input": given, **fields}


def test_a_response_says_what_a_completion_says() -> None:
    """The same text, annotations and citations."""
    response = whole(answered(), ABOUT)
    part = response["output"][0]["content"][0]
    chat = completion(answered(), ABOUT)
    message = chat["choices"][0]["message"]

    assert message["content"] == part["text"]
    assert [one["url_citation"] for one in message["annotations"]] == [
        {key: value for key, value in one.items() if key != "type"} for one in part["annotations"]
    ]
    assert chat["citations"] == response["citations"]
    assert (5, 2, 7) == tuple(
        response["usage"][name] for name in ("input_tokens", "output_tokens", "total_tokens")
    )


def test_a_stream_ends_with_the_response() -> None:
    """Its deltas and annotations are those of the whole; sources come with the first event."""
    events = Events(ABOUT)
    told = [
        json.loads(data.partition(b"data: ")[2])
        for part in parts_of(answered())
        for data in events.of(part)
    ]
    response = whole(answered(), ABOUT)
    part = response["output"][0]["content"][0]

    assert list(range(len(told))) == [event["sequence_number"] for event in told]
    assert [{"url": "https://a.org/", "title": "A"}] == told[0]["response"]["sources"]
    deltas = [event for event in told if "delta" in event]
    assert response["citations"] == deltas[-1]["citations"]
    assert part["text"] == "".join(event.get("delta", "") for event in told)
    assert part["annotations"] == [event["annotation"] for event in told if "annotation" in event]
    assert response == told[-1]["response"]


@pytest.mark.parametrize(
    ("given", "query", "history"),
    [
        ("How deep?", "How deep?", []),
        ([{"role": "user", "content": "How deep?"}], "How deep?", []),
        (
            [
                {"role": "developer", "content": "Be brief."},
                {"role": "user", "content": [{"type": "input_text", "text": "Is it cold?"}]},
                whole(answered(), ABOUT)["output"][0],
                {"type": "message", "role": "user", "content": "How deep?"},
            ],
            "How deep?",
            ["Is it cold?", whole(answered(), ABOUT)["output"][0]["content"][0]["text"]],
        ),
    ],
)
def test_the_input_is_the_question(given: Any, query: str, history: list[str]) -> None:
    """What a response said may be sent back as it came."""
    request = response_request(asked(given))

    assert query == request.query
    assert history == [turn.text for turn in request.history]
    assert ["scopes/tarn"] == list(request.scopes)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (None, "input"),
        ([], "input"),
        (asked(None), "input"),
        (asked([]), "input"),
        (asked(["How deep?"]), "input"),
        (asked([{"type": "function_call_output", "output": "x"}]), "input"),
        (asked([{"role": "assistant", "content": "It is."}]), "input"),
        (asked([{"role": "user", "content": [{"type": "input_image"}]}]), "input"),
        (asked("\ud800"), "input"),
        ({"input": "How deep?"}, "model"),
        (asked("How deep?", previous_response_id="resp_0"), "previous_response_id"),
        (asked("How deep?", background=True), "background"),
    ],
)
def test_other_bodies_are_refused(body: Any, field: str) -> None:
    """The error names the field."""
    with pytest.raises(InvalidInput) as raised:
        response_request(body)

    assert ("REQUEST_UNREADABLE", field) == (raised.value.reason, raised.value.metadata["field"])
