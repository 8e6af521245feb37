"""Whether the libraries are there that read and write the files of an export."""

from collections.abc import Sequence
from importlib.util import find_spec

from scops.standalone.terminal.exits import CommandError, Exit

LIBRARIES = ("pyarrow",)


def needs_extra(libraries: Sequence[str] = LIBRARIES) -> None:
    """Checks that what is needed of the extra `transfer` is installed.

    Raises:
        CommandError: it is not.
    """
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        raise CommandError(
            f"{' and '.join(missing)} must be installed: pip install 'scops[transfer]'.",
            code=Exit.INVALID_INPUT,
            reason="EXTRA_MISSING",
        )
