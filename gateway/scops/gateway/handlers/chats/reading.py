"""Use cases that read chats: each reader is shown what they may see themselves, now."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from scops.common.contract.errors import NotFound
from scops.common.contract.messages.explanation import AnswerResponse
from scops.common.contract.messages.types import Scope
from scops.gateway.access.postcheck import RulePostcheck, checked_answer
from scops.gateway.calls import Call
from scops.gateway.chats.chat import Chat, ChatId, ChatTurn
from scops.gateway.handlers.chats.keeping import chat_not_found, is_own
from scops.gateway.handlers.purges import standing_purges
from scops.gateway.handlers.research.own_scope import scope_that_was
from scops.gateway.handlers.scope_access import all_visible
from scops.gateway.ports import GatewayPorts
from scops.gateway.purges.purge import Purge
from scops.gateway.requests.limits import checked_page_size
from scops.gateway.requests.names import turn_name
from scops.gateway.research.research import Research

TURNS_LISTED_MAX = 25


async def get_chat(ports: GatewayPorts, call: Call, *, chat_id: ChatId, share: str) -> Chat:
    """Returns a chat of the caller's, or one that was shared by this link.

    Raises:
        NotFound: there is none, or it is somebody else's without that link.
    """
    chat = await ports.chats.get(chat_id)
    if chat is None or not (is_own(chat, call) or _is_shared(chat, call, share)):
        raise chat_not_found(chat_id)
    return chat


async def list_turns(
    ports: GatewayPorts,
    call: Call,
    *,
    chat_id: ChatId,
    share: str,
    page_size: int,
    page_token: str,
) -> tuple[tuple[ChatTurn, ...], str]:
    """Returns turns of a chat, oldest first, without bundles, and the next token.

    Raises:
        InvalidInput: the token is none.
        NotFound: there is no such chat for the caller.
    """
    chat = await get_chat(ports, call, chat_id=chat_id, share=share)
    size = min(checked_page_size(page_size), TURNS_LISTED_MAX)
    bound_to = ("ListChatTurns", call.principal.principal_id, chat_id)
    after = int(await ports.tokens.open(page_token, bound_to=bound_to) or 0)
    found = await ports.chats.turns(chat_id, after=after, limit=size + 1)
    cursor = str(found[size - 1].number) if len(found) > size else ""
    shown = await _shown(ports, call, chat, found[:size])
    return shown, await ports.tokens.seal(cursor, bound_to=bound_to)


async def get_turn(
    ports: GatewayPorts, call: Call, *, chat_id: ChatId, number: int, share: str
) -> ChatTurn:
    """Returns a turn of a chat with its evidence bundle, where nothing of it was withheld.

    Raises:
        NotFound: there is no such turn for the caller.
    """
    chat = await get_chat(ports, call, chat_id=chat_id, share=share)
    found = await ports.chats.turn(chat_id, number)
    if found is None:
        raise NotFound(
            f"{turn_name(chat_id, number)} was not found.", reason="TURN_NOT_FOUND", field="name"
        )
    return (await _shown(ports, call, chat, (found,)))[0]


def _is_shared(chat: Chat, call: Call, share: str) -> bool:
    is_here = chat.organisation_id == call.principal.organisation_id
    return is_here and bool(share) and chat.opens_by(share)


async def _shown(
    ports: GatewayPorts, call: Call, chat: Chat, turns: Sequence[ChatTurn]
) -> tuple[ChatTurn, ...]:
    """Returns turns as the caller may read them by the rules, rights and purges of now.

    The answer of a research whose own scope was not to be kept is still its owner's to read: it
    was made of what that scope let in.
    """
    scopes = await all_visible(ports, call)
    run = await ports.research.of_chat(chat.chat_id) if is_own(chat, call) else None
    dropped: tuple[Scope, ...] = ()
    # Asked last: what was there when the others were read may be gone by now.
    if run is not None and run.keep_days is not None and await _is_gone(ports, run):
        dropped = (scope_that_was(run),)
    purges = await standing_purges(ports)
    shown = []
    for turn in turns:
        besides = dropped if run is not None and turn.number == run.turn else ()
        shown.append(_checked(turn, (*scopes, *besides), purges))
        # Many answers by many scopes take a while; others are served in between.
        await asyncio.sleep(0)
    return tuple(shown)


async def _is_gone(ports: GatewayPorts, run: Research) -> bool:
    return await ports.scopes.get(run.organisation_id, run.scope_id) is None


def _checked(turn: ChatTurn, scopes: tuple[Scope, ...], purges: tuple[Purge, ...]) -> ChatTurn:
    postcheck = RulePostcheck(asked=scopes, newest=scopes, purges=purges)
    # A scope that is hidden by now is no leak: the answer is old.
    answer, _ = checked_answer(turn.answer, postcheck)
    answer = _without_blanks(answer)
    withheld = len(turn.answer.statements) - len(answer.statements)
    return replace(turn, answer=answer, withheld_statements=withheld)


def _without_blanks(answer: AnswerResponse) -> AnswerResponse:
    """Returns an answer without the statements whose words were purged."""
    statements = tuple(one for one in answer.statements if one.text)
    return replace(answer, statements=statements, answered=answer.answered and bool(statements))
