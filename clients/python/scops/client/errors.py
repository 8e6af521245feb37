"""Why a call failed, for people and for programs.

ScopsError              code, reason, message, what it is about, when to come again
├── InvalidRequest      INVALID_ARGUMENT and its kin: change the request
├── NotAuthenticated    UNAUTHENTICATED: nobody knows who calls, or the credential has ended
├── NotPermitted        PERMISSION_DENIED: the caller sees it, and may not do this
├── NotFound            NOT_FOUND: absent, or hidden from the caller
├── AlreadyExists       ALREADY_EXISTS
├── Conflict            ABORTED: read again, then repeat
├── Exhausted           RESOURCE_EXHAUSTED: a budget or quota; `retry_after` where waiting helps
├── Unavailable         UNAVAILABLE: trying again may help
├── DeadlineExceeded    DEADLINE_EXCEEDED: not answered in time
└── Failed              anything else: a bug, or a gateway that speaks another language
"""

from collections.abc import Mapping


class ScopsError(Exception):
    """A call that failed.

    Attributes:
        message: what is wrong, why, and what to do.
        code: the name of a google.rpc.Code, such as `NOT_FOUND`.
        reason: the same for programs, as docs/reference/errors.md lists them; may be empty.
        metadata: facts that belong to the reason.
        field: of the request that it is about; empty for none.
        retry_after: seconds until the call may be repeated; None where that is not known to help.
        request_id: what the gateway's log knows the call by; empty where none came back.
    """

    default_code = "UNKNOWN"

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        field: str = "",
        retry_after: float | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.field = field
        self.retry_after = retry_after
        self.request_id = request_id

    def __str__(self) -> str:
        return f"{self.message} [{self.reason}]" if self.reason else self.message


class InvalidRequest(ScopsError):
    """The request cannot be used as it is."""

    default_code = "INVALID_ARGUMENT"


class NotAuthenticated(ScopsError):
    """The gateway wants to know who asks, or does not accept the credential."""

    default_code = "UNAUTHENTICATED"


class NotPermitted(ScopsError):
    """The caller may not do this."""

    default_code = "PERMISSION_DENIED"


class NotFound(ScopsError):
    """It is not there, or the caller may not see it."""

    default_code = "NOT_FOUND"


class AlreadyExists(ScopsError):
    """It is there already."""

    default_code = "ALREADY_EXISTS"


class Conflict(ScopsError):
    """It has changed since it was read."""

    default_code = "ABORTED"


class Exhausted(ScopsError):
    """A budget is spent, a quota reached, or more is asked than is answered quickly."""

    default_code = "RESOURCE_EXHAUSTED"


class Unavailable(ScopsError):
    """Somebody who is needed does not answer now."""

    default_code = "UNAVAILABLE"


class DeadlineExceeded(ScopsError):
    """It took longer than was allowed."""

    default_code = "DEADLINE_EXCEEDED"


class Failed(ScopsError):
    """A bug in Scops."""

    default_code = "INTERNAL"


_KINDS: Mapping[str, type[ScopsError]] = {
    "INVALID_ARGUMENT": InvalidRequest,
    "FAILED_PRECONDITION": InvalidRequest,
    "OUT_OF_RANGE": InvalidRequest,
    "UNAUTHENTICATED": NotAuthenticated,
    "PERMISSION_DENIED": NotPermitted,
    "NOT_FOUND": NotFound,
    "ALREADY_EXISTS": AlreadyExists,
    "ABORTED": Conflict,
    "RESOURCE_EXHAUSTED": Exhausted,
    "UNAVAILABLE": Unavailable,
    # gRPC's server says so to a call that arrives in the moment in which it ends.
    "CANCELLED": Unavailable,
    "DEADLINE_EXCEEDED": DeadlineExceeded,
}


def error_class(code: str) -> type[ScopsError]:
    """Returns the class of errors with a code, the name of a google.rpc.Code."""
    return _KINDS.get(code, Failed)
