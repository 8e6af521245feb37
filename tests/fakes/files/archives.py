"""The archive of a folder, opened and looked into."""

from pathlib import Path

from scops.common.archive.opening import CheckedArchive, open_archive, segments_folder


def opened(folder: Path) -> CheckedArchive:
    """Returns the archive of a folder."""
    return open_archive(f"file://{folder}", "main")


def segments(folder: Path) -> list[Path]:
    """Returns its segments, the oldest first."""
    return sorted(Path(segments_folder(f"file://{folder}", "main")).glob("*.warc"))


def holders(folder: Path, word: bytes) -> list[str]:
    """Returns the names of the files below it that hold some bytes."""
    return [p.name for p in folder.rglob("*") if p.is_file() and word in p.read_bytes()]
