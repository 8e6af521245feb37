"""Sentences of hostile texts: found in time in proportion to the text, and never without end."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scops.common.text import sentences
from scops.common.text.sentences import SENTENCE_CHARACTERS_MAX, sentence_spans

ROOT = Path(__file__).resolve().parents[4]
ORDINARY = (
    *sorted((ROOT / "tests/unit/extractor/golden").glob("*.txt")),
    *sorted((ROOT / "tests/unit/libraries/embedder").glob("*.txt")),
    *sorted((ROOT / "examples/site").rglob("*.html")),
    ROOT / "LICENSE",
)
# The same expressions as one would write them first. They are quadratic.
PLAIN = {
    "_STOP": re.compile(
        r"(?P<line>\s*\n\s*)"
        r"|(?P<cjk>[。！？｡؟۔।॥።။։]+[」』”’）】》]*)"
        r"|(?P<greek>(?<=[\u0370-\u03ff\u1f00-\u1fff])[;\u037e](?=\s|$))"
        r"|(?P<space>(?<=[\u0e01-\u0eff]) (?=[\u0e01-\u0eff]))"
        r"|(?P<stop>[.!?…]+)(?P<closers>[\"'”’»)\]]*(?:\[\d{1,4}\])*)(?=\s|$)"
    ),
    "_LAST_TOKEN": re.compile(r"[^\s(\[{\"'“‘«]+$"),
    "_IDENTIFIER": re.compile(r"[a-z]+(?:[_\d]|[a-z]*[A-Z(]|[\w]*_)"),
}
HOSTILE = (
    "." * 400_000,
    ". " * 200_000,
    "…!?" * 130_000 + "x",
    " " * 400_000 + ".",
    "a." + " " * 400_000 + "b",
    "\n " * 200_000,
    "may" + " " * 400_000,
    '."' * 200_000,
    ".[1]" * 100_000 + "x",
    "ก " * 200_000,
    ";" * 400_000,
    "α" + ";" * 400_000 + "x",
    ". (" * 130_000,
    "a" * 400_000,
    "A. " * 130_000,
    "。」" * 200_000,
    ". a" * 130_000,
    "x\t\u3000" * 130_000,
    # Every word once, so that none is remembered.
    " ".join(f"{place:b}. X" for place in range(20_000)).translate({48: "a", 49: "b"}),
)
# The longest of them takes 0.3 s on a free core.
SECONDS_MAX = 3.0


def _plain_spans(text: str) -> list[tuple[int, int]]:
    with pytest.MonkeyPatch.context() as patch:
        for name, expression in PLAIN.items():
            patch.setattr(sentences, name, expression)
        return sentence_spans(text)


@pytest.mark.parametrize("path", ORDINARY, ids=lambda path: path.name)
def test_ordinary_text_has_the_same_sentences(path: Path) -> None:
    """What keeps the expressions linear changes no sentence of a page."""
    text = path.read_text(encoding="utf-8")

    assert _plain_spans(text) == sentence_spans(text)


@given(
    st.text(alphabet="aB1_ .!?…。」\n\t\"')[]-(", max_size=80)
    | st.lists(
        st.sampled_from(
            ["e.g.", "U.S.", "1.", "no.", "pg_dump", "[12]", '."', "...", " ", "\n", "X"]
        )
    ).map("".join)
)
def test_any_short_text_has_the_same_sentences(text: str) -> None:
    """Also where stops, brackets and spaces stand in no order."""
    assert _plain_spans(text) == sentence_spans(text)


@pytest.mark.parametrize("language", ["", "it"])
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:8]))
def test_hostile_text_takes_time_in_proportion(text: str, language: str) -> None:
    """400,000 characters of anything are read at once, and no sentence has no end."""
    started = time.process_time()
    spans = sentence_spans(text, language)

    assert time.process_time() - started < SECONDS_MAX
    assert all(end - start <= SENTENCE_CHARACTERS_MAX for start, end in spans)


@settings(deadline=None)
@given(st.text(alphabet="ab .\u3000", min_size=1, max_size=9), st.integers(3_000, 9_000))
def test_long_sentence_is_cut_without_loss(unit: str, characters: int) -> None:
    """The parts hold every character that is not white space, once and in order."""
    text = (unit * characters)[:characters]
    covered = "".join("".join(text[start:end].split()) for start, end in sentence_spans(text))

    assert "".join(text.split()) == covered
