"""What every archive does alike: where a blob lies, when it counts as whole, how a store fails."""

import asyncio
import re
import sqlite3

from scops.common.contract.errors import BlobMissing, InvalidInput, StoreUnavailable
from scops.common.contract.ids import Digest, sha256_hex
from scops.common.contract.messages.types import BodyRef
from scops.common.contract.store_faults import StoreFault, os_fault, sqlite_fault

# A hundredth of a second of the event loop.
DIGEST_AT_ONCE_BYTES_MAX = 2 * 1024 * 1024
DIGEST_FORM = re.compile(r"[0-9a-f]{64}")
# Asked for to see whether the store answers at all.
NOBODYS_DIGEST = "0" * 64
# What a readiness check writes; no digest, and so no blob.
ASIDE = "aside"
PROBE_NAME = "writable"
PROBE = b"Scops writes this file to see whether it can.\n"
# As obstore calls what a bucket forbids.
NO_RIGHT_NAMES = ("PermissionDeniedError", "UnauthenticatedError")


def is_digest(text: str) -> bool:
    """Whether a text may name a blob."""
    return DIGEST_FORM.fullmatch(text) is not None


def blob_path(organisation_id: str, digest: str) -> str:
    """Returns `<organisation>/<first two digits>/<digest>`; organisations are kept apart.

    Raises:
        InvalidInput: it is no digest; a message may say anything, and a path leads anywhere.
    """
    if not is_digest(digest):
        raise InvalidInput(
            f"{digest[:80]!r} names no blob: a digest is 64 lower-case hex digits.",
            reason="DIGEST_MALFORMED",
        )
    return f"{organisation_id}/{digest[:2]}/{digest}"


def aside_path(organisation_id: str, digest: str) -> str:
    """Returns where a blob lies that is set aside."""
    return f"{organisation_id}/{ASIDE}/{blob_path('', digest).lstrip('/')}"


def probe_path(organisation_id: str) -> str:
    """Returns where a readiness check writes, among the blobs of the organisation."""
    return f"{organisation_id}/{PROBE_NAME}"


async def digest_of(data: bytes) -> Digest:
    """Returns the digest of some bytes; that of many is made in a thread."""
    if len(data) <= DIGEST_AT_ONCE_BYTES_MAX:
        return sha256_hex(data)
    return await asyncio.to_thread(sha256_hex, data)


async def whole(data: bytes, ref: BodyRef) -> bytes:
    """Returns the bytes that were read for a blob.

    Raises:
        BlobMissing: they have another digest.
    """
    if await digest_of(data) != ref.digest:
        raise BlobMissing(
            f"Blob {ref.digest} is damaged: its bytes have another digest.",
            reason="BLOB_CORRUPT",
        )
    return data


def missing(ref: BodyRef) -> BlobMissing:
    """Returns the error for a blob that is not there."""
    return BlobMissing(f"The archive has no blob {ref.digest}.")


def not_put(digest: str, size: int, error: Exception) -> StoreUnavailable:
    """Returns the error for a blob that the store did not take."""
    return StoreUnavailable(
        f"The archive did not take blob {digest[:12]} ({size} bytes): {error}. "
        "Check the free space and permissions of its folder or bucket.",
        reason="ARCHIVE_UNAVAILABLE",
        fault=_fault(error),
    )


def refused(what: str, digest: str, error: Exception) -> StoreUnavailable:
    """Returns the error for anything else; `what` goes between `did not` and the blob."""
    return StoreUnavailable(
        f"The archive did not {what} blob {digest[:12]}: {error}.",
        reason="ARCHIVE_UNAVAILABLE",
        fault=_fault(error),
    )


def not_tidied(error: Exception) -> StoreUnavailable:
    """Returns the error for segments that could not be closed or put in order."""
    return StoreUnavailable(
        f"The archive did not put its segments in order: {error}.",
        reason="ARCHIVE_UNAVAILABLE",
        fault=_fault(error),
    )


def not_writable(error: Exception) -> StoreUnavailable:
    """Returns the error for an archive that did not take what a readiness check wrote."""
    return StoreUnavailable(
        f"The archive takes nothing: {error}. "
        "Check SCOPS_ARCHIVE_URL, and the free space and rights of its folder or bucket.",
        reason="ARCHIVE_UNAVAILABLE",
        fault=_fault(error),
    )


def _fault(error: Exception) -> StoreFault:
    if isinstance(error, sqlite3.Error):
        return sqlite_fault(error) or StoreFault.REFUSED
    return StoreFault.READ_ONLY if type(error).__name__ in NO_RIGHT_NAMES else os_fault(error)
