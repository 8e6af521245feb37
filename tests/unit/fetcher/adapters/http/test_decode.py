"""Decoders yield bounded pieces, however the input is cut."""

import gzip
import zlib

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from scops.fetcher.adapters.http.decode import (
    PIECE_BYTES_MAX,
    ZSTD_PIECE_BYTES_MAX,
    decoder_for,
)

MIB = 1024 * 1024

COMPRESSORS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("encoding", COMPRESSORS)
@given(data=st.binary(max_size=2000), cut=st.integers(min_value=1, max_value=50))
def test_decoding_does_not_depend_on_how_the_input_is_cut(
    encoding: str, data: bytes, cut: int
) -> None:
    """The network cuts where it likes."""
    packed = COMPRESSORS[encoding](data * 3)
    decoder = decoder_for(encoding)

    pieces = [
        piece
        for start in range(0, len(packed), cut)
        for piece in decoder.decode(packed[start : start + cut])
    ]
    decoder.finish()

    assert data * 3 == b"".join(pieces)


@pytest.mark.parametrize("encoding", COMPRESSORS)
def test_piece_of_a_bomb_is_bounded(encoding: str) -> None:
    """The caller can stop before a bomb fills the memory."""
    bound = ZSTD_PIECE_BYTES_MAX if encoding == "zstd" else PIECE_BYTES_MAX
    packed = COMPRESSORS[encoding](b"a" * 32 * MIB)

    largest = max(len(piece) for piece in decoder_for(encoding).decode(packed))

    # brotli fills its buffer to a whole block before it stops.
    assert largest <= 2 * bound
