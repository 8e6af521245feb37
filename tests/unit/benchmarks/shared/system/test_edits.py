"""Edits at the origin, and how their sight is recognised."""

import random

from benchmarks.shared.system.edits import Fact, edit_share
from benchmarks.shared.system.origin import Origin
from scops.api.v1alpha1.search_service_pb2 import AnswerResponse, Citation

PAGE = b"<html><body><p>" + b"The first sentence tells what this is about. " * 3 + b"</p></body>"


def test_share_of_the_pages_that_can_be_edited_is_edited() -> None:
    """Pages without running text are passed over."""
    pages = {f"/pages/{number}.html": PAGE if number % 2 else b"<p>1</p>" for number in range(100)}
    origin = Origin(pages)

    edited = edit_share(origin, 0.02, random.Random(1))

    assert 2 == len(edited)
    assert sorted(edited) == sorted(path for path in pages if origin.body(path) != pages[path])


def test_fact_is_cited_by_a_quote_with_name_and_number() -> None:
    """An older number of the same gauge is not the new text."""
    fact = Fact("Zanfen", 4711)
    old = AnswerResponse(citations=[Citation(quote="The Zanfen gauge shows 1 millibar.")])
    new = AnswerResponse(citations=[Citation(quote=fact.sentence)])

    assert [False, True] == [fact.is_cited(old), fact.is_cited(new)]
