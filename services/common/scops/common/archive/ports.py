"""The archive as a port."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.contract.messages.types import BodyRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request and the answer that brought a body, as they were sent.

    Attributes:
        url: what was asked for.
        request_line, status_line: the first line of each.
        request_headers, response_headers: name and value, in their order. What proves identity
            is never kept.
    """

    url: str
    request_line: str
    request_headers: tuple[tuple[str, str], ...]
    status_line: str
    response_headers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBlob:
    """Bytes that are to be put.

    Attributes:
        exchange: how they came; kept beside them where the archive writes segments.
    """

    data: bytes
    media_type: str
    charset: str = ""
    exchange: Exchange | None = None


class Archive(Protocol):
    """Immutable blobs by sha256, of one organisation.

    What is no sha256 names no blob: `get` and `set_aside` raise InvalidInput for it.
    """

    async def put(self, data: bytes, *, media_type: str, charset: str = "") -> BodyRef:
        """Stores a blob and returns its reference once it is durable.

        Putting the same bytes again renews their time; callers never skip a put.

        Raises:
            StoreUnavailable: the store does not take it (full, away, not writable).
        """
        ...

    async def put_many(
        self, blobs: Sequence[NewBlob], *, patient: bool = False
    ) -> Sequence[BodyRef]:
        """Stores blobs and returns their references once all of them are durable.

        They share what it costs to be sure of them, with each other and with whoever puts at the
        same time.

        Args:
            patient: they may wait a little for others to join them.

        Raises:
            StoreUnavailable: the store does not take them; some may be stored.
        """
        ...

    async def get(self, ref: BodyRef) -> bytes:
        """Returns the bytes of a blob, verified against its digest.

        One that was set aside is put back by this.

        Raises:
            BlobMissing: there is no such blob, or its bytes do not match the digest.
            StoreUnavailable: the store does not answer.
        """
        ...

    async def touched(self, digest: str) -> datetime | None:
        """Returns when a blob was put last; None where there is none.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        ...

    async def set_aside(self, digest: str) -> datetime | None:
        """Puts a blob where a get still finds it, and a later put makes another.

        So a collector need not know whether somebody puts it at this moment. One that is not
        there changes nothing.

        Returns:
            When what lies aside was put last, at the latest; None where nothing does.

        Raises:
            StoreUnavailable: the store does not do it.
        """
        ...

    async def drop_aside(self, digest: str) -> None:
        """Removes what was set aside of a blob, and leaves what was put since.

        Raises:
            StoreUnavailable: the store does not do it.
        """
        ...
