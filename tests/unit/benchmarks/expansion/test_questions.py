"""Questions about a linked site, and the pages that answer them."""

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from benchmarks.expansion.questions import Question, QuestionMaker
from benchmarks.expansion.sections import SectionIndex, sections_of, words_of
from benchmarks.expansion.sites import read_site
from benchmarks.expansion.wordings import RUN_WORDS_MAX, copies, sentences_of, wordings_of
from benchmarks.shared.splits import DEVELOPMENT, HELD_OUT, half_of_link
from tests.fakes.worlds.linked_site import written


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> QuestionMaker:
    return QuestionMaker(read_site(written(tmp_path_factory.mktemp("site"))))


@pytest.fixture(scope="module")
def asked(maker: QuestionMaker) -> list[Question]:
    return maker.questions(20)


def _wordings(sentence: str) -> dict[str, str]:
    found = wordings_of(sentences_of([sentence])[0], rarity=lambda _: 1, chance=random.Random(0))
    return {one.form: one.text for one in found}


def _of(kind: str, asked: Iterable[Question]) -> list[Question]:
    return [one for one in asked if one.kind == kind]


def test_sections_are_what_stands_under_a_heading() -> None:
    """Navigation is no text, and nested blocks are taken once."""
    body = (
        b"<nav><p>Menu</p></nav><h1>Page#</h1><p>One.</p><h2>Part</h2>"
        b"<ul><li><p>Two.</p></li><li>Three.</li></ul>"
    )

    assert [("Page", "Page", ("One.",)), ("Page", "Part", ("Two.", "Three."))] == [
        (one.page_title, one.title, one.blocks) for one in sections_of(body, "/a.html")
    ]


@pytest.mark.parametrize(
    ("form", "sentence", "question"),
    [
        (
            "whether",
            "The loader cannot read compressed segments before another worker has unpacked them "
            "into a folder of its own until the next merge has ended.",
            "Can the loader read compressed segments?",
        ),
        (
            "reason",
            "Old kernels starve readers because the disk scheduler prefers whoever writes in "
            "large sequential requests to a single file.",
            "Why do old kernels starve readers?",
        ),
    ],
)
def test_sentence_is_asked_about_by_its_grammar(form: str, sentence: str, question: str) -> None:
    """A part is asked about, the rest answers; what would repeat the sentence is left out."""
    found = _wordings(sentence).get(form, "")

    assert (question == found) is not copies(question, sentence)


def test_question_that_repeats_its_sentence_is_none() -> None:
    """Neither many words in a row nor most of all words."""
    sentence = "The loader skips the broken segment and writes its number into the journal."

    assert copies("What if the loader skips the broken segment and writes?", sentence)
    assert copies("segment journal loader number skips broken writes into the its", sentence)
    assert not copies("What skips a broken segment?", sentence)


def test_site_gives_questions_of_each_kind(asked: list[Question]) -> None:
    """One page, two pages, and pages that are taken off."""
    assert {"one", "two", "gone"} == {one.kind for one in asked}
    assert all(1 == len(one.gold) for one in _of("one", asked))
    assert all(2 == len(one.gold) for one in _of("two", asked))
    assert all(not one.answerable for one in _of("gone", asked))


def test_gold_pages_hold_the_sentences(maker: QuestionMaker, asked: list[Question]) -> None:
    """And pages of unanswerable questions are not served, nor is what they say."""
    for question in asked:
        for pages, sentence in zip(question.gold, question.sentences, strict=False):
            assert set(pages) == set(maker.served.pages_with(sentence))
            assert not set(pages) & maker.gone
        if not question.answerable:
            assert not maker.served.pages_with(question.sentences[0])


def test_question_does_not_copy_its_sentences(asked: list[Question]) -> None:
    """No run of words longer than is allowed stands in both."""
    for question in asked:
        words = words_of(question.question)
        for sentence in question.sentences:
            said = " ".join(words_of(sentence))
            runs = (words[at : at + RUN_WORDS_MAX + 1] for at in range(len(words) - RUN_WORDS_MAX))

            assert not any(" ".join(run) in said for run in runs)


def test_pages_taken_off_cut_no_other_page_off(maker: QuestionMaker) -> None:
    """Every page that stays is reached from the start."""
    graph = maker.site.graph.without(maker.gone)

    assert maker.gone
    assert len(graph.targets) == len(graph.steps_from(maker.site.start))


def test_same_seed_gives_the_same_questions(tmp_path: Path, asked: list[Question]) -> None:
    """Another seed gives others."""
    site = read_site(written(tmp_path))

    assert asked == QuestionMaker(site).questions(20)
    assert asked != QuestionMaker(site, seed=8).questions(20)


def test_halves_share_no_page(maker: QuestionMaker) -> None:
    """What is tuned on one half is judged on the other."""
    halves = {half: maker.questions(20, half=half) for half in (DEVELOPMENT, HELD_OUT)}
    for half, questions in halves.items():
        pages = {path for one in questions for gold in one.gold for path in gold}

        assert questions
        assert {half} == {half_of_link(path) for path in pages} | {one.half for one in questions}


def test_sentence_of_another_page_makes_no_gold() -> None:
    """What a second page says in other words would answer as well."""
    said = "Silos hold grain files of one writer for seven days."
    body = f"<h1>A</h1><p>{said}</p>".encode()
    near = b"<h1>B</h1><p>For seven days, silos will hold the grain files of each writer.</p>"
    index = SectionIndex({"/a": sections_of(body, "/a"), "/b": sections_of(near, "/b")})

    assert ["/a"] == index.pages_with(said)
    assert index.nearly_said(said, share=0.8, but={"/a"})
    assert not index.nearly_said("Barns hold hay of four farmers.", share=0.8)
