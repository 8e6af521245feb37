"""Chat completions of OpenAI's form from and to the messages of Answer.

What an answer says is one Markdown text: each statement with links to what it cites. The same
citations stand in `annotations`, with their place in the text, and whole at the top.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict

from scops.api.v1alpha1 import search_service_pb2 as search
from scops.gateway.adapters.http.openai.calls import (
    CHUNKS_END,
    event_of,
    has_surrogates,
    invalid,
)
from scops.gateway.adapters.http.openai.chat_models import chat_model

SPEAKERS = {
    "user": search.Turn.SPEAKER_USER,
    "assistant": search.Turn.SPEAKER_ASSISTANT,
}
# What these say is for models that are instructed; an answer follows from the scopes alone.
UNREAD_ROLES = ("system", "developer")
COMPLETION, CHUNK = "chat.completion", "chat.completion.chunk"
NOT_ANSWERED = "The chosen scopes do not answer this."
# A page's words are no markup: a picture in them would be loaded from whoever wrote the page.
TEXT_ESCAPES = str.maketrans({one: f"\\{one}" for one in "\\[]<"})
# They would end a link's address.
LINK_ESCAPES = str.maketrans({"(": "%28", ")": "%29", " ": "%20", "<": "%3C", ">": "%3E"})


def answer_request(body: Any) -> search.AnswerRequest:
    """Returns the question of a body: its last message, after the ones before.

    Raises:
        InvalidInput: the body has another form, or asks what is not served.
    """
    if not isinstance(body, dict):
        raise invalid("The body is no JSON object.", "messages")
    if body.get("n") not in (None, 1):
        raise invalid("A question has one answer here: leave n away.", "n")
    messages = body.get("messages")
    if not isinstance(messages, list):
        raise invalid("The body has no list of messages.", "messages")
    return question_of(body.get("model"), messages, "messages")


def question_of(model: Any, messages: list[Any], field: str) -> search.AnswerRequest:
    """Returns the question of a conversation: its last message, after the ones before.

    Args:
        field: of the body that holds the messages, for errors.

    Raises:
        InvalidInput: model or messages cannot be read.
    """
    if not isinstance(model, str):
        raise invalid("The body names no model, such as scops/*.", "model")
    turns = list(_turns(messages, field))
    if not turns or turns[-1].speaker != search.Turn.SPEAKER_USER:
        raise invalid("The last message is not the user's: it is the question.", field)
    asked = chat_model(model)
    request = search.AnswerRequest(query=turns[-1].text, scopes=asked.scopes, history=turns[:-1])
    if asked.as_of is not None:
        request.as_of_time.FromDatetime(asked.as_of)
    return request


def completion(response: search.AnswerResponse, about: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the completion of an answer.

    Args:
        about: what each completion says of itself: id, created, model.
    """
    told = tuple(pieces(response))
    message = {
        "role": "assistant",
        "content": "".join(text for text, _ in told),
        "refusal": None,
        "annotations": [one for _, annotations in told for one in annotations],
    }
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {
        **about,
        "object": COMPLETION,
        "choices": [choice],
        "usage": _usage(response),
        "citations": citations(response.citations),
    }


class Chunks:
    """The chunks of a streamed completion, of the parts of an answer as they come.

    Args:
        about: as `completion` takes it.
        with_usage: whether a last chunk says what it took.
    """

    end = CHUNKS_END

    def __init__(self, about: Mapping[str, Any], *, with_usage: bool) -> None:
        self._about = about
        self._with_usage = with_usage
        self._text = GrowingText()
        self._has_begun = False

    def of(self, part: search.StreamAnswerResponse) -> Iterator[bytes]:
        """Yields the events of a part."""
        for chunk in self._of(part):
            yield event_of(chunk)

    def progress(self, line: str) -> bytes:
        """Returns a chunk beside the text; many programs show what is reasoned before it."""
        told = _chunk(self._about, {"reasoning_content": f"{line}\n"})
        return event_of({**told, "progress": line})

    def broken(self, error: Mapping[str, Any]) -> bytes:
        """Returns the event of what the stream breaks off by."""
        return event_of({"error": error})

    def _of(self, part: search.StreamAnswerResponse) -> Iterator[dict[str, Any]]:
        if not self._has_begun:
            self._has_begun = True
            begun = _chunk(self._about, {"role": "assistant", "content": ""})
            yield {**begun, "sources": sources(part.sources)}
        if part.HasField("statement"):
            told = part.statement
            yield self._told(*self._text.add(told.statement, told.citations))
        elif part.HasField("answer"):
            if not self._text.length:
                yield self._told(not_answered(part.answer), [])
            finished = _chunk(self._about, {}, finish="stop")
            yield {**finished, "citations": citations(part.answer.citations)}
            if self._with_usage:
                usage = _usage(part.answer)
                yield {**self._about, "object": CHUNK, "choices": [], "usage": usage}

    def _told(self, text: str, annotations: list[dict[str, Any]]) -> dict[str, Any]:
        delta: dict[str, Any] = {"content": text}
        if annotations:
            delta["annotations"] = annotations
        # Clients keep the list of the last chunk that they read.
        so_far = citations(self._text.cited.values())
        return {**_chunk(self._about, delta), "citations": so_far}


