"""Content-defined packing: sizes, offsets, headers, ids, and boundaries that stay."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from scops.change_detector.chunking.chunks import (
    Chunk,
    ChunkSizes,
    chunk_text,
    header_of,
    header_room,
)
from scops.common.contract import ids
from scops.common.contract.messages.content import Block, BlockKind, Document
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.worlds.change import PAGE, body_of

SIZES = ChunkSizes(tokens_min=20, tokens_max=40, header_tokens_max=8, overlap_tokens_max=0)
count = HashingEmbedder().count_tokens


def cut(text: str, sizes: ChunkSizes = SIZES, document: Document | None = None) -> list[Chunk]:
    """Chunks a text whose lines are blocks."""
    document = document or body_of(text)
    return list(
        chunk_text(PAGE, text, document, count, sizes, header_tokens_max=sizes.header_tokens_max)
    )


def article(paragraphs: int, *, seed: int = 1) -> list[str]:
    """Returns paragraphs of 5 to 12 words, a heading before every sixth."""
    chance = random.Random(seed)
    lines = []
    for i in range(paragraphs):
        if i % 6 == 0:
            lines.append(f"# Section {i}")
        words = [f"w{chance.randrange(500)}" for _ in range(chance.randint(5, 12))]
        lines.append(" ".join(words) + ".")
    return lines


def test_chunks_are_spans_of_the_text_in_order() -> None:
    """Offsets are code points into the text, and no block is lost."""
    text = "\n".join(["Größe 日本 𝒳.", *article(40)])

    chunks = cut(text)

    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert "\n".join(chunk.text for chunk in chunks) == text


def test_chunks_are_neither_small_nor_large() -> None:
    """From the minimum on a chunk may end; it never exceeds the maximum."""
    sizes = [count(chunk.text) for chunk in cut("\n".join(article(200)))]

    assert max(sizes) <= SIZES.tokens_max
    assert sorted(sizes)[len(sizes) // 2] >= SIZES.tokens_min


def test_an_inserted_paragraph_moves_few_boundaries() -> None:
    """Goal of issue 6: at most 2 new chunks per insertion, on the mean over all places."""
    lines = article(120)
    before = {chunk.text for chunk in cut("\n".join(lines))}
    new_chunks = []
    for place in range(len(lines)):
        edited = [*lines[:place], "An inserted paragraph of some words.", *lines[place:]]
        new_chunks.append(sum(c.text not in before for c in cut("\n".join(edited))))

    assert sum(new_chunks) / len(new_chunks) <= 2.0


def test_a_heading_stays_with_what_it_heads() -> None:
    """No chunk but the last ends in a heading, unless the next block does not fit."""
    chunks = cut("\n".join(article(300)))

    assert not any(chunk.text.split("\n")[-1].startswith("# ") for chunk in chunks)


def test_the_section_is_that_of_the_first_paragraph() -> None:
    """The heading itself stands above its section."""
    (chunk,) = cut("# Fees\nThe fee is 5 euros.")

    assert (chunk.section_path, chunk.header) == (("Fees",), "Title > Fees")


def test_a_long_block_is_split_at_sentences() -> None:
    """A block over the maximum is cut between sentences, and nothing is lost."""
    text = " ".join(f"Sentence number {i} has a few words in it." for i in range(30))

    chunks = cut(text)

    assert len(chunks) > 5
    assert all(chunk.text.endswith(".") for chunk in chunks)
    assert " ".join(chunk.text for chunk in chunks) == text


def test_a_long_sentence_is_split_at_words() -> None:
    """Without a full stop the words decide."""
    text = " ".join(f"word{i}" for i in range(500))

    chunks = cut(text)

    assert all(count(chunk.text) <= SIZES.tokens_max for chunk in chunks)
    assert " ".join(chunk.text for chunk in chunks) == text


def test_text_without_words_is_split_at_characters() -> None:
    """CJK has no spaces; a tokenizer that counts characters still bounds every chunk."""
    text = "字" * 500
    chunks = chunk_text(PAGE, text, Document(), len, SIZES, header_tokens_max=8)

    assert all(len(chunk.text) <= SIZES.tokens_max for chunk in chunks)
    assert "".join(chunk.text for chunk in chunks) == text


def test_equal_chunks_of_a_page_have_different_ids() -> None:
    """The occurrence number tells them apart, in reading order."""
    line = " ".join(f"w{i}" for i in range(30))
    first, second = cut(f"{line}\n{line}")

    assert (first.text, first.header) == (second.text, second.header)
    assert first.chunk_id == ids.chunk_id(PAGE, "Title", line, 0)
    assert second.chunk_id == ids.chunk_id(PAGE, "Title", line, 1)


def test_overlap_repeats_the_last_sentences_in_the_chunks_own_range() -> None:
    """The repeated sentences are part of the chunk's text and range."""
    text = " ".join(f"Sentence number {i} has a few words in it." for i in range(30))
    sizes = ChunkSizes(tokens_min=20, tokens_max=40, header_tokens_max=8, overlap_tokens_max=10)

    chunks = cut(text, sizes)

    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert all(a.end > b.start > a.start for a, b in pairwise(chunks))


def test_a_document_without_blocks_is_one_paragraph() -> None:
    """Nothing is left out because the extractor found no structure."""
    (chunk,) = cut("Just a text.", document=Document(title="T"))

    assert (chunk.text, chunk.header) == ("Just a text.", "T")


def test_blank_blocks_make_no_chunk() -> None:
    """White space is not content."""
    blank = Document(blocks=(Block(kind=BlockKind.PARAGRAPH, start=0, end=3),))

    assert cut("   ", document=blank) == []


@pytest.mark.parametrize(
    ("title", "path", "expected"),
    [
        ("T", ("A", "B"), "T > A > B"),
        ("T", (), "T"),
        ("", ("A",), "A"),
        ("T", ("T", "A"), "T > A"),
        ("a b c", ("d e", "f g", "h i"), "a b c > f g > h i"),
        ("a b c d e", ("f g h i j",), "a b c d e > f g h"),
        ("a  b\nc", (), "a b c"),
    ],
)
def test_headers_are_short_and_name_the_innermost_section(
    title: str, path: tuple[str, ...], expected: str
) -> None:
    """Middle sections go first, then the end; a repeated title is left out."""
    assert header_of(title, path, count, tokens_max=8) == expected


def test_header_and_chunk_fit_the_embedder() -> None:
    """With 512 positions the header has its full room, with 430 what is left."""
    sizes = ChunkSizes(tokens_min=200, tokens_max=400, header_tokens_max=64, overlap_tokens_max=0)

    assert [header_room(sizes, embedder_tokens_max=n) for n in (512, 430, 256)] == [64, 28, 16]


def test_chunk_with_a_block_that_ocr_read_says_so() -> None:
    """One such block marks the chunk that holds it, and no other."""
    text = "\n".join(article(40))
    document = body_of(text)
    scanned = document.blocks[5]
    blocks = tuple(replace(block, read_by_ocr=block is scanned) for block in document.blocks)
    chunks = cut(text, document=replace(document, blocks=blocks))
    holding = [chunk.start < scanned.end and scanned.start < chunk.end for chunk in chunks]

    assert 1 == sum(holding) < len(chunks)
    assert holding == [chunk.read_by_ocr for chunk in chunks]
    assert {False} == {chunk.read_by_ocr for chunk in cut(text)}
