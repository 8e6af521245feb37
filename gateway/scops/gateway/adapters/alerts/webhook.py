"""Webhooks: a signed POST over the guarded connector, which follows no redirect."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import SplitResult, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from scops.common.contract.errors import InvalidInput
from scops.common.egress.address import AddressDenied, AddressPolicy
from scops.common.egress.guard import GuardedResolver, guarded_sockets
from scops.common.runtime.clock import Clock
from scops.gateway.watches.message import AlertMessage
from scops.gateway.watches.sealing import AlertTarget
from scops.gateway.watches.sender import SendResult
from scops.gateway.watches.signature import signed_headers

# Of one attempt, from looking up the name to the status.
SEND_SECONDS_MAX = 15.0
ADDRESS_CHARACTERS_MAX = 2000
# Answers are not read: the status says all.
GONE = 410
USER_AGENT = "Scops-Webhook/1"
# Deliveries that a gateway makes at once, and as many tests.
CONNECTIONS_MAX = 32


class WebhookSender:
    """Posts messages to receivers.

    Args:
        addresses: where it may connect to.
        plain: whether `http://` is taken too.
        seconds: that an attempt may take.
        resolver: looks names up; None asks the system.
    """

    def __init__(
        self,
        addresses: AddressPolicy,
        clock: Clock,
        *,
        plain: bool = False,
        seconds: float = SEND_SECONDS_MAX,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self._addresses = addresses
        self._clock = clock
        self._schemes = ("https", "http") if plain else ("https",)
        self._seconds = seconds
        self._resolver = resolver
        self._session: aiohttp.ClientSession | None = None

    def check(self, address: str) -> str:
        """Returns scheme and host of a receiver; what follows may be its secret.

        Raises:
            InvalidInput: it is no URL that is sent to.
        """
        parts = _parts(address)
        if parts is None or parts.scheme not in self._schemes or not parts.hostname:
            raise _refused(f"A webhook is an address such as {self._schemes[0]}://host/path.")
        try:
            self._addresses.check_url(address)
        except AddressDenied as error:
            raise _refused(error.refusal.detail) from error
        except ValueError as error:
            raise _refused("The port of the webhook is none.") from error
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{host}{port}/…"

    async def send(self, message: AlertMessage, target: AlertTarget) -> SendResult:
        body = message.json_body()
        headers = {
            "content-type": "application/json",
            "user-agent": USER_AGENT,
            **signed_headers(
                message.delivery_id, body, secret=target.secret, now=message.sent_time
            ),
        }
        try:
            async with self._opened().post(
                URL(target.address), data=body, headers=headers, allow_redirects=False
            ) as response:
                return self._result(response.status, response.headers.get("retry-after", ""))
        except TimeoutError:
            return SendResult(failure=f"It did not answer within {self._seconds:g} s.")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return SendResult(failure=_why(error))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        """Returns the session; aiohttp makes one only inside a running loop."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=GuardedResolver(
                        self._resolver or aiohttp.ThreadedResolver(), self._addresses
                    ),
                    socket_factory=guarded_sockets(self._addresses),
                    limit=CONNECTIONS_MAX,
                    # A connection that is kept would not be looked at again.
                    force_close=True,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                timeout=aiohttp.ClientTimeout(total=self._seconds),
            )
        return self._session

    def _result(self, status: int, retry_after: str) -> SendResult:
        if 200 <= status < 300:
            return SendResult()
        if 300 <= status < 400:
            return SendResult(
                failure=f"It answered {status}, a redirect, which is not followed: give the "
                "address that it leads to."
            )
        return SendResult(
            failure=f"It answered {status}.",
            gone=status == GONE,
            retry_after=_pause(retry_after, self._clock.now()),
        )


def _parts(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return parts if len(address) <= ADDRESS_CHARACTERS_MAX else None


def _pause(text: str, now: datetime) -> timedelta:
    """Returns what a Retry-After header asks for (RFC 9110, section 10.2.3)."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return timedelta(seconds=int(text))
    try:
        until = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return timedelta()
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(until - now, timedelta())


def _why(error: BaseException) -> str:
    """Returns why nothing arrived; of an address that is out of reach, that alone."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, AddressDenied):
            return cause.refusal.detail
        cause = cause.__cause__ or getattr(cause, "os_error", None)
    return f"It could not be reached: {type(error).__name__}."


def _refused(message: str) -> InvalidInput:
    return InvalidInput(message, reason="TARGET_UNUSABLE", field="watch.target.address")
