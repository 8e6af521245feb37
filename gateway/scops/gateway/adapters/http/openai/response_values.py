"""Responses of OpenAI's form from and to the messages of Answer.

They say what a chat completion says, in the other shape of the same API: a response holds one
message of one text. Nothing is stored, so a conversation goes on by its earlier turns alone.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from scops.api.v1alpha1 import search_service_pb2 as search
from scops.gateway.adapters.http.openai.calls import invalid
from scops.gateway.adapters.http.openai.chat_values import citations, pieces, question_of, tokens

IN_PROGRESS, COMPLETED = "in_progress", "completed"
MESSAGE = "message"
# Parameters that lean on something stored, and what to do instead.
NOT_SERVED = ("previous_response_id", "conversation", "background", "prompt")
# Where the one text of the one message is.
PLACE = {"output_index": 0, "content_index": 0}


def response_request(body: Any) -> search.AnswerRequest:
    """Returns the question of a body: its input, or the last message of it after the ones before.

    Raises:
        InvalidInput: the body has another form, or asks what is not served.
    """
    if not isinstance(body, dict):
        raise invalid("The body is no JSON object.", "input")
    for name in NOT_SERVED:
        if body.get(name):
            raise invalid(
                f"{name} is not served, since no response is stored: leave it away, and send the "
                "earlier messages in input.",
                name,
            )
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    if not isinstance(items, list):
        raise invalid("The input is neither a text nor a list of messages.", "input")
    for item in items:
        if not isinstance(item, dict) or item.get("type", MESSAGE) != MESSAGE:
            raise invalid("An item of the input is no message; nothing else is read.", "input")
    return question_of(body.get("model"), items, "input")


def whole(answer: search.AnswerResponse, about: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the response of an answer.

    Args:
        about: what each response says of itself: id, created_at, model.
    """
    read, written = tokens(answer)
    usage = {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + written,
    }
    told = tuple(pieces(answer))
    text = "".join(piece for piece, _ in told)
    annotations = [_flat(one) for _, found in told for one in found]
    output = [_message(about, COMPLETED, [_text(text, annotations)])]
    return {**_response(answer, about, COMPLETED), "output": output, "usage": usage}


def events(answer: search.AnswerResponse, about: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the events of a streamed response: citations first, then a statement each.

    Args:
        about: as `whole` takes it.
    """
    for number, event in enumerate(_events(answer, about)):
        yield {**event, "sequence_number": number}


def _events(answer: search.AnswerResponse, about: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    begun, ended = _response(answer, about, IN_PROGRESS), whole(answer, about)
    message = ended["output"][0]
    part = message["content"][0]
    place = {**PLACE, "item_id": message["id"]}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    item = _message(about, IN_PROGRESS, [])
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.content_part.added", **place, "part": _text("", [])}
    count = 0
    for text, annotations in pieces(answer):
        yield {"type": "response.output_text.delta", **place, "delta": text, "logprobs": []}
        for annotation in annotations:
            yield {
                "type": "response.output_text.annotation.added",
                **place,
                "annotation_index": count,
                "annotation": _flat(annotation),
            }
            count += 1
    yield {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}
    yield {"type": "response.output_item.done", "output_index": 0, "item": message}
    yield {"type": "response.completed", "response": ended}


def _response(
    answer: search.AnswerResponse, about: Mapping[str, Any], status: str
) -> dict[str, Any]:
    return {
        **about,
        "object": "response",
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "output": [],
        "parallel_tool_calls": False,
        "previous_response_id": None,
        "store": False,
        "temperature": None,
        "text": {"format": {"type": "text"}},
        "tool_choice": "none",
        "tools": [],
        "top_p": None,
        "usage": None,
        "citations": citations(answer),
    }


def _message(
    about: Mapping[str, Any], status: str, content: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "id": f"msg_{about['id']}",
        "type": MESSAGE,
        "role": "assistant",
        "status": status,
        "content": content,
    }


def _text(text: str, annotations: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}


def _flat(annotation: Mapping[str, Any]) -> dict[str, Any]:
    """Returns an annotation of a chat completion as responses have it."""
    return {"type": annotation["type"], **annotation["url_citation"]}
