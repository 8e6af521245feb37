"""Texts of a caller as vectors of the embedder, comparable with those of the index."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from scops.common.access.permissions import Permission
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.retrieval import EmbedRequest, EmbedResponse
from scops.common.query.ports import EMBED
from scops.gateway.access.installation import check_caller
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.ports import GatewayPorts

# Both ways a message of the bus, of 512 KiB: four bytes a character, 1.5 KiB a vector.
TEXTS_MAX = 256
CHARACTERS_MAX = 100_000
# A list of models does not wait longer for a retriever.
LOOK_SECONDS = 2.0
# Whoever may ask at all may embed: nothing of any scope is read for it.
NEEDED = (Permission.ASK,)


async def embed(
    ports: GatewayPorts, call: Call, *, texts: Sequence[str], embedder_id: str
) -> EmbedResponse:
    """Returns a vector a text, in their order.

    Raises:
        NotAuthenticated: nobody has said who calls.
        InvalidInput: there is no text, too much of it, or another embedder is asked for.
        TransientError: no retriever answers.
    """
    check_caller(call.principal, NEEDED)
    _check_size(texts)
    request = EmbedRequest(texts=tuple(texts), embedder_id=embedder_id)
    return await ask(ports, EMBED, request, call=call)


async def embedder_id(ports: GatewayPorts, call: Call) -> str:
    """Returns which embedder there is.

    Raises:
        NotAuthenticated: nobody has said who calls.
        TransientError: no retriever answers soon.
    """
    check_caller(call.principal, NEEDED)
    soon = min(call.deadline, ports.clock.now() + timedelta(seconds=LOOK_SECONDS))
    return (await ask(ports, EMBED, EmbedRequest(), call=replace(call, deadline=soon))).embedder_id


def _check_size(texts: Sequence[str]) -> None:
    if not texts or not all(texts):
        raise InvalidInput(
            "There is nothing to embed: the input is empty, or one of its texts is.",
            reason="INPUT_EMPTY",
            field="input",
        )
    characters = sum(map(len, texts))
    if len(texts) > TEXTS_MAX or characters > CHARACTERS_MAX:
        raise InvalidInput(
            f"The input has {len(texts)} texts of {characters} characters; at most {TEXTS_MAX} "
            f"texts and {CHARACTERS_MAX} characters are embedded at once. Send it in parts.",
            reason="INPUT_TOO_LONG",
            field="input",
            texts_max=str(TEXTS_MAX),
            characters_max=str(CHARACTERS_MAX),
        )
