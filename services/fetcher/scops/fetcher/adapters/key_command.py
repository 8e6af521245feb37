"""Keys that a command prints, such as a KMS that decrypts a file."""

import shlex
import subprocess

from scops.common.contract.errors import PermanentError

SECONDS_MAX = 30.0


def printed_by(command: str) -> str:
    """Runs a command, without a shell, and returns what it prints.

    Raises:
        PermanentError: it cannot be run, fails, prints nothing, or takes too long. The message
            says nothing of what it printed.
    """
    try:
        done = subprocess.run(
            shlex.split(command),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS_MAX,
            check=True,
        )
        printed = done.stdout.decode().strip()
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise _no_key(_why(error)) from None
    if not printed:
        raise _no_key("it printed nothing")
    return printed


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it took longer than {SECONDS_MAX:g} s"
    if isinstance(error, subprocess.CalledProcessError):
        return f"it ended with {error.returncode}"
    return type(error).__name__


def _no_key(why: str) -> PermanentError:
    return PermanentError(
        "The command of SCOPS_FETCHER_CREDENTIAL_KEY_COMMAND gave no key of credentials: "
        f"{why}. Run it by hand as the fetcher's user, and start the fetcher again.",
        reason="CREDENTIAL_KEY_COMMAND_FAILED",
    )
