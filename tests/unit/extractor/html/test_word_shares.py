"""Word shares: lines that are blocks, short lines, words in a row, and what stands nowhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.extractor.html.word_shares import SHINGLE_WORDS, WordShares

OWLS = "Tawny owls hunt at night, and listen before they move."
LINES = st.lists(
    st.lists(st.sampled_from(["owl", "vole", "Barn", "hunts", "2024", "é"]), min_size=1).map(
        " ".join
    ),
    max_size=8,
)


@pytest.mark.parametrize(
    ("block", "text", "share"),
    [
        (OWLS, f"Before.\n{OWLS}\nBehind.", 1.0),
        (OWLS, f"- {OWLS}", 1.0),
        (OWLS, f"  {OWLS}  ", 1.0),
        # Case and punctuation are no words.
        (OWLS, "TAWNY OWLS hunt at night and listen before they move", 1.0),
        # Ten words are seven in rows of four; half of them give two.
        (OWLS, "Tawny owls hunt at night.", 2 / 7),
        # Rows go on over lines, where an extractor breaks them.
        (OWLS, "Tawny owls hunt at\nnight, and listen before they move.", 1.0),
        (OWLS, "move they before listen and night at hunt owls Tawny", 0.0),
        ("Read more", "Read more", 1.0),
        ("Read more", "read more!", 1.0),
        ("Read more", "You may read more of it here", 0.0),
        (OWLS, "", 0.0),
    ],
)
def test_share_of_a_block(block: str, text: str, share: float) -> None:
    """A block counts whole as a line, else by its words in rows of four."""
    assert [pytest.approx(share)] == WordShares([block]).of(text)


def test_blocks_are_looked_up_in_more_than_one_text() -> None:
    """What one text said of a block says nothing to the next."""
    shares = WordShares([OWLS, "Read more"])

    assert [1.0, 0.0] == shares.of(OWLS)
    assert [0.0, 1.0] == shares.of("Read  more\n- Read more")
    assert [0.0, 0.0] == shares.of("")


@given(LINES, LINES)
def test_shares_are_shares(blocks: list[str], lines: list[str]) -> None:
    """Each lies in [0, 1]; lines of the text have all of their words there."""
    found = WordShares(blocks).of("\n".join(lines))

    assert all(0.0 <= share <= 1.0 for share in found)
    assert all(share == 1.0 for block, share in zip(blocks, found, strict=True) if block in lines)
    words = {word.casefold() for line in lines for word in line.split()}
    for block, share in zip(blocks, found, strict=True):
        known = sum(word.casefold() in words for word in block.split())
        assert known >= min(share * len(block.split()), SHINGLE_WORDS) - 1e-9
