"""Whether the libraries are there that read and write the files of an export."""

from collections.abc import Sequence
from importlib.util import find_spec

from scops.standalone.terminal.exits import CommandError, Exit

LIBRARIES = ("pyarrow",)


def needs_extra(libraries: Sequence[str] = LIBRARIES, *, extra: str = "transfer") -> None:
    """Checks that what is needed of an extra is installed.

    Raises:
        CommandError: it is not.
    """
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        raise CommandError(
            f"{' and '.join(missing)} must be installed: pip install 'scops[{extra}]'.",
            code=Exit.INVALID_INPUT,
            reason="EXTRA_MISSING",
        )
