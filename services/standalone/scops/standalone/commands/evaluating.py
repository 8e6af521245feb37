"""What the commands of `scops evaluate` share: whom they ask, and what they write."""

from pathlib import Path
from typing import TYPE_CHECKING

from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.gateway_options import GatewayOptions

if TYPE_CHECKING:
    from scops.client import Scops as Client

TIMEOUT_SECONDS = 180.0


def opened_client() -> "Client":
    """Returns the client of the gateway that is named."""
    from scops.client import Scops as Client

    given = GatewayOptions
    return Client(given.server, token=given.token, ca=given.ca, timeout=TIMEOUT_SECONDS)


def write_file(file: Path, text: str) -> None:
    """Writes a file of text.

    Raises:
        CommandError: it cannot be written.
    """
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(
            f"{file} cannot be written: {error}. Name another file; a run is kept all the same "
            "(`scops evaluate report latest FILE.html`).",
            code=Exit.INVALID_INPUT,
            reason="FILE_NOT_WRITTEN",
        ) from error
