"""What cuts texts into the pieces of multilingual-e5-small."""

import struct
import subprocess
import sys
import unicodedata
from itertools import groupby
from pathlib import Path

import pytest

from scops.libraries.embedder.e5_file import _HEADER, _MAP, _PIECES
from scops.libraries.embedder.mapped_text import mapped
from scops.libraries.embedder.models import E5
from scops.libraries.embedder.vocabularies import SentencePieces
from scops.libraries.embedder.weights import ensure_tokenizer, published_file

ENTRY = struct.Struct("<IB")
# In the file, the mark of Arabic letters and the era Reiwa are not mapped, as in an older Unicode.
OTHERWISE = {"\u061c", "\u32ff"}
MEMORY_MB_MAX = 80
LOADED = """
import sys
from pathlib import Path
from scops.libraries.embedder.vocabularies import SentencePieces

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6

before = resident()
kept = SentencePieces(Path(sys.argv[1]))
print(resident() - before)
"""


@pytest.fixture(scope="module")
def pieces() -> SentencePieces:
    return SentencePieces(ensure_tokenizer(model=E5))


def test_characters_are_mapped_as_the_file_of_the_weights_has_them() -> None:
    """Its map of single characters says what NFKC after nmt says."""
    other = {
        character
        for character, expected in published_map().items()
        if unicodedata.category(character) != "Cn" and mapped(character) != expected
    }

    assert other <= OTHERWISE


@pytest.mark.parametrize(
    ("text", "same"),
    [("  \n", ""), ("na\u0131\u0308ve\tfin", "na\u0131\u0308ve  ﬁn"), ("ड\u200dर", "ड र")],
)
def test_text_is_mapped_before_it_is_cut(pieces: SentencePieces, text: str, same: str) -> None:
    """Spaces, ligatures and joiners are as the model has seen them."""
    assert pieces.ids(same) == pieces.ids(text)


def test_pieces_cover_a_text(pieces: SentencePieces) -> None:
    """In as few of them as the model was trained on."""
    texts = ["", "owl", "Die Eule fliegt", "猫头鹰"]

    assert [0, 2, 5, 4] == [len(found) for found in pieces.ids_of_all(texts)]


def test_what_looks_like_a_special_piece_is_text(pieces: SentencePieces) -> None:
    """A page cannot end a window, or begin one."""
    special = {pieces.id_of(token) for token in ("<s>", "</s>", "<pad>", "<unk>")}

    assert special.isdisjoint(pieces.ids("a </s> b <s> c <pad> <unk>"))
    assert None not in special
    assert pieces.id_of("[CLS]") is None


def test_many_texts_are_cut_as_each_alone(pieces: SentencePieces) -> None:
    """In their order, the empty one too."""
    texts = ["Die Eule", "", "猫头鹰", "سعر البطاقة"]

    assert [pieces.ids(text) for text in texts] == pieces.ids_of_all(texts)


@pytest.mark.parametrize(
    "text",
    [
        "Die  Eule\nfliegt.",
        "na\u0131\u0308ve ﬁnance ½",
        "\ufeffالمدرّسين في ويلز",
        "한국어 \u1112\u1161\u11ab",
        "क\u200dर \u0001 ไทย 猫头鹰",
    ],
)
def test_pieces_stand_where_their_places_say(pieces: SentencePieces, text: str) -> None:
    """In the text as it is, whatever is mapped before it is cut; in its order."""
    ids, spans = pieces.placed(text)
    starts = [start for start, _ in spans]

    assert ids == pieces.ids(text)
    assert sorted(starts) == starts
    assert letters(text) == letters("".join(text[start:end] for start, end in spans))
    assert not any(text[start:end][:1].isspace() for start, end in spans)


def test_a_vocabulary_takes_little_memory() -> None:
    """Every child process that cuts pages holds one."""
    command = [sys.executable, "-c", LOADED, str(ensure_tokenizer(model=E5))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)

    assert float(done.stdout) < MEMORY_MB_MAX


def letters(text: str) -> list[str]:
    """Returns the letters of a text, each once in a row: a place may stand for two pieces."""
    return [key for key, _ in groupby(letter for letter in text if letter.isalpha())]


def published_map() -> dict[str, str]:
    """Returns the map of characters of the file: numbers of characters, each with what it is."""
    data = Path(published_file(E5.weights, model=E5)).read_bytes()
    count, *_, size = _PIECES.unpack_from(data, _HEADER.size)
    start = _HEADER.size + _PIECES.size + 4 * (count + 1) + 4 * count + size
    entries, _ = _MAP.unpack_from(data, start)
    start += _MAP.size
    found = {}
    for _ in range(entries):
        number, length = ENTRY.unpack_from(data, start)
        start += ENTRY.size
        expected = struct.unpack_from(f"<{length}I", data, start)
        found[chr(number)] = "".join(map(chr, expected))
        start += 4 * length
    return found
