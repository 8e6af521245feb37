"""The error tree; the class decides what the bus, the API and the command do.

ScopsError
├── TransientError        nak with a growing delay; gRPC UNAVAILABLE
│   ├── NotYetKnown       a scope revision or page that this service has not got yet
│   └── StoreRefusal      a store or the bus did not do it; the message waits in hand
│       ├── StoreUnavailable  it does not answer, is full, reads only, or nobody knows why
│       └── StoreBusy         another transaction was in the way; nothing was written
├── PermanentError        dead letter; gRPC INTERNAL
│   ├── BlobMissing       the archive lacks a digest that a row references
│   └── MessageTooLarge   over the hard limit of the bus
└── InvalidInput          the caller's; gRPC INVALID_ARGUMENT
    ├── NotFound          gRPC NOT_FOUND (or hidden: the caller cannot tell)
    ├── AlreadyExists     gRPC ALREADY_EXISTS
    ├── NotPermitted      gRPC PERMISSION_DENIED: the caller sees it, and may not do this
    ├── NotAuthenticated  gRPC UNAUTHENTICATED: nobody knows who calls
    ├── QuotaReached      gRPC RESOURCE_EXHAUSTED: the caller has as much as each may have
    └── Conflict          gRPC ABORTED: read again, then retry
"""

from scops.common.contract.store_faults import StoreFault
from scops.common.text.addresses import without_userinfo


class ScopsError(Exception):
    """An error that says what was being done, to what, and what to do next.

    Args:
        message: for people; whole sentences.
        reason: for programs; UPPER_SNAKE, stable.
        metadata: facts for programs, such as the id or the limit.
    """

    default_reason = "INTERNAL"

    def __init__(self, message: str, *, reason: str | None = None, **metadata: str) -> None:
        # Whoever reads an error need not know the password of a store.
        self.message = without_userinfo(message)
        super().__init__(self.message)
        self.reason = reason or self.default_reason
        self.metadata = metadata


class TransientError(ScopsError):
    """Trying again later may succeed.

    Args:
        retry_after_seconds: a lower bound for the delay, where the cause names one.
    """

    default_reason = "UNAVAILABLE"

    def __init__(
        self,
        message: str,
        *,
        reason: str | None = None,
        retry_after_seconds: float | None = None,
        **metadata: str,
    ) -> None:
        super().__init__(message, reason=reason, **metadata)
        self.retry_after_seconds = retry_after_seconds


class ResourceExhausted(TransientError):
    """A caller asks for more than their share, or all ask for more than is answered quickly."""

    default_reason = "RESOURCE_EXHAUSTED"


class NotYetKnown(TransientError):
    """What the message names has not reached this service yet."""

    default_reason = "NOT_YET_KNOWN"


class StoreRefusal(TransientError):
    """A store did not do what it was asked, through no fault of the message."""

    default_reason = "STORE_REFUSAL"


class StoreUnavailable(StoreRefusal):
    """A store or the bus does not answer, or does not take what it is given.

    Args:
        fault: what is wrong with it, as far as it says so.
    """

    default_reason = "STORE_UNAVAILABLE"

    def __init__(
        self,
        message: str,
        *,
        fault: StoreFault = StoreFault.AWAY,
        reason: str | None = None,
        retry_after_seconds: float | None = None,
        **metadata: str,
    ) -> None:
        super().__init__(
            message, reason=reason, retry_after_seconds=retry_after_seconds, **metadata
        )
        self.fault = fault


class StoreBusy(StoreRefusal):
    """Another transaction held what this one needed; nothing was written."""

    default_reason = "STORE_BUSY"


class PermanentError(ScopsError):
    """Trying again cannot succeed."""

    default_reason = "PERMANENT"


class BlobMissing(PermanentError):
    """The archive lacks a blob."""

    default_reason = "BLOB_MISSING"


class MessageTooLarge(PermanentError):
    """A message exceeds the hard limit of the bus."""

    default_reason = "MESSAGE_TOO_LARGE"


class InvalidInput(ScopsError):
    """The caller asked for something that cannot be."""

    default_reason = "INVALID_INPUT"


class NotFound(InvalidInput):
    """What was named does not exist, or the caller may not see it."""

    default_reason = "NOT_FOUND"


class AlreadyExists(InvalidInput):
    """What was to be created exists already."""

    default_reason = "ALREADY_EXISTS"


class Conflict(InvalidInput):
    """What was to be changed has changed meanwhile."""

    default_reason = "CONFLICT"


class QuotaReached(InvalidInput):
    """The caller has as much as each caller may have; waiting alone changes nothing."""

    default_reason = "QUOTA_REACHED"


class NotAuthenticated(InvalidInput):
    """The caller has not said who they are, or not in a way that holds."""

    default_reason = "NOT_AUTHENTICATED"


class NotPermitted(InvalidInput):
    """The caller may see what was named and may not do this to it."""

    default_reason = "NOT_PERMITTED"
