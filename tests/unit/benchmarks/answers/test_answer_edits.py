"""The truth of edited documents: what an edit makes of a sentence is known."""

import random

from benchmarks.answers.edits import first_version, next_version

BLOCKS = [
    f"Block {i} says that owl number {i} sleeps. It wakes at hour {i} again." for i in range(20)
]


def test_states_are_what_the_text_shows() -> None:
    """Superseded sentences are gone, all others stand word for word, over many seeds."""
    for seed in range(50):
        chance = random.Random(seed)
        document = first_version(BLOCKS)
        for _ in range(3):
            document = next_version(document, "a page", chance)
        text = "\n".join(document.blocks)

        for sentence, state in document.states.items():
            assert (state == "superseded") == (sentence not in text), (seed, sentence)


def test_moved_sentences_stand_elsewhere() -> None:
    """Without the moved ones, the kept sentences are in their first order."""
    document = next_version(first_version(BLOCKS), "a page", random.Random(3))
    text = "\n".join(document.blocks)
    kept = [sentence for sentence, state in document.states.items() if state == "same"]
    places = [text.index(sentence) for sentence in kept]

    assert sorted(places) == places
    assert "moved" in document.states.values()


def test_sentences_that_stand_twice_are_not_followed() -> None:
    """Which of two equal ones became what, nobody could say."""
    document = first_version(["The same five words here.", "The same five words here."])

    assert {} == document.states
