"""Embeddings in OpenAI's form."""

import base64
import struct
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.retrieval import EmbedResponse
from scops.gateway.adapters.http.openai.embedding_values import (
    check_dimensions,
    embedding_request,
    embeddings,
)

ROWS = ([1.0, 0.0], [0.5, -0.25])
PACKED = [struct.pack("<2f", *row) for row in ROWS]
RESPONSE = EmbedResponse(vectors=b"".join(PACKED), dimensions=2, embedder_id="two", tokens=5)


def body(**fields: Any) -> dict[str, Any]:
    return {"model": "two", "input": ["a", "b"], **fields}


def test_vectors_are_floats_or_base64() -> None:
    """A row each, in order, little-endian."""
    floats = embeddings(RESPONSE, embedding_request(body()))
    packed = embeddings(RESPONSE, embedding_request(body(encoding_format="base64")))

    assert list(ROWS) == [one["embedding"] for one in floats["data"]]
    assert PACKED == [base64.b64decode(one["embedding"]) for one in packed["data"]]
    assert [0, 1] == [one["index"] for one in packed["data"]]
    assert {"prompt_tokens": 5, "total_tokens": 5} == floats["usage"]
    assert "two" == floats["model"]


def test_one_text_is_a_list_of_one() -> None:
    """As official clients send it."""
    assert ("a",) == embedding_request(body(input="a")).texts


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        (None, "input"),
        ([], "input"),
        (body(model=None), "model"),
        (body(model=""), "model"),
        (body(model="\ud800"), "model"),
        (body(model="m" * 201), "model"),
        (body(input=None), "input"),
        (body(input=[1, 2]), "input"),
        (body(input=[[1, 2]]), "input"),
        (body(input="\ud800"), "input"),
        (body(encoding_format="int8"), "encoding_format"),
        (body(encoding_format=["float"]), "encoding_format"),
        (body(dimensions="2"), "dimensions"),
        (body(dimensions=True), "dimensions"),
    ],
)
def test_other_bodies_are_refused(sent: Any, field: str) -> None:
    """The error names the field."""
    with pytest.raises(InvalidInput) as raised:
        embedding_request(sent)

    assert ("REQUEST_UNREADABLE", field) == (raised.value.reason, raised.value.metadata["field"])


def test_vectors_are_not_cut() -> None:
    """Their own length may be asked for."""
    check_dimensions(RESPONSE, embedding_request(body(dimensions=2)))
    with pytest.raises(InvalidInput, match="2 dimensions"):
        check_dimensions(RESPONSE, embedding_request(body(dimensions=1)))
