"""What sort of answer a question wants."""

import pytest

from scops.explainer.quotes.answer_type import holds_answer_type


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("How long may it be kept?", "It may be kept for ten days.", True),
        ("How long may it be kept?", "It may be kept for 26 months.", True),
        ("How long may it be kept?", "It weighs 10 kilograms.", False),
        ("How often does it report?", "It reports every five minutes.", True),
        ("How much does it cost?", "It costs 14 euros.", True),
        ("How much does it cost?", "It is cheap.", False),
        ("What is the default of max_connections?", "The default is 100.", True),
        ("How far is it?", "It is half a mile away.", True),
        ("When does it open?", "It opens at 10:00.", True),
        ("When does it open?", "It opens on Monday.", True),
        ("When does it open?", "It opens soon.", False),
        ("Who founded it?", "It was founded by Ada Lovelace.", True),
        ("Who founded it?", "It was founded by farmers.", False),
        ("Why is it white?", "It is white because paint warms.", True),
        ("What is a webhook?", "A webhook is a call from us to you.", True),
        ("Is it raining?", "It is raining.", False),
    ],
)
def test_knows_numbers_times_names_reasons_and_definitions(
    question: str, sentence: str, expected: bool
) -> None:
    """The question decides what is looked for; an unknown sort looks for nothing."""
    assert expected is holds_answer_type(question, sentence)
