"""Chats, which keep what was asked and answered; `answer` joins one."""

from scops.client.calls import Call, Listing, Plan
from scops.client.codec import read
from scops.client.methods.names import AnyChat, chat_name
from scops.client.values.chats import Chat, ChatTurn, SharedChat

SERVICE = "ChatService"


def create_chat(title: str = "") -> Plan[Chat]:
    """Begins a chat; without a title its first question is one."""
    return read(Chat, (yield Call(SERVICE, "CreateChat", {"title": title})).chat)


def get_chat(chat: AnyChat, *, share: str = "") -> Plan[Chat]:
    """Reads a chat of yours, or one of somebody else by what its link has."""
    fields = {"name": chat_name(chat), "share": share}
    return read(Chat, (yield Call(SERVICE, "GetChat", fields)).chat)


def list_chats(text: str = "", *, page_size: int = 100) -> Listing[Chat]:
    """Lists your chats, those asked last first.

    Args:
        text: that the title or a question holds, whatever its case; empty lists all.
    """
    fields = {"text": text, "page_size": page_size}
    return Listing(Call(SERVICE, "ListChats", fields), "chats", Chat)


def rename_chat(chat: AnyChat, title: str) -> Plan[Chat]:
    """Gives a chat another title."""
    call = Call(SERVICE, "RenameChat", {"name": chat_name(chat), "title": title}, is_harmless=True)
    return read(Chat, (yield call).chat)


def delete_chat(chat: AnyChat) -> Plan[None]:
    """Deletes a chat with all that was asked and answered in it."""
    yield Call(SERVICE, "DeleteChat", {"name": chat_name(chat)})


def share_chat(chat: AnyChat, *, stop: bool = False) -> Plan[SharedChat]:
    """Makes a link to a chat, in place of the one before, or ends it.

    Whoever reads by it sees no more of the answers than they may see themselves.
    """
    call = Call(SERVICE, "ShareChat", {"name": chat_name(chat), "stop": stop})
    return read(SharedChat, (yield call))


def list_chat_turns(chat: AnyChat, *, share: str = "", page_size: int = 25) -> Listing[ChatTurn]:
    """Lists what was asked in a chat and how it was answered, oldest first."""
    fields = {"name": chat_name(chat), "share": share, "page_size": page_size}
    return Listing(Call(SERVICE, "ListChatTurns", fields), "turns", ChatTurn)


def get_chat_turn(turn: ChatTurn | str, *, share: str = "") -> Plan[ChatTurn]:
    """Reads one answer of a chat with its evidence bundle, which `explain` takes.

    Args:
        turn: or its name, such as the `turn` of an answer.
    """
    name = turn if isinstance(turn, str) else turn.name
    fields = {"name": name, "share": share}
    return read(ChatTurn, (yield Call(SERVICE, "GetChatTurn", fields)).turn)
