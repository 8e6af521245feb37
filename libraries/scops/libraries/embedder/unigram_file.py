"""Writes a vocabulary as a file of sentencepiece: a protobuf message of pieces with scores.

By hand, since the classes that the library brings need another protobuf than weaviate-client.
Source: sentencepiece_model.proto of google/sentencepiece; only what is set is named here.
"""

import struct
from collections.abc import Iterable

Piece = tuple[bytes, float, int]
NORMAL, UNKNOWN, CONTROL = 1, 2, 3

_VARINT, _BYTES, _FLOAT = 0, 2, 5
# Fields of the whole, of a piece, and of the specification of the training.
_PIECES, _TRAINER = 1, 2
_TEXT, _SCORE, _KIND = 1, 2, 3
_MODEL_TYPE, _UNKNOWN_ID, _FIRST_ID, _LAST_ID, _PADDING_ID = 3, 40, 41, 42, 43
_UNIGRAM = 1


def unigram_model(
    pieces: Iterable[Piece], *, first: int, last: int, padding: int, unknown: int
) -> bytes:
    """Returns a Unigram model that maps no characters, as sentencepiece reads it.

    Args:
        pieces: UTF-8, score and kind of each, in the order of their numbers.
        first, last, padding, unknown: numbers of the special pieces.
    """
    trained = b"".join(
        _number(field, value)
        for field, value in (
            (_MODEL_TYPE, _UNIGRAM),
            (_UNKNOWN_ID, unknown),
            (_FIRST_ID, first),
            (_LAST_ID, last),
            (_PADDING_ID, padding),
        )
    )
    return b"".join([*map(_piece, pieces), _text(_TRAINER, trained)])


def _piece(piece: Piece) -> bytes:
    text, score, kind = piece
    scored = _tag(_SCORE, _FLOAT) + struct.pack("<f", score)
    return _text(_PIECES, _text(_TEXT, text) + scored + _number(_KIND, kind))


def _text(field: int, value: bytes) -> bytes:
    return _tag(field, _BYTES) + _varint(len(value)) + value


def _number(field: int, value: int) -> bytes:
    return _tag(field, _VARINT) + _varint(value)


def _tag(field: int, kind: int) -> bytes:
    return _varint(field << 3 | kind)


def _varint(value: int) -> bytes:
    """Returns seven bits a byte, the lowest first; every byte but the last has its top bit set."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])
