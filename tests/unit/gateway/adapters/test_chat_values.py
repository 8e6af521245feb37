"""Answers as chat completions, and conversations as questions."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from scops.api.v1alpha1 import search_service_pb2 as search
from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.http.openai.chat_values import Chunks, answer_request, completion
from tests.fakes.answer_parts import parts_of

ABOUT = {"id": "chatcmpl-1", "created": 1, "model": "scops/tarn"}
URI = "https://docs.example.org/a_(b)"


def answered() -> search.AnswerResponse:
    """Builds an answer of two statements; the second one's page writes markup."""
    return search.AnswerResponse(
        answered=True,
        statements=[
            search.Statement(text="It is 14 m deep 🏔.", citation_numbers=[1]),
            search.Statement(text="See ![x](https://evil.example/) <b>", citation_numbers=[1, 2]),
        ],
        citations=[
            search.Citation(number=1, uri=URI, title="Depth", quote="14 m"),
            search.Citation(number=2, uri="https://docs.example.org/2"),
        ],
    )


def said(*messages: Any, **fields: Any) -> dict[str, Any]:
    """Builds the body of a request."""
    return {"model": "scops/tarn", "messages": list(messages), **fields}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def test_annotations_stand_where_the_links_are() -> None:
    """Offsets are code points of the content, and a link's address cannot end it."""
    message = completion(answered(), ABOUT)["choices"][0]["message"]
    links = [
        message["content"][one["url_citation"]["start_index"] : one["url_citation"]["end_index"]]
        for one in message["annotations"]
    ]
    safe = "https://docs.example.org/a_%28b%29"

    assert [f"[[1]]({safe})", f"[[1]]({safe})", "[[2]](https://docs.example.org/2)"] == links
    assert safe == message["annotations"][0]["url_citation"]["url"]


def test_words_of_a_page_are_no_markup() -> None:
    """A picture that a page writes is not loaded by who shows the answer."""
    content = completion(answered(), ABOUT)["choices"][0]["message"]["content"]

    assert "!\\[x\\](https://evil.example/) \\<b>" in content


def chunks(answer: search.AnswerResponse) -> Iterator[dict[str, Any]]:
    """Yields the chunks of an answer that comes part by part."""
    told = Chunks(ABOUT, with_usage=True)
    for part in parts_of(answer):
        for data in told.of(part):
            yield json.loads(data.removeprefix(b"data: "))


def test_a_stream_says_what_the_completion_says() -> None:
    """Text and annotations of all chunks are those of the whole; sources come first."""
    whole = completion(answered(), ABOUT)
    told = list(chunks(answered()))
    deltas = [chunk["choices"][0]["delta"] for chunk in told if chunk["choices"]]
    message = whole["choices"][0]["message"]

    assert message["content"] == "".join(delta.get("content", "") for delta in deltas)
    assert message["annotations"] == [
        one for delta in deltas for one in delta.get("annotations", [])
    ]
    assert [{"url": "https://a.org/", "title": "A"}] == told[0]["sources"]
    assert whole["citations"] == told[-2]["citations"]
    for chunk in told[1:-2]:
        numbers = {one["number"] for one in chunk["citations"]}
        links = re.findall(r"\[\[(\d+)\]\]", chunk["choices"][0]["delta"]["content"])
        assert numbers >= {int(number) for number in links}
    assert whole["usage"] == told[-1]["usage"]
    assert "stop" == told[-2]["choices"][0]["finish_reason"]


def test_without_an_answer_the_shortfall_is_said() -> None:
    """A client that shows text alone shows why there is none."""
    nothing = search.AnswerResponse(shortfall_reason="No passage names it.")
    message = completion(nothing, ABOUT)["choices"][0]["message"]

    assert message["content"].endswith("No passage names it.")
    assert [] == message["annotations"]


def test_a_stream_without_an_answer_says_the_shortfall() -> None:
    """As the only piece of its text."""
    nothing = search.AnswerResponse(shortfall_reason="No passage names it.")
    told = list(chunks(nothing))
    text = "".join(one["choices"][0]["delta"].get("content", "") for one in told[:-1])

    assert completion(nothing, ABOUT)["choices"][0]["message"]["content"] == text


def test_the_last_message_is_the_question() -> None:
    """Those before it are its history, without instructions; parts of text are joined."""
    parts = [{"type": "text", "text": "And"}, {"type": "text", "text": "now?"}]
    request = answer_request(
        said(
            {"role": "system", "content": "Be kind."},
            user("How deep?"),
            {"role": "assistant", "content": "14 m"},
            user(parts),
        )
    )

    assert "And\nnow?" == request.query
    assert ["scopes/tarn"] == list(request.scopes)
    assert ["How deep?", "14 m"] == [turn.text for turn in request.history]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (None, "messages"),
        ([], "messages"),
        ({"messages": [user("x")]}, "model"),
        ({"model": 1, "messages": [user("x")]}, "model"),
        ({"model": "scops/*"}, "messages"),
        (said(), "messages"),
        (said("x"), "messages"),
        (said({"role": "tool", "content": "x"}), "messages"),
        (said({"role": [], "content": "x"}), "messages"),
        (said({"role": "assistant", "content": "x"}), "messages"),
        (said(user(None)), "messages"),
        (said(user([{"type": "image_url"}])), "messages"),
        (said(user("\ud800")), "messages"),
        (said(user("x"), n=2), "n"),
    ],
)
def test_other_bodies_are_refused(body: Any, field: str) -> None:
    """Whatever it is, the error names the field."""
    with pytest.raises(InvalidInput) as raised:
        answer_request(body)

    assert field == raised.value.metadata["field"]
