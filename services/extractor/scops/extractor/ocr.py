"""OCR of scanned pages: what it works by, and that it is installed."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from scops.common.contract.errors import InvalidInput

PROGRAM = "tesseract"
# Flags of a document: some of its pages are what OCR read; some stay pictures that nobody read.
READ_BY_OCR = "read_by_ocr"
SCANNED_PAGES = "scanned_pages"
ASKED_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ocr:
    """How scanned pages are read.

    Attributes:
        languages: as tesseract names them, likeliest first; not empty.
        version: of tesseract, such as `5.3.0`.
        seconds: for all pages of one document.
    """

    languages: tuple[str, ...]
    version: str
    seconds: float

    @property
    def pipeline(self) -> str:
        """How the pipeline version of a document that OCR read names it."""
        return f"{PROGRAM}-{self.version}-{'-'.join(self.languages)}"


def installed_ocr(languages: Sequence[str], *, seconds: float) -> Ocr | None:
    """Returns how pages are read in some languages; None for no language.

    Raises:
        InvalidInput: tesseract is not installed, or knows no such language.
    """
    if not languages:
        return None
    known = set(_said("--list-langs").split("\n")[1:])
    if missing := [name for name in languages if name not in known]:
        raise InvalidInput(
            f"Tesseract has no data for {', '.join(missing)} of SCOPS_EXTRACTOR_OCR_LANGUAGES; it "
            f"has {', '.join(sorted(known)) or 'none'}. Install the data (Debian: "
            f"tesseract-ocr-{missing[0]}), or name others.",
            field="SCOPS_EXTRACTOR_OCR_LANGUAGES",
        )
    version = _said("--version").split("\n")[0].removeprefix(f"{PROGRAM} ")
    return Ocr(languages=tuple(languages), version=version, seconds=seconds)


def _said(option: str) -> str:
    program = shutil.which(PROGRAM)
    if program is None:
        raise InvalidInput(
            "SCOPS_EXTRACTOR_OCR_LANGUAGES asks for OCR, and the program tesseract is not on the "
            "PATH. Install it (Debian: tesseract-ocr), or leave the setting empty.",
            field="SCOPS_EXTRACTOR_OCR_LANGUAGES",
        )
    done = subprocess.run(
        [program, option], capture_output=True, text=True, timeout=ASKED_SECONDS, check=False
    )
    return done.stdout.strip()
