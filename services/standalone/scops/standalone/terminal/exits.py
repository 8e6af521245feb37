"""Exit codes of the command, for scripts, and the error that carries one."""

from enum import IntEnum


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
    # The gateway wants to know who asks, or does not accept the key or token.
    NOT_AUTHENTICATED = 8


class CommandError(Exception):
    """An error to show: what, why, what next."""

    def __init__(self, message: str, *, code: Exit, reason: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason
