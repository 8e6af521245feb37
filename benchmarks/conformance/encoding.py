"""html5lib-tests, encoding: which encoding a page declares, as the extractor reads it.

Of a page that declares none the suite expects its default, windows-1252, and says that it may be
set; the extractor asks a detector there.
"""

import codecs
from collections.abc import Iterator, Sequence
from pathlib import Path

from w3lib.encoding import read_bom, resolve_encoding

from benchmarks.conformance.cases import Result, compared
from scops.extractor.html.meta_prescan import declared_encoding

DEFAULT = "windows-1252"


def encoding_results(folder: Path) -> Sequence[Result]:
    """Runs every `.dat` below a folder; a case is named `file:number`.

    Encodings are compared by what they are, not by which of its labels is used.
    """
    return [
        compared(
            f"{path.relative_to(folder).as_posix()}:{number}",
            expected=canonical_label(expected),
            actual=canonical_label(read_bom(data)[0] or declared_encoding(data) or DEFAULT),
        )
        for path in sorted(folder.rglob("*.dat"))
        for number, (data, expected) in enumerate(cases(path.read_bytes()), start=1)
    ]


def cases(text: bytes) -> Iterator[tuple[bytes, str]]:
    """Yields the bytes of each page with the label that is expected for it."""
    for part in (b"\n" + text).split(b"\n#data\n")[1:]:
        data, _, rest = part.rpartition(b"\n#encoding\n")
        yield data, rest.strip().split(b"\n")[0].decode("ascii")


def canonical_label(label: str) -> str:
    """Returns the codec that a label stands for on the web, the label itself where none does."""
    try:
        return codecs.lookup(resolve_encoding(label) or label).name
    except LookupError:
        return label.lower()
