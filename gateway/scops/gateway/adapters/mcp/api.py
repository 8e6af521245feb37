"""What tools ask: the methods of the public API, in this process or over a channel."""

from typing import Any, Protocol

from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message
from mcp.server.mcpserver.exceptions import ToolError

# Hosts of tools cut calls off after a minute: none takes so long.
CALL_SECONDS = 40.0


class Api(Protocol):
    """Calls methods as whoever asked for the tool."""

    async def call(self, service: str, method: str, fields: dict[str, Any]) -> Any:
        """Returns the response's message.

        Args:
            service, method: as the protos name them, such as `ScopeService` and `GetScope`.
            fields: of the request, as its JSON form has them.

        Raises:
            ToolError: the call failed; its text says what to do.
        """
        ...


def request_of(kind: type[Message], fields: dict[str, Any]) -> Message:
    """Returns a request of plain fields; those that are None are left out.

    Raises:
        ToolError: a field has no such value.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        return ParseDict(given, kind())
    except (ParseError, ValueError, TypeError) as error:
        raise ToolError(f"The arguments cannot be read: {error}") from error


def failed(message: str, reason: str, retry_after_seconds: float | None) -> ToolError:
    """Returns what a model is told of a call that failed."""
    again = ""
    if retry_after_seconds is not None:
        again = f" It may be tried again after {retry_after_seconds:.0f} s."
    return ToolError(f"{message}{again} [{reason}]" if reason else f"{message}{again}")
