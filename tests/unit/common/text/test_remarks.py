"""Codes with arguments, and the sentence that is made of them."""

import string

import pytest

from scops.common.text.remarks import SENTENCES, RemarkCode, remark, sentence, sentences


@pytest.mark.parametrize("code", RemarkCode)
def test_each_code_has_a_sentence_of_its_arguments(code: RemarkCode) -> None:
    """Whatever they are, and nothing is left in braces."""
    names = [name for _, name, _, _ in string.Formatter().parse(SENTENCES[code]) if name]
    told = remark(code, **{name: f"<{name}>" for name in names})
    said = sentence(told)

    assert names == [argument.name for argument in told.arguments]
    assert all(f"<{name}>" in said for name in names)
    assert "{" not in said
    assert said.endswith(".")


def test_remarks_are_said_one_after_another() -> None:
    """As a reader of English is told them."""
    told = (
        remark(RemarkCode.WORDS_MISSING, words="“owls”"),
        remark(RemarkCode.NEAREST, place="Birds › Night"),
    )

    assert (
        "Not answered in these scopes: nothing found names “owls”. Nearest: Birds › Night."
        == sentences(told)
    )
    assert "" == sentences(())


def test_argument_with_braces_stays_as_it_is() -> None:
    """A page may be called anything."""
    assert "Nearest: {words}." == sentence(remark(RemarkCode.NEAREST, place="{words}"))
