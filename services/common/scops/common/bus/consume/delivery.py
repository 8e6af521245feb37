"""A delivery as the server made it: what it holds, and how its fate is told."""

from collections.abc import Mapping

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error, NoRespondersError

from scops.common.bus.publish.headers import deliveries_of
from scops.common.contract.errors import StoreUnavailable, TransientError

ACK_TIMEOUT_SECONDS = 5.0


class NatsDelivery:
    """The `Delivery` port over a message of the client library."""

    __slots__ = ("_client", "_message", "_metadata", "data", "delivery_count", "headers", "subject")

    def __init__(self, message: Msg, client: Client) -> None:
        self._message = message
        self._client = client
        self._metadata = message.metadata
        self.subject: str = message.subject
        self.data: bytes = message.data
        self.headers: Mapping[str, str] = message.header or {}
        self.delivery_count = deliveries_of(self.headers, int(self._metadata.num_delivered or 1))

    @property
    def stream(self) -> str:
        return str(self._metadata.stream)

    @property
    def stream_sequence(self) -> int:
        return int(self._metadata.sequence.stream)

    async def ack_sync(self) -> None:
        try:
            await self._message.ack_sync(timeout=ACK_TIMEOUT_SECONDS)
        except NoRespondersError as error:
            raise TransientError(
                "The durable of a message is gone, or its server has just started; what is "
                "not acknowledged is delivered again.",
                reason="BUS_UNAVAILABLE",
            ) from error
        except (Error, OSError, TimeoutError) as error:
            if await self._is_forgotten():
                raise TransientError(
                    "The bus does not know any more that it delivered a message, so that it never "
                    "confirms its acknowledgement; it delivers the message again.",
                    reason="DELIVERY_FORGOTTEN",
                ) from error
            raise _no_answer("acknowledgement", error) from error

    async def _is_forgotten(self) -> bool:
        """Whether the server has come back as it was before it delivered this.

        A server that was killed may have lost how far a durable was, or has an older disk; it
        leaves acknowledgements of later deliveries without an answer until it gets as far again.
        """
        stream, durable = str(self._metadata.stream), str(self._metadata.consumer)
        try:
            jetstream = self._client.jetstream(timeout=ACK_TIMEOUT_SECONDS)
            known = (await jetstream.consumer_info(stream, durable)).delivered
        except (Error, OSError, TimeoutError):
            return False
        return known is not None and known.consumer_seq < self._metadata.sequence.consumer

    async def nak(self, delay_seconds: float) -> None:
        try:
            await self._message.nak(delay=delay_seconds)
        except (Error, OSError, TimeoutError) as error:
            raise _no_answer("nak", error) from error

    async def in_progress(self) -> None:
        try:
            await self._message.in_progress()
        except (Error, OSError, TimeoutError) as error:
            raise _no_answer("heartbeat", error) from error


def _no_answer(what: str, error: Exception) -> StoreUnavailable:
    return StoreUnavailable(
        f"The bus did not confirm an {what}: {error!r}. The message is delivered again.",
        reason="BUS_UNAVAILABLE",
    )
