"""Alerts by apprise: to chats, phones and whatever else its addresses name.

Apprise blocks, brings code for each service, and opens connections by itself. So each message is
sent by a child process, without secrets of the gateway's environment, in which every socket is
judged as that of a webhook is (`apprise_child`).
"""

import asyncio
import json
import os
import sys
from collections.abc import Collection
from typing import Any

from scops.common.contract.errors import InvalidInput
from scops.common.text.printable import printable
from scops.gateway.watches.message import AlertMessage
from scops.gateway.watches.sealing import AlertTarget
from scops.gateway.watches.sender import SendResult

CHILD = "scops.gateway.adapters.alerts.apprise_child"
SEND_SECONDS_MAX = 40.0
# Children at once: each imports apprise, and is gone after one message.
CHILDREN_MAX = 2
ADDRESS_CHARACTERS_MAX, SAID_CHARACTERS_MAX = 2000, 200
ANSWER_BYTES_MAX = 64 * 1024
# Of the environment: where programs are, and which authorities to trust.
KEPT = ("PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "PYTHONPATH")


class AppriseSender:
    """Sends by the services that an operator admits.

    Args:
        services: what their addresses begin with, such as `slack`.
        allowed, denied: where it may connect to, as settings say it.
        seconds: that an attempt may take.
    """

    def __init__(
        self,
        services: Collection[str],
        *,
        allowed: str = "",
        denied: str = "",
        seconds: float = SEND_SECONDS_MAX,
    ) -> None:
        self._services = frozenset(services)
        self._ranges = {"allowed": allowed, "denied": denied}
        self._seconds = seconds
        self._children = asyncio.Semaphore(CHILDREN_MAX)

    def check(self, address: str) -> str:
        scheme, found, rest = address.partition("://")
        if not found or not rest or len(address) > ADDRESS_CHARACTERS_MAX:
            raise _refused("Give an address of apprise, such as slack://token/…")
        if scheme not in self._services:
            raise _refused(
                f"This installation does not send by {printable(scheme, lines=False)[:40]}://. Use "
                f"one of {', '.join(sorted(self._services))}."
            )
        return f"{scheme}://…"

    async def send(self, message: AlertMessage, target: AlertTarget) -> SendResult:
        asked = {
            "address": target.address,
            "title": message.subject(),
            "body": message.text(),
            **self._ranges,
        }
        async with self._children:
            try:
                async with asyncio.timeout(self._seconds):
                    answer = await _asked(json.dumps(asked).encode())
            except TimeoutError:
                return SendResult(failure=f"It was not sent within {self._seconds:g} s.")
        if answer.get("delivered"):
            return SendResult()
        said = printable(str(answer.get("failure", "")), lines=False)[:SAID_CHARACTERS_MAX]
        return SendResult(failure=said or "Apprise could not send it, and does not say why.")

    async def close(self) -> None:
        """There is nothing to let go of: a child ends with its message."""


async def _asked(request: bytes) -> dict[str, Any]:
    """Returns what a child says; it does not outlive the question."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        CHILD,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=ANSWER_BYTES_MAX,
        env={name: os.environ[name] for name in KEPT if name in os.environ},
    )
    try:
        out, _ = await child.communicate(request)
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    try:
        answer = json.loads(out)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _refused(message: str) -> InvalidInput:
    return InvalidInput(message, reason="TARGET_UNUSABLE", field="watch.target.address")
