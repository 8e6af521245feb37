"""One connection to NATS that never gives up once it stands."""

import asyncio
import ssl
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import nats
from nats.aio.client import Client
from nats.aio.subscription import Subscription

from scops.common.config.authority import certificate_problem, server_context
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.organisations import role_of_user
from scops.common.observe.log import get_logger
from scops.common.text.addresses import without_userinfo

log = get_logger(__name__)
# How long a start waits for the bus.
CONNECT_SECONDS = 10.0
RECONNECT_WAIT_SECONDS = 0.5
# Before an attempt that was told to end, and goes on, is told again.
CANCEL_SECONDS = 0.1
PING_INTERVAL_SECONDS = 20
INBOX_PREFIX = "_INBOX"
TLS_SCHEME = "tls"
# Before a subscription is sent again that the server has refused.
RESUBSCRIBE_SECONDS = 30.0
SUBSCRIPTION_REFUSED = "permissions violation for subscription"
# Under way: the loop itself holds no task.
_PINGS: set[asyncio.Task[None]] = set()
# More than the client takes to give up a server that answers no pings.
PONG_SECONDS = 120
# How long the server may take to say that it has sent everything.
LAST_WORDS_SECONDS = 2


class Resubscription:
    """Subscribes anew to what the server has refused for want of a right.

    A server that reads its users anew ends the subscriptions that a user may no longer have, and
    says nothing when the right is back; the connection stands all the while. So do the other
    subscriptions: a new connection would lose what is asked and answered meanwhile.

    Attributes:
        client: whose subscriptions they are, once it is connected.
        complaint: the last one, which a client that goes on trying tells nobody else.
    """

    def __init__(self) -> None:
        self.client: Client | None = None
        self.complaint: Exception | None = None
        self._refused: list[str] = []
        self._subscribing: asyncio.Task[None] | None = None

    async def on_error(self, error: Exception) -> None:
        """Takes what the server, or the client, complains of."""
        self.complaint = error
        log.warning("bus_error", error=certificate_problem(error) or repr(error))
        complaint = str(error).lower()
        if SUBSCRIPTION_REFUSED in complaint:
            if not self._refused:
                asyncio.get_running_loop().call_later(RESUBSCRIBE_SECONDS, self._begin)
            self._refused.append(complaint)

    def _begin(self) -> None:
        refused, self._refused = self._refused, []
        self._subscribing = asyncio.create_task(self._subscribe(refused))

    async def _subscribe(self, refused: list[str]) -> None:
        """Sends the subscriptions again that complaints name, by the client's own private call.

        A client that is not connected sends all of them by itself once it is.
        """
        if self.client is None or not self.client.is_connected:
            return
        for subscription in list(self.client._subs.values()):
            named = f'"{subscription.subject.lower()}"'
            if any(named in complaint for complaint in refused):
                with suppress(nats.errors.Error, OSError):
                    await self.client._send_subscribe(subscription)


async def connect(url: str, common: CommonSettings, *, name: str) -> Client:
    """Returns a connection that reconnects for ever.

    Args:
        name: shown in the server's monitoring.

    Raises:
        StoreUnavailable: the first connection did not come about in time.
        InvalidInput: the authorities to trust cannot be read.
    """
    resubscription = Resubscription()
    try:
        client = await within(
            CONNECT_SECONDS,
            nats.connect(
                url,
                name=name,
                inbox_prefix=inbox_prefix(url, common),
                **_credentials(common),
                **_privacy(url, common),
                **connection_options(resubscription),
            ),
        )
    except (OSError, TimeoutError, nats.errors.Error) as error:
        raise _unreached(url, error, resubscription.complaint) from error
    resubscription.client = client
    return client


async def within(seconds: float, connecting: Coroutine[Any, Any, Client]) -> Client:
    """Returns the client of a connection that comes about in time.

    The client library may lose a cancellation, as may `asyncio.wait_for` of Python 3.11, and then
    tries again for ever: one cancellation, as of `asyncio.timeout`, is not enough.

    Raises:
        TimeoutError: it did not.
    """
    attempt = asyncio.ensure_future(connecting)
    try:
        await asyncio.wait({attempt}, timeout=seconds)
    finally:
        while not attempt.done():
            attempt.cancel()
            await asyncio.wait({attempt}, timeout=CANCEL_SECONDS)
    if attempt.cancelled():
        raise TimeoutError
    return attempt.result()


def bus_context(url: str, common: CommonSettings) -> ssl.SSLContext | None:
    """Returns the client's side of TLS; None where neither the URL nor an authority asks for it.

    Raises:
        InvalidInput: the authorities to trust cannot be read.
    """
    return server_context(common) if begins_with_tls(url) or common.server_ca else None


