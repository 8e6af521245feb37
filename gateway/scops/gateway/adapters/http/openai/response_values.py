"""Responses of OpenAI's form from and to the messages of Answer.

They say what a chat completion says, in the other shape of the same API: a response holds one
message of one text. Nothing is stored, so a conversation goes on by its earlier turns alone.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from scops.api.v1alpha1 import search_service_pb2 as search
from scops.gateway.adapters.http.openai.calls import event_of, invalid
from scops.gateway.adapters.http.openai.chat_values import (
    GrowingText,
    citations,
    not_answered,
    pieces,
    question_of,
    sources,
    tokens,
)

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
    cited = citations(answer.citations)
    ended = _response(about, COMPLETED)
    return {**ended, "output": output, "usage": usage, "citations": cited}


class Events:
    """The events of a streamed response, of the parts of an answer as they come.

    Args:
        about: as `whole` takes it.
    """

    end = b""

    def __init__(self, about: Mapping[str, Any]) -> None:
        self._about = about
        self._place = {**PLACE, "item_id": _message(about, IN_PROGRESS, [])["id"]}
        self._text = GrowingText()
        self._annotations = 0
        self._number = 0

    def of(self, part: search.StreamAnswerResponse) -> Iterator[bytes]:
        """Yields the events of a part."""
        for event in self._of(part):
            yield self._event(event)

    def progress(self, line: str) -> bytes:
        """Returns an event beside the text, of a type that clients know."""
        under_way = {**_response(self._about, IN_PROGRESS), "progress": line}
        return self._event({"type": "response.in_progress", "response": under_way})

    def broken(self, error: Mapping[str, Any]) -> bytes:
        """Returns the event of what the stream breaks off by."""
        told = {name: error[name] for name in ("code", "message", "param")}
        return self._event({"type": "error", **told})

    def _event(self, event: Mapping[str, Any]) -> bytes:
        numbered = {**event, "sequence_number": self._number}
        self._number += 1
        return event_of(numbered, str(event["type"]))

    def _of(self, part: search.StreamAnswerResponse) -> Iterator[dict[str, Any]]:
        if not self._number:
            begun = {**_response(self._about, IN_PROGRESS), "sources": sources(part.sources)}
            yield {"type": "response.created", "response": begun}
            yield {"type": "response.in_progress", "response": begun}
            item = _message(self._about, IN_PROGRESS, [])
            yield {"type": "response.output_item.added", "output_index": 0, "item": item}
            yield {"type": "response.content_part.added", **self._place, "part": _text("", [])}
        if part.HasField("statement"):
            told = part.statement
            yield from self._told(*self._text.add(told.statement, told.citations))
        elif part.HasField("answer"):
            if not self._text.length:
                yield from self._told(not_answered(part.answer), [])
            yield from self._ended(part.answer)

    def _told(self, text: str, annotations: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        yield {
            "type": "response.output_text.delta",
            **self._place,
            "delta": text,
            "logprobs": [],
            "citations": citations(self._text.cited.values()),
        }
        for annotation in annotations:
            yield {
                "type": "response.output_text.annotation.added",
                **self._place,
                "annotation_index": self._annotations,
                "annotation": _flat(annotation),
            }
            self._annotations += 1

    def _ended(self, answer: search.AnswerResponse) -> Iterator[dict[str, Any]]:
        ended = whole(answer, self._about)
        message = ended["output"][0]
        part = message["content"][0]
        text = {"text": part["text"], "logprobs": []}
        yield {"type": "response.output_text.done", **self._place, **text}
        yield {"type": "response.content_part.done", **self._place, "part": part}
        yield {"type": "response.output_item.done", "output_index": 0, "item": message}
        yield {"type": "response.completed", "response": ended}


def _response(about: Mapping[str, Any], status: str) -> dict[str, Any]:
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
        "citations": [],
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
