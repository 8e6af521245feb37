"""The lists of papers that options name: files of references, and libraries of Zotero."""

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scops.common.contract.errors import InvalidInput
from scops.standalone.terminal.exits import CommandError, Exit

if TYPE_CHECKING:
    from scops.standalone.commands.papers.bibliography import Bibliography

_ZOTERO = "zotero="


def zotero_server(servers: Sequence[str] | None) -> tuple[str, list[str]]:
    """Returns where Zotero's API is, or nothing, and the servers of services.

    Raises:
        CommandError: it is no URL.
    """
    ours = [words.removeprefix(_ZOTERO) for words in servers or () if words.startswith(_ZOTERO)]
    others = [words for words in servers or () if not words.startswith(_ZOTERO)]
    url = ours[-1] if ours else ""
    if url and not url.startswith(("http://", "https://")):
        raise CommandError(
            f"{url!r} is no URL. Write zotero=http://localhost:23119/api.",
            code=Exit.INVALID_INPUT,
            reason="SERVER_MALFORMED",
        )
    return url, others


def read_bib(file: Path) -> "Bibliography":
    """Returns what a file names.

    Raises:
        CommandError: it cannot be read.
    """
    from scops.standalone.commands.papers.reference_files import read_references

    try:
        return read_references(file)
    except InvalidInput as error:
        raise CommandError(
            error.message, code=Exit.INVALID_INPUT, reason="BIBLIOGRAPHY_UNREAD"
        ) from error


def read_zotero(where: str, server: str) -> "Bibliography":
    """Returns what a library names.

    Raises:
        CommandError: it cannot be read.
    """
    from scops.standalone.commands.papers.zotero import KEY, SERVER, ZoteroLibrary

    key = "" if _is_here(server) else os.environ.get(KEY, "")
    try:
        library = ZoteroLibrary(where, server=server or SERVER, key=key)
        with closing(library):
            return library.read()
    except InvalidInput as error:
        raise CommandError(
            error.message, code=Exit.INVALID_INPUT, reason="ZOTERO_REFUSED"
        ) from error
    except OSError as error:
        raise CommandError(
            str(error), code=Exit.UNAVAILABLE, reason="ZOTERO_UNAVAILABLE"
        ) from error


def _is_here(server: str) -> bool:
    """Says whether a server is that of the program, which has no use for keys of the web."""
    from scops.gateway.access.exposure import is_loopback

    return is_loopback(urlsplit(server).hostname or "")
