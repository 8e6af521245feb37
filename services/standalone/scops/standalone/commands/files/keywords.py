"""Lists of keywords beside texts, as data sets of keyphrases have them: `docs/7.txt`, `keys/7.key`.

A list is joined to the text of the same name, and one to the page: its last paragraph,
`Keywords: cork floats; tides`.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scops.standalone.commands.files.finding import FoundFile
from scops.standalone.terminal.exits import CommandError, Exit

ENDINGS = (".key", ".keys", ".kwd", ".keywords", ".txt")
# Of paragraphs that are added to what a file says.
TAKING = frozenset({"text/plain", "text/markdown"})
BYTES_MAX = 100_000
LABEL = "Keywords"


def with_keywords(files: Sequence[FoundFile], folder: Path) -> list[FoundFile]:
    """Returns files, those that are texts with their lists.

    Args:
        folder: of the lists; a path below it is that of the text, without its ending.

    Raises:
        CommandError: there is no such folder, or no list in it is of a text.
    """
    if not folder.is_dir():
        raise _unusable(f"There is no folder {folder}.", "KEYWORDS_NOT_FOUND")
    # In a folder that holds the texts, too, a text is no list of itself.
    found = [replace(file, keywords=_list_of(file, folder)) for file in files]
    if files and all(file.keywords is None for file in found):
        raise _unusable(
            f"No list in {folder} has the name of a text: docs/7.txt goes with 7.key there. Lists "
            f"end with {', '.join(ENDINGS)}; PDFs and office documents take none.",
            "KEYWORDS_NOT_FOUND",
        )
    return found


def keyword_paragraph(file: Path) -> bytes:
    """Returns the paragraph of a list, one phrase a line; empty where it has none.

    Raises:
        OSError: it cannot be read.
    """
    with file.open("rb") as opened:
        text = opened.read(BYTES_MAX).decode("utf-8-sig", errors="replace")
    phrases = dict.fromkeys(" ".join(line.split()) for line in text.splitlines())
    said = "; ".join(filter(None, phrases))
    return f"\n\n{LABEL}: {said}\n".encode() if said else b""


def _list_of(file: FoundFile, folder: Path) -> Path | None:
    if file.media_type not in TAKING:
        return None
    stem = Path(file.name).with_suffix("")
    for place in (folder / stem, folder / stem.name):
        for ending in ENDINGS:
            # `with_suffix` would take 7.1 for 7.
            found = place.with_name(f"{place.name}{ending}")
            if found.is_file() and not found.is_symlink() and found.resolve() != file.path:
                return found
    return None


def _unusable(message: str, reason: str) -> CommandError:
    return CommandError(message, code=Exit.INVALID_INPUT, reason=reason)