def _chunk(
    about: Mapping[str, Any], delta: dict[str, Any], *, finish: str | None = None
) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return {**about, "object": CHUNK, "choices": [choice]}


def _turns(messages: list[Any], field: str) -> Iterator[search.Turn]:
    for message in messages:
        role = message.get("role") if isinstance(message, dict) else None
        if role in UNREAD_ROLES:
            continue
        if not isinstance(role, str) or role not in SPEAKERS:
            raise invalid(
                f"A message is of role {str(role)[:40]!r}; user, assistant, system and developer "
                "are taken.",
                field,
            )
        yield search.Turn(speaker=SPEAKERS[role], text=_text(message.get("content"), field))


def _text(content: Any, field: str) -> str:
    """Returns the text of a message: a string, or parts that are texts."""
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [one.get("text") if isinstance(one, dict) else None for one in parts]
    read = [text for text in texts if isinstance(text, str)]
    whole = "\n".join(read)
    if len(read) < len(parts) or has_surrogates(whole):
        raise invalid("The content of a message is no text; nothing else is read.", field)
    return whole


class GrowingText:
    """The text of an answer, a Markdown piece a statement.

    Attributes:
        length: code points so far.
        cited: the citations that came so far, by number.
    """

    def __init__(self) -> None:
        self.length = 0
        self.cited: dict[int, search.Citation] = {}

    def add(
        self, statement: search.Statement, cited: Iterable[search.Citation]
    ) -> tuple[str, list[dict[str, Any]]]:
        """Returns a statement as Markdown, with where in the whole text its links stand.

        Args:
            cited: what came with it; others came before.
        """
        self.cited |= {citation.number: citation for citation in cited}
        text, annotations = "\n\n" if self.length else "", []
        text += statement.text.translate(TEXT_ESCAPES)
        for number in statement.citation_numbers:
            if number not in self.cited:
                continue
            text += " "
            start, citation = self.length + len(text), self.cited[number]
            text += f"[[{number}]]({_address(citation)})"
            annotations.append(_annotation(citation, start, self.length + len(text)))
        self.length += len(text)
        return text, annotations


def pieces(response: search.AnswerResponse) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yields each statement as Markdown, with where in the whole text its links stand."""
    text = GrowingText()
    for statement in response.statements:
        yield text.add(statement, response.citations)
    if not text.length:
        yield not_answered(response), []


def not_answered(response: search.AnswerResponse) -> str:
    """Returns what stands in place of an answer."""
    return f"{NOT_ANSWERED} {response.shortfall_reason}".strip()


def sources(found: search.AnswerSources) -> list[dict[str, str]]:
    """Returns the pages that an answer is looked for in, best first."""
    pages = {passage.uri: passage.title or passage.uri for passage in found.passages}
    return [{"url": url, "title": title} for url, title in pages.items()]


def _annotation(citation: search.Citation, start: int, end: int) -> dict[str, Any]:
    """Returns a citation as OpenAI's clients know it; offsets are code points of the content."""
    place = {"start_index": start, "end_index": end}
    known = {"url": _address(citation), "title": citation.title or citation.uri}
    return {"type": "url_citation", "url_citation": {**known, **place}}


def _address(citation: search.Citation) -> str:
    return (citation.fragment_uri or citation.uri).translate(LINK_ESCAPES)


def citations(cited: Iterable[search.Citation]) -> list[dict[str, Any]]:
    """Returns citations whole, as ResolveCitations takes them back."""
    return [MessageToDict(one, preserving_proto_field_name=True) for one in cited]


def tokens(response: search.AnswerResponse) -> tuple[int, int]:
    """Returns what a model read and wrote; nothing where the answer needed none."""
    return response.model.input_tokens, response.model.output_tokens


def _usage(response: search.AnswerResponse) -> dict[str, int]:
    read, written = tokens(response)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