def begins_with_tls(url: str) -> bool:
    """Whether nothing is read from the server before its certificate is verified.

    A server that says in the clear that it has TLS may be made to say that it has none.
    """
    return urlsplit(url).scheme == TLS_SCHEME


async def ping(client: Client, *, timeout_seconds: float) -> None:
    """Returns once the server has answered a ping.

    Where somebody stops waiting for an answer, the client library stops reading when it comes,
    and hears nothing more of the server: InvalidStateError, as its flusher once did
    (https://github.com/nats-io/nats.py/issues/624). So an answer is waited for in any case.

    Raises:
        Error, OSError, TimeoutError: the server does not answer.
    """
    answered = asyncio.create_task(client.flush(timeout=PONG_SECONDS), name="bus-ping")
    _PINGS.add(answered)
    answered.add_done_callback(_forget_ping)
    if not (await asyncio.wait({answered}, timeout=timeout_seconds))[0]:
        raise TimeoutError
    await answered


async def settle(client: Client, *, timeout_seconds: int) -> None:
    """Returns once the server has taken everything that was sent, and we what it sent before.

    The client writes a ping past commands that it still holds back, so the answer to the first
    one says nothing of a subscription just made or ended. By then they are on their way, and
    the second one follows them.

    Raises:
        Error, OSError, TimeoutError: the server does not answer.
    """
    for _ in range(2):
        await ping(client, timeout_seconds=timeout_seconds)


async def end_interest(client: Client, subscription: Subscription) -> None:
    """Ends a subscription at the server; returns once all that it sent before has come.

    The client library's own `drain` asks for that before the server knows of the end, and drops
    what is sent in between: hence its private call.

    Raises:
        Error, OSError, TimeoutError: the server does not answer.
    """
    await client._send_unsubscribe(subscription._id)
    await settle(client, timeout_seconds=LAST_WORDS_SECONDS)


def connection_options(resubscription: Resubscription) -> dict[str, Any]:
    """Returns the options that every connection to the bus shares; it is to be told its client."""
    return {
        # The default gives up after 60 attempts, two minutes.
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": RECONNECT_WAIT_SECONDS,
        "ping_interval": PING_INTERVAL_SECONDS,
        "error_cb": resubscription.on_error,
        # The client calls it at our own close, too, where it is no news.
        "disconnected_cb": _log_disconnected,
        "reconnected_cb": _log_reconnected,
    }


def inbox_prefix(url: str, common: CommonSettings) -> str:
    """Returns where answers come to: a user has its own, which the others may not read."""
    user = common.nats_user or urlsplit(url).username
    return user_inbox(user) if user else INBOX_PREFIX


def user_inbox(user: str) -> str:
    """Returns the first part of the inboxes of a user; an account has its own."""
    return f"{INBOX_PREFIX}_{role_of_user(user)}"


def _credentials(common: CommonSettings) -> dict[str, str]:
    if not common.nats_user:
        return {}
    return {"user": common.nats_user, "password": common.nats_password.get_secret_value()}


def _privacy(url: str, common: CommonSettings) -> dict[str, Any]:
    context = bus_context(url, common)
    if context is None:
        return {}
    return {"tls": context, "tls_handshake_first": begins_with_tls(url)}


def _unreached(url: str, error: Exception, complaint: Exception | None) -> StoreUnavailable:
    why = certificate_problem(error) or certificate_problem(complaint)
    if why:
        what_next = "A server that is asked by tls:// has `tls { handshake_first: true }`."
        return StoreUnavailable(
            f"The bus at {without_userinfo(url)} is not trusted: {why}. {what_next}",
            reason="BUS_UNAVAILABLE",
        )
    return StoreUnavailable(
        f"The bus at {without_userinfo(url)} did not answer within "
        f"{CONNECT_SECONDS:.0f} s: {str(error) or repr(complaint or 'timeout')}. "
        "Check SCOPS_NATS_URL, which begins with tls:// where the server begins with TLS, and "
        "SCOPS_NATS_USER and SCOPS_NATS_PASSWORD where it asks for them; without SCOPS_NATS_URL, "
        "`scops up` runs a server of its own.",
        reason="BUS_UNAVAILABLE",
    )


async def _log_disconnected() -> None:
    log.info("bus_disconnected")


async def _log_reconnected() -> None:
    log.warning("bus_reconnected")


def _forget_ping(answered: asyncio.Task[None]) -> None:
    _PINGS.discard(answered)
    if not answered.cancelled():
        # Whoever waited has been told, or waits no more.
        answered.exception()
