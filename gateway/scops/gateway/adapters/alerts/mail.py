"""Alerts by e-mail, through the mail server of the operator."""

from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime

import aiosmtplib

from scops.common.contract.errors import InvalidInput
from scops.common.text.printable import printable
from scops.gateway.adapters.alerts.mail_body import html_of
from scops.gateway.watches.mail_server import MailServer
from scops.gateway.watches.message import AlertMessage
from scops.gateway.watches.sealing import AlertTarget
from scops.gateway.watches.sender import SendResult

SEND_SECONDS_MAX = 20.0
# What a mail server says of a failure, for the owner of a watch.
SAID_CHARACTERS_MAX = 200
ADDRESS_CHARACTERS_MAX = 254


def parsed_address(text: str) -> Address | None:
    """Returns an address of e-mail; None where the text is none, or names one with a comment."""
    try:
        address = Address(addr_spec=text)
    except (ValueError, IndexError, MessageError):
        return None
    is_plain = len(text) <= ADDRESS_CHARACTERS_MAX and text.isprintable() and " " not in text
    return address if is_plain and address.username and address.domain else None


class EmailSender:
    """Hands messages to a mail server.

    Args:
        sender: whom they are from.
        seconds: that an attempt may take.
        ca: PEM file of the authority to trust in place of the system's.
    """

    def __init__(
        self,
        server: MailServer,
        *,
        sender: str,
        seconds: float = SEND_SECONDS_MAX,
        ca: str = "",
    ) -> None:
        self._server = server
        self._sender = sender
        self._seconds = seconds
        self._ca = ca or None

    def check(self, address: str) -> str:
        if parsed_address(address) is None:
            raise InvalidInput(
                "An address of e-mail is one such as ann@example.org.",
                reason="TARGET_UNUSABLE",
                field="watch.target.address",
            )
        return address

    async def send(self, message: AlertMessage, target: AlertTarget) -> SendResult:
        server = self._server
        try:
            await aiosmtplib.send(
                self._mail(message, target.address),
                hostname=server.host,
                port=server.port,
                username=server.user or None,
                password=server.password or None,
                use_tls=server.scheme == "smtps",
                start_tls=server.scheme == "smtp",
                cert_bundle=self._ca,
                timeout=self._seconds,
            )
        except aiosmtplib.SMTPResponseException as error:
            said = printable(error.message, lines=False)[:SAID_CHARACTERS_MAX]
            return SendResult(failure=f"The mail server answered {error.code}: {said}")
        except aiosmtplib.SMTPRecipientsRefused as error:
            code = error.recipients[0].code if error.recipients else 0
            return SendResult(failure=f"The mail server refused the address: {code}.")
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            return SendResult(failure=f"The mail server was not reached: {type(error).__name__}.")
        return SendResult()

    async def close(self) -> None:
        """There is nothing to let go of: each message has a connection of its own."""

    def _mail(self, message: AlertMessage, recipient: str) -> EmailMessage:
        mail = EmailMessage()
        mail["From"] = self._sender
        mail["To"] = recipient
        mail["Subject"] = message.subject()
        mail["Date"] = format_datetime(message.sent_time)
        # The same at each attempt, so that whoever gets it twice shows it once.
        mail["Message-ID"] = (
            f"<{message.delivery_id}@{self._sender.rpartition('@')[2].rstrip('>')}>"
        )
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(message.text())
        mail.add_alternative(html_of(message), subtype="html")
        return mail
