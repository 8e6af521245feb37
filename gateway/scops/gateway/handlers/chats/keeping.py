"""Use cases of a chat as a whole, and how an answer joins one."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scops.common.access.permissions import Permission
from scops.common.contract.errors import InvalidInput, NotFound, QuotaReached
from scops.common.contract.ids import uuid7
from scops.common.contract.messages.explanation import (
    AnswerRequest,
    AnswerResponse,
    Speaker,
    Turn,
)
from scops.gateway.access.installation import check_installation
from scops.gateway.calls import Call
from scops.gateway.chats.chat import (
    CHATS_MAX,
    TITLE_CHARACTERS_MAX,
    TURNS_MAX,
    Chat,
    ChatId,
    ChatTurn,
    share_hash,
)
from scops.gateway.chats.store import ChatFilter
from scops.gateway.chats.stored_answer import shown_of, stored_answer
from scops.gateway.handlers.purges import standing_purges
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import HISTORY_CHARACTERS_MAX, checked_page_size
from scops.gateway.requests.names import chat_name, turn_name

ENTROPY_BYTES = 10
SHARE_BYTES = 24
# What a model is told of what was said before.
HISTORY_TURNS = 6
TEXT_CHARACTERS_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """An answer, and where it is kept.

    Attributes:
        turn: its name; empty where no chat was named.
    """

    answer: AnswerResponse
    turn: str = ""


async def create_chat(ports: GatewayPorts, call: Call, *, title: str) -> Chat:
    """Begins a chat.

    Raises:
        InvalidInput: the title is too long.
        QuotaReached: the caller has as many as may be.
    """
    now, principal = ports.clock.now(), call.principal
    chat = Chat(
        chat_id=ChatId(uuid7(now, ports.random.randbytes(ENTROPY_BYTES))),
        organisation_id=principal.organisation_id,
        owner=principal.principal_id,
        title=_checked_title(title),
        created_time=now,
        asked_time=now,
    )
    if not await ports.chats.create(chat, most=CHATS_MAX):
        raise QuotaReached(
            f"You have {CHATS_MAX} chats, as many as may be. Delete some first.",
            reason="CHATS_FULL",
            limit=str(CHATS_MAX),
        )
    return chat


async def list_chats(
    ports: GatewayPorts, call: Call, *, text: str, page_size: int, page_token: str
) -> tuple[tuple[Chat, ...], str]:
    """Returns the caller's chats, those asked last first, and the next token.

    Raises:
        InvalidInput: the text is too long, or the token is none.
    """
    if len(text) > TEXT_CHARACTERS_MAX:
        raise InvalidInput(
            f"The text has {len(text)} characters; at most {TEXT_CHARACTERS_MAX} are looked for.",
            reason="TEXT_TOO_LONG",
            field="text",
        )
    principal, size = call.principal, checked_page_size(page_size)
    bound_to = ("ListChats", principal.organisation_id, principal.principal_id, text)
    wanted = ChatFilter(
        organisation_id=principal.organisation_id,
        owner=principal.principal_id,
        text=text.strip(),
        before=await ports.tokens.open(page_token, bound_to=bound_to),
    )
    found = await ports.chats.newest(wanted, limit=size + 1)
    cursor = found[size - 1].chat_id if len(found) > size else ""
    return found[:size], await ports.tokens.seal(cursor, bound_to=bound_to)


async def rename_chat(ports: GatewayPorts, call: Call, *, chat_id: ChatId, title: str) -> Chat:
    """Gives a chat another title.

    Raises:
        InvalidInput: the title is empty or too long.
        NotFound: there is no such chat, or it is somebody else's.
    """
    chat = await own_chat(ports, call, chat_id)
    named = _checked_title(title)
    if not named:
        raise InvalidInput(
            "The title is empty; give some words.", reason="TITLE_EMPTY", field="title"
        )
    await ports.chats.rename(chat_id, named)
    return replace(chat, title=named)


async def delete_chat(ports: GatewayPorts, call: Call, *, chat_id: ChatId) -> None:
    """Deletes a chat with all that was asked and answered in it.

    Raises:
        NotFound: there is no such chat, or it is somebody else's.
    """
    await own_chat(ports, call, chat_id)
    await ports.chats.delete(chat_id)


async def share_chat(
    ports: GatewayPorts, call: Call, *, chat_id: ChatId, stop: bool
) -> tuple[Chat, str]:
    """Makes a link to a chat, or ends it; returns the chat and what the link has.

    Whoever reads by it reads no more of the answers than they may see themselves.

    Raises:
        NotFound: there is no such chat, or it is somebody else's.
    """
    chat = await own_chat(ports, call, chat_id)
    # It opens a chat, so it never comes from a seeded generator.
    share = "" if stop else secrets.token_urlsafe(SHARE_BYTES)
    kept = share_hash(share) if share else b""
    await ports.chats.share(chat_id, kept)
    return replace(chat, share_hash=kept), share


async def own_chat(ports: GatewayPorts, call: Call, chat_id: ChatId) -> Chat:
    """Returns a chat of the caller's.

    Raises:
        NotFound: there is no such chat, or it is somebody else's.
    """
    chat = await ports.chats.get(chat_id)
    if chat is None or not is_own(chat, call):
        raise chat_not_found(chat_id)
    return chat


def is_own(chat: Chat, call: Call) -> bool:
    """Returns whether a chat is the caller's."""
    owner = (call.principal.organisation_id, call.principal.principal_id)
    return (chat.organisation_id, chat.owner) == owner


def chat_not_found(chat_id: ChatId) -> NotFound:
    """Returns the error of a chat that is absent or hidden."""
    return NotFound(
        f"{chat_name(chat_id)} was not found, or is not yours, or its link was ended. List your "
        "chats to see which there are.",
        reason="CHAT_NOT_FOUND",
        field="name",
    )


async def joined_chat(
    ports: GatewayPorts, call: Call, chat_id: ChatId, question: AnswerRequest
) -> AnswerRequest:
    """Returns a question as it is asked in a chat, with what was said there before.

    Raises:
        NotPermitted: the caller may keep no chats.
        NotFound: there is no such chat, or it is somebody else's.
        QuotaReached: it has as many turns as may be.
    """
    check_installation(call.principal, Permission.KEEP_CHATS)
    chat = await own_chat(ports, call, chat_id)
    if chat.turn_count >= TURNS_MAX:
        raise _full()
    if question.history:
        return question
    turns = await ports.chats.last_turns(chat_id, limit=HISTORY_TURNS)
    return replace(question, history=_history(turns))


async def keep_answer(
    ports: GatewayPorts,
    call: Call,
    *,
    chat_id: ChatId,
    question: AnswerRequest,
    scopes: Sequence[str],
    answer: AnswerResponse,
) -> KeptAnswer:
    """Adds a question and its answer to a chat.

    Raises:
        NotFound: the chat was deleted since.
        QuotaReached: it has as many turns as may be, by now.
    """
    turn = ChatTurn(
        chat_id=chat_id,
        number=0,
        query=question.query,
        scopes=tuple(scopes),
        as_of_time=question.as_of_time,
        asked_time=ports.clock.now(),
        answer=stored_answer(answer),
    )
    title = question.query[:TITLE_CHARACTERS_MAX]
    number = await ports.chats.append(turn, title=title, most=TURNS_MAX)
    if not number:
        await own_chat(ports, call, chat_id)
        raise _full()
    await _drop_purged(ports, call, answer)
    return KeptAnswer(answer=answer, turn=turn_name(chat_id, number))


async def _drop_purged(ports: GatewayPorts, call: Call, answer: AnswerResponse) -> None:
    """Takes out what was marked as purged after the answer had been looked at.

    A purge that is marked after this finds the turn when the fetcher tells of its pages.
    """
    urls = {one.page_id: one.canonical_url for one in shown_of(answer)}
    for purge in await standing_purges(ports):
        meant = [
            page_id for page_id, url in urls.items() if purge.covers(page_id, url, observed=None)
        ]
        if meant:
            organisation_id = call.principal.organisation_id
            await ports.chats.purge(organisation_id, meant, before=purge.before_time)


def _history(turns: Sequence[ChatTurn]) -> tuple[Turn, ...]:
    """Returns what was said in some turns, as far back as is read."""
    said: list[Turn] = []
    room = HISTORY_CHARACTERS_MAX
    for turn in reversed([one for one in turns if one.answer.answered]):
        words = " ".join(one.text for one in turn.answer.statements)
        room -= len(turn.query) + len(words)
        if room < 0:
            break
        said[:0] = (
            Turn(speaker=Speaker.USER, text=turn.query),
            Turn(speaker=Speaker.ASSISTANT, text=words),
        )
    return tuple(said)


def _checked_title(title: str) -> str:
    named = title.strip()
    if len(named) > TITLE_CHARACTERS_MAX:
        raise InvalidInput(
            f"The title has {len(named)} characters; at most {TITLE_CHARACTERS_MAX} are kept.",
            reason="TITLE_TOO_LONG",
            field="title",
        )
    return named


def _full() -> QuotaReached:
    return QuotaReached(
        f"This chat has {TURNS_MAX} turns, as many as may be. Begin another one.",
        reason="CHAT_FULL",
        limit=str(TURNS_MAX),
    )
