"""Exit codes of the command, for scripts."""

from enum import IntEnum

import grpc


class Exit(IntEnum):
    """What a script can tell from the exit code."""

    OK = 0
    INTERNAL = 1
    # A wrong option or argument, or input that cannot be used.
    INVALID_INPUT = 2
    NOT_FOUND = 3
    # The gateway, a service or a store does not answer; trying again may help.
    UNAVAILABLE = 4
    # The question is not answered in these scopes.
    NOT_ANSWERED = 5
    # The job ended, but not completed; or it did not end in time.
    JOB_NOT_COMPLETED = 6
    CONFLICT = 7


BY_STATUS = {
    grpc.StatusCode.INVALID_ARGUMENT: Exit.INVALID_INPUT,
    grpc.StatusCode.FAILED_PRECONDITION: Exit.INVALID_INPUT,
    grpc.StatusCode.OUT_OF_RANGE: Exit.INVALID_INPUT,
    grpc.StatusCode.NOT_FOUND: Exit.NOT_FOUND,
    grpc.StatusCode.PERMISSION_DENIED: Exit.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS: Exit.CONFLICT,
    grpc.StatusCode.ABORTED: Exit.CONFLICT,
    grpc.StatusCode.UNAVAILABLE: Exit.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: Exit.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Exit.UNAVAILABLE,
}
