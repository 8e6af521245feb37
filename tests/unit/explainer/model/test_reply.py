"""What can be read of a model's reply."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.explainer.model.reply import STATEMENTS_MAX, CitedClaim, ClaimedQuote, claims_of

QUOTE = '{"id": "p2", "start": 4, "quote": "hunt"}'
GOOD = f'{{"statements": [{{"text": "Owls hunt.", "quotes": [{QUOTE}]}}]}}'
CLAIM = CitedClaim("Owls hunt.", (ClaimedQuote(1, 4, "hunt"),))


@pytest.mark.parametrize("reply", [GOOD, f"```json\n{GOOD}\n```", f"Sure! {GOOD} Anything else?"])
def test_whole_reply_is_read(reply: str) -> None:
    """What stands around the object does not matter."""
    assert [CLAIM] == claims_of(reply)


def test_reply_that_breaks_off_keeps_whole_statements() -> None:
    """A statement without its end is no statement."""
    cut = GOOD.removesuffix("]}") + ', {"text": "Mice hi'

    assert [CLAIM] == claims_of(cut)


@pytest.mark.parametrize("reply", ["", "Owls hunt at night.", "[]", '{"answer": "x"}', "null"])
def test_reply_in_another_form_is_none(reply: str) -> None:
    """Prose is not an answer: nothing in it says what proves it."""
    assert claims_of(reply) is None


@pytest.mark.parametrize(
    "item",
    [
        {"text": ""},
        {"text": 7},
        {"quotes": []},
        {"text": "x" * 5000},
    ],
)
def test_statement_without_usable_text_is_left_out(item: dict[str, object]) -> None:
    """The others stay."""
    assert [] == claims_of(json.dumps({"statements": [item]}))


@pytest.mark.parametrize(
    "quote", [None, "text", {}, {"quote": 5}, {"quote": " "}, {"quote": "q" * 5000}]
)
def test_quote_in_another_form_is_left_out(quote: object) -> None:
    """Whatever a model makes of the form, reading it never fails."""
    reply = json.dumps({"statements": [{"text": "Owls hunt.", "quotes": [quote]}]})

    assert [CitedClaim("Owls hunt.", ())] == claims_of(reply)


@pytest.mark.parametrize("name", ["p0", "p-1", "p99999", "evil", None, 3.5, "²"])
def test_unknown_passage_is_no_place(name: object) -> None:
    """The quote is then looked for in all passages."""
    quote = {"id": name, "start": True, "quote": "hunt"}
    claims = claims_of(json.dumps({"statements": [{"text": "Owls.", "quotes": [quote]}]}))

    assert [CitedClaim("Owls.", (ClaimedQuote(-1, -1, "hunt"),))] == claims


def test_statements_are_bounded() -> None:
    """A model that never stops is cut."""
    reply = json.dumps({"statements": [{"text": "Owls.", "quotes": []}] * 99})

    assert STATEMENTS_MAX == len(claims_of(reply) or [])


@given(st.text(max_size=200))
def test_any_tail_is_survived(tail: str) -> None:
    """No reply makes reading fail."""
    claims_of('{"statements": [' + tail)
