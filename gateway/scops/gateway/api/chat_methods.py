"""The methods of the ChatService as rows."""

from google.protobuf.descriptor import ServiceDescriptor

from scops.api.v1alpha1 import chat_service_pb2 as protos
from scops.common.access.permissions import Permission
from scops.gateway.api.arguments import results, same
from scops.gateway.api.method import Method
from scops.gateway.handlers.chats import keeping, reading
from scops.gateway.requests.names import chat_of, turn_of

KEEPING = (Permission.KEEP_CHATS,)

CHAT_METHODS: dict[ServiceDescriptor, tuple[Method, ...]] = {
    protos.DESCRIPTOR.services_by_name["ChatService"]: (
        Method(
            "CreateChat", keeping.create_chat, same("title"), permissions=KEEPING, read_only=False
        ),
        Method(
            "GetChat",
            reading.get_chat,
            lambda request: {"chat_id": chat_of(request.name), **same("share")(request)},
            permissions=KEEPING,
        ),
        Method(
            "ListChats",
            keeping.list_chats,
            same("text", "page_size", "page_token"),
            permissions=KEEPING,
        ),
        Method(
            "RenameChat",
            keeping.rename_chat,
            lambda request: {"chat_id": chat_of(request.name), **same("title")(request)},
            permissions=KEEPING,
            read_only=False,
        ),
        Method(
            "DeleteChat",
            keeping.delete_chat,
            lambda request: {"chat_id": chat_of(request.name)},
            permissions=KEEPING,
            read_only=False,
        ),
        Method(
            "ShareChat",
            keeping.share_chat,
            lambda request: {"chat_id": chat_of(request.name), **same("stop")(request)},
            permissions=KEEPING,
            read_only=False,
        ),
        Method(
            "ListChatTurns",
            reading.list_turns,
            lambda request: {
                "chat_id": chat_of(request.name),
                **same("share")(request),
                **results(request),
            },
            permissions=KEEPING,
        ),
        Method(
            "GetChatTurn",
            reading.get_turn,
            lambda request: {**turn_of(request.name), **same("share")(request)},
            permissions=KEEPING,
        ),
    ),
}
