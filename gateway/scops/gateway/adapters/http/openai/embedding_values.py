"""Embeddings of OpenAI's form from and to the messages of the retriever."""

import base64
import struct
from dataclasses import dataclass
from typing import Any

from scops.common.contract.messages.retrieval import EmbedResponse
from scops.gateway.adapters.http.openai.calls import has_surrogates, invalid

FLOAT, BASE64 = "float", "base64"
FLOAT_BYTES = 4
# Of a model.
NAME_CHARACTERS_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingRequest:
    """What a body asks.

    Attributes:
        model: the id of an embedder.
        encoding: `float` or `base64`, of little-endian float32.
        dimensions: that a vector is to have; None takes the embedder's.
    """

    model: str
    texts: tuple[str, ...]
    encoding: str
    dimensions: int | None


def embedding_request(body: Any) -> EmbeddingRequest:
    """Returns what a body asks.

    Raises:
        InvalidInput: it has another form.
    """
    if not isinstance(body, dict):
        raise invalid("The body is no JSON object.", "input")
    model, given = body.get("model"), body.get("input")
    if not isinstance(model, str) or not _is_name(model):
        raise invalid("The body names no embedder; GET /v1/models lists it.", "model")
    parts: list[Any] = given if isinstance(given, list) else [given]
    texts = tuple(text for text in parts if isinstance(text, str) and not has_surrogates(text))
    if len(texts) < len(parts):
        raise invalid(
            "The input is neither a text nor a list of texts. Numbers of tokens are not read: "
            "send the text itself (check_embedding_ctx_length=False in LangChain).",
            "input",
        )
    encoding = body.get("encoding_format") or FLOAT
    if encoding not in (FLOAT, BASE64):
        raise invalid("The encoding_format is neither float nor base64.", "encoding_format")
    dimensions = body.get("dimensions")
    if dimensions is not None and type(dimensions) is not int:
        raise invalid("The dimensions are no whole number; leave them away.", "dimensions")
    return EmbeddingRequest(model=model, texts=texts, encoding=encoding, dimensions=dimensions)


def embeddings(response: EmbedResponse, asked: EmbeddingRequest) -> dict[str, Any]:
    """Returns the vectors of a response as a list of embeddings."""
    size = response.dimensions * FLOAT_BYTES
    rows = [response.vectors[at : at + size] for at in range(0, len(response.vectors), size)]
    write = _as_base64 if asked.encoding == BASE64 else _as_floats
    return {
        "object": "list",
        "model": response.embedder_id,
        "data": [
            {"object": "embedding", "index": index, "embedding": write(row)}
            for index, row in enumerate(rows)
        ],
        "usage": {"prompt_tokens": response.tokens, "total_tokens": response.tokens},
    }


def check_dimensions(response: EmbedResponse, asked: EmbeddingRequest) -> None:
    """Checks that vectors are as long as they are asked for; none is cut.

    Raises:
        InvalidInput: they are not.
    """
    if asked.dimensions not in (None, response.dimensions):
        raise invalid(
            f"Vectors of {response.embedder_id} have {response.dimensions} dimensions and are not "
            f"cut to {asked.dimensions}: leave dimensions away.",
            "dimensions",
        )


def _is_name(model: str) -> bool:
    return model.isascii() and 0 < len(model) <= NAME_CHARACTERS_MAX


def _as_base64(row: bytes) -> str:
    return base64.b64encode(row).decode()


def _as_floats(row: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(row) // FLOAT_BYTES}f", row))
