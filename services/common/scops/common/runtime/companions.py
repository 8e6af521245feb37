"""Keeps optional companions of a library out of a process that does not use them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast


@contextmanager
def without(*companions: str) -> Iterator[None]:
    """Lets what is imported inside find some packages missing, as if they were not installed.

    For libraries that import what they find for features that are not used here; a package that
    is imported already stays as it is.

    Args:
        companions: top-level packages.
    """
    # None in place of a module is Python's own sign for one that must not be found.
    modules = cast(dict[str, None], sys.modules)
    hidden = [name for name in companions if name not in modules]
    modules.update(dict.fromkeys(hidden))
    try:
        yield
    finally:
        for name in hidden:
            del modules[name]
