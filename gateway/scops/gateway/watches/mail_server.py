"""The mail server that alerts go by, as a setting names it."""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from scops.common.contract.errors import InvalidInput

PORTS = {"smtps": 465, "smtp": 587, "smtp+plain": 25}


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """A mail server, and who writes by it.

    Attributes:
        scheme: `smtps` speaks TLS from the first byte, `smtp` demands STARTTLS, `smtp+plain` is
            for a server on the way to which nobody listens.
        user, password: empty logs nobody in.
    """

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = ""


def read_mail_server(url: str) -> MailServer:
    """Reads a setting such as `smtps://user:password@mail.example.org`.

    Raises:
        InvalidInput: it is none.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in PORTS or not parts.hostname or parts.path not in ("", "/"):
        raise InvalidInput(
            "The mail server is an address such as smtps://user:password@mail.example.org, or "
            "smtp:// for STARTTLS.",
            reason="MAIL_SERVER_UNUSABLE",
        )
    return MailServer(
        scheme=parts.scheme,
        host=parts.hostname,
        port=port or PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )
