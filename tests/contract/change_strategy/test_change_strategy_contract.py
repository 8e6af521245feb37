"""The contract of the `ChangeStrategy` port: labels and edits are of one piece."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scops.change_detector.chunking.fingerprints import fingerprint
from scops.change_detector.manifests.alignment import align
from scops.change_detector.strategies.port import (
    ChangeStrategy,
    ComparedChunk,
    ComparedVersion,
    Comparison,
    TypedEdit,
    worst_class,
)
from scops.common.contract.messages.change import ChunkOrigin
from scops.common.contract.messages.types import ChangeClass
from tests.fakes import page_lines
from tests.fakes.worlds.change import body_of

PAGES = page_lines.PAGES.map("\n".join)
# Whatever an extractor may let through: controls, marks alone, signs beyond the basic plane.
ODD = st.text(alphabet="a1 .\n\t\0\u200b\u0301\u202e日한😀é", max_size=60)
OLD = "# Fees\nThe fee is 5 euros each month.\nPay at the desk.\nBring the blue form along."
NEW = "# Fees\nThe fee is 6 euros each month.\nNobody pays in cash.\nBring the blue form along."
relaxed = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def version(text: str, *, repeated: tuple[tuple[int, int], ...] = ()) -> ComparedVersion:
    """Returns a version whose lines are its blocks and its chunks."""
    document = body_of(text)
    chunks = tuple(
        ComparedChunk(
            text=text[block.start : block.end],
            header="Title",
            simhash=fingerprint(text[block.start : block.end]),
            start=block.start,
            end=block.end,
        )
        for block in document.blocks
    )
    return ComparedVersion(text=text, document=document, chunks=chunks, repeated=repeated)


def comparison(old: ComparedVersion, new: ComparedVersion) -> Comparison:
    """Returns two versions with their chunks aligned as the service aligns them."""
    alignment = align([c.text for c in old.chunks], [c.text for c in new.chunks])
    return Comparison(old=old, new=new, alignment=alignment)


def assert_well_formed(edit: TypedEdit, old: str, new: str) -> None:
    """An edit has a place in a text, a class with reasons, and a weight."""
    spans = [(span, text) for span, text in ((edit.old, old), (edit.new, new)) if span is not None]
    assert spans
    for (start, end), text in spans:
        assert 0 <= start < end <= len(text)
        assert text[start:end]
    assert edit.change_class not in (ChangeClass.UNSPECIFIED, ChangeClass.NONE)
    assert edit.reasons
    assert 0.0 <= edit.salience <= 1.0
    assert edit.semantic or edit.change_class is not ChangeClass.CRITICAL


@relaxed
@given(st.one_of(PAGES, ODD), st.one_of(PAGES, ODD))
async def test_edits_have_a_place_a_class_and_a_weight(
    strategy: ChangeStrategy, old: str, new: str
) -> None:
    """Whatever the two texts are; asked again, the strategy says the same."""
    edits = await strategy.edits(version(old), version(new))

    for edit in edits:
        assert_well_formed(edit, old, new)
    assert edits == await strategy.edits(version(old), version(new))


@relaxed
@given(st.one_of(PAGES, ODD), st.one_of(PAGES, ODD))
async def test_the_label_of_a_page_is_the_summary_of_its_edits(
    strategy: ChangeStrategy, old: str, new: str
) -> None:
    """What a version is labelled with is what a reader of its edits is told."""
    before, after = version(old), version(new)
    edits = await strategy.edits(before, after)
    labels = await strategy.label(comparison(before, after))

    assert labels.page == strategy.summary(edits)
    assert labels.page.change_class is worst_class(edits)
    assert {reason for edit in edits for reason in edit.reasons} == set(labels.page.reasons)
    assert labels.page.semantic or not any(edit.semantic for edit in edits)


@relaxed
@given(st.one_of(PAGES, ODD))
async def test_a_text_has_no_edits_against_itself(strategy: ChangeStrategy, text: str) -> None:
    """And its label is the class none."""
    labels = await strategy.label(comparison(version(text), version(text)))

    assert [] == list(await strategy.edits(version(text), version(text)))
    assert (ChangeClass.NONE, False) == (labels.page.change_class, labels.page.semantic)


async def test_chunks_that_were_edited_or_moved_have_labels(strategy: ChangeStrategy) -> None:
    """Of the strategy's name, and none for the others."""
    compared = comparison(version(OLD), version(NEW))
    labels = await strategy.label(compared)
    expected = {
        place
        for place, chunk in enumerate(compared.alignment.chunks)
        if chunk.origin in (ChunkOrigin.EDITED, ChunkOrigin.MOVED)
    }

    assert expected == set(labels.chunks)
    assert expected
    assert {strategy.name} == {s.strategy for s in (labels.page, *labels.chunks.values())}


async def test_another_fee_is_a_change_of_meaning(strategy: ChangeStrategy) -> None:
    """The edit lies at the sentence that says so, in both texts."""
    edits = await strategy.edits(version(OLD), version(NEW))

    (fee,) = [edit for edit in edits if edit.new and "6" in NEW[slice(*edit.new)]]
    assert fee.old is not None
    assert "5 euros" in OLD[slice(*fee.old)]
    assert fee.semantic


async def test_what_the_host_repeats_is_a_matter_of_format(strategy: ChangeStrategy) -> None:
    """Edits and labels leave it out alike."""
    old, new = (version(text, repeated=((0, len(text)),)) for text in (OLD, NEW))
    edits = await strategy.edits(old, new)
    labels = await strategy.label(comparison(old, new))

    assert {(ChangeClass.FORMAT, ("template",), False)} == {
        (edit.change_class, edit.reasons, edit.semantic) for edit in edits
    }
    assert (ChangeClass.FORMAT, False) == (labels.page.change_class, labels.page.semantic)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "word " * 30_000),
        ("a\n" * 20_000, "b\n" * 20_000),
        ("x" * 200_000, "x" * 199_999 + "y"),
        ("(((" * 20_000, ")))" * 20_000),
        ("the same line of words\n" * 10_000, "the same line of words\n" * 9_999),
    ],
    ids=["from-nothing", "short-lines", "no-spaces", "signs", "repeated-lines"],
)
async def test_hostile_texts_are_typed_in_bounded_time(
    strategy: ChangeStrategy, old: str, new: str
) -> None:
    """However long and however alike."""
    began = time.process_time()
    edits = await strategy.edits(version(old), version(new))
    spent = time.process_time() - began

    for edit in edits:
        assert_well_formed(edit, old, new)
    assert spent < 30
