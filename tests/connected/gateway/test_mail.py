"""Alerts by e-mail, taken by a real mail server."""

import asyncio
import email
import email.policy
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.alerts.mail import EmailSender
from scops.gateway.watches.mail_server import read_mail_server
from scops.gateway.watches.sealing import AlertTarget
from tests.connected.gateway.test_webhooks import ALERT, message
from tests.fakes.certificates import Authority
from tests.fakes.servers.machine import free_port

FROM, TO = "Scops <scops@example.org>", AlertTarget("ann@example.org")


@dataclass
class Mailbox:
    """Takes mail, or answers as it is told.

    Attributes:
        answer: of the server to a message.
        pause: before that, in seconds.
    """

    taken: list[EmailMessage] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    logins: list[bytes] = field(default_factory=list)
    answer: str = "250 OK"
    pause: float = 0.0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        await asyncio.sleep(self.pause)
        if self.answer.startswith("2"):
            read = email.message_from_bytes(envelope.content, policy=email.policy.default)
            assert isinstance(read, EmailMessage)
            self.taken.append(read)
            self.recipients += envelope.rcpt_tos
        return self.answer

    def log_in(
        self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any
    ) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.logins.append(data.password)
        return AuthResult(success=data.password == b"p@ss/word")


@contextmanager
def mail_server(box: Mailbox, **options: Any) -> Iterator[int]:
    """Runs a mail server on a free port."""
    port = free_port()
    controller = Controller(box, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


@pytest.fixture
def secure(tmp_path: Path) -> tuple[str, ssl.SSLContext]:
    """An authority's certificate, and a server's context by it."""
    authority = Authority()
    (tmp_path / "ca.pem").write_bytes(authority.pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.write(tmp_path))
    return str(tmp_path / "ca.pem"), context


def sender(scheme: str, port: int, login: str = "", **options: Any) -> EmailSender:
    server = read_mail_server(f"{scheme}://{login}127.0.0.1:{port}")
    return EmailSender(server, sender=FROM, **{"seconds": 2.0} | options)


async def test_a_person_reads_what_changed() -> None:
    """As text and as HTML, from whom the operator says, under one id at each attempt."""
    box = Mailbox()
    with mail_server(box) as port:
        results = [await sender("smtp+plain", port).send(message("d-1"), TO) for _ in range(2)]

    first, second = box.taken
    text, html = first.get_body(("plain",)), first.get_body(("html",))
    assert text is not None
    assert html is not None
    assert [True, True] == [one.delivered for one in results]
    assert ["ann@example.org"] * 2 == box.recipients
    assert (FROM, "ann@example.org", "auto-generated") == (
        first["from"],
        first["to"],
        first["auto-submitted"],
    )
    assert "<d-1@example.org>" == first["message-id"] == second["message-id"]
    assert "- 5 €" in text.get_content()
    assert "+ 6 €" in text.get_content()
    assert "<del>5 €</del>" in html.get_content()
    assert "<ins>6 €</ins>" in html.get_content()


async def test_what_a_page_says_is_text_in_mail() -> None:
    """Neither a header nor markup."""
    box = Mailbox()
    bad = replace(ALERT, title="Fees\r\nBcc: eve@example.org", url="javascript:alert(1)", edits=())
    shown = replace(message(), alerts=(replace(bad, failure="<img src=x>"), bad))
    scripted = replace(message(), alerts=(replace(ALERT, title="<script>alert(1)</script>"),))
    with mail_server(box) as port:
        for one in (shown, scripted):
            assert (await sender("smtp+plain", port).send(one, TO)).delivered

    bodies = [one.get_body(("html",)) for one in box.taken]
    html = "".join(body.get_content() for body in bodies if body is not None)
    assert [None, None] == [one["bcc"] for one in box.taken]
    assert "<script" not in html
    assert 'href="javascript' not in html
    assert ["ann@example.org"] * 2 == box.recipients


@pytest.mark.parametrize("scheme", ["smtps", "smtp"])
async def test_mail_and_password_go_by_tls_to_who_is_known(
    scheme: str, secure: tuple[str, ssl.SSLContext]
) -> None:
    """From the first byte or by STARTTLS; an unknown authority gets nothing."""
    ca, context = secure
    box = Mailbox()
    options: dict[str, Any] = {"tls_context": context}
    if scheme == "smtps":
        # This server counts TLS by STARTTLS alone.
        options = {"ssl_context": context, "auth_require_tls": False}
    login = "ann:p%40ss%2Fword@"
    with mail_server(box, **options, authenticator=box.log_in, auth_required=True) as port:
        known = await sender(scheme, port, login, ca=ca).send(message(), TO)
        strange = await sender(scheme, port, login).send(message(), TO)

    assert known.delivered, known.failure
    assert not strange.delivered
    assert [b"p@ss/word"] == box.logins
    assert 1 == len(box.taken)


async def test_without_tls_nothing_is_said() -> None:
    """Where the operator wants STARTTLS and the server has none."""
    box = Mailbox()
    with mail_server(box) as port:
        result = await sender("smtp", port, "ann:secret@").send(message(), TO)

    assert not result.delivered
    assert ([], []) == (box.taken, box.logins)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("550 no such user \x1b[2J", "The mail server answered 550: no such user"),
        ("451 come again", "The mail server answered 451: come again"),
    ],
)
async def test_a_refusal_is_told(answer: str, said: str) -> None:
    """In the server's words, without what would move a terminal."""
    with mail_server(Mailbox(answer=answer)) as port:
        result = await sender("smtp+plain", port).send(message(), TO)

    assert result.failure.startswith(said)
    assert "\x1b" not in result.failure


async def test_a_server_that_hangs_or_is_not_there_is_left() -> None:
    """After the time of an attempt."""
    with mail_server(Mailbox(pause=1.0)) as port:
        slow = await sender("smtp+plain", port, seconds=0.3).send(message(), TO)
    absent = await sender("smtp+plain", free_port()).send(message(), TO)

    assert [True, True] == ["was not reached" in one.failure for one in (slow, absent)]


@pytest.mark.parametrize(
    "address",
    ["", "ann", "ann@", "@example.org", "ann@example.org, eve@example.org", "a\r\nBcc: b@c.org"],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    """Nor are there several in one."""
    with pytest.raises(InvalidInput):
        sender("smtps", 465).check(address)


@pytest.mark.parametrize(
    "url", ["mail.example.org", "http://mail.example.org", "smtps://", "smtp://h:x"]
)
def test_what_is_no_mail_server_is_refused(url: str) -> None:
    """When the process starts."""
    with pytest.raises(InvalidInput):
        read_mail_server(url)
