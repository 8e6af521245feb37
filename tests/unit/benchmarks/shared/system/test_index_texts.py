"""Which texts of an index are new."""

from benchmarks.shared.system.index_texts import IndexedChunk, new_texts


def test_chunk_is_new_when_no_earlier_one_has_its_exact_text() -> None:
    """A new header alone makes no new text."""
    before = [IndexedChunk(1, "A", "same")]
    after = [IndexedChunk(2, "B", "same"), IndexedChunk(3, "A", "other")]

    assert after[1:] == new_texts(before, after)


def test_embedded_text_is_header_and_text() -> None:
    """The reference embeds what the system embeds."""
    assert "A\nsame" == IndexedChunk(1, "A", "same").embedded_text
