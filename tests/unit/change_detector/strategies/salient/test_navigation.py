"""Menus and lists of contents that an extractor lets through are no news; lists of facts are."""

import pytest

from scops.change_detector.strategies.salient.edits import TypedEdit, typed_edits
from scops.common.contract.messages.types import ChangeClass
from tests.fakes.worlds.change import body_of

INTRO = "All about our terms of use, in one place for you."
MENU = ("Legal overview", "User terms", "Terms for developers", "Privacy and data")
TERMS = ("# Terms of use", "You pay at the end of each month.", "We answer within a week.")


def edits(old: tuple[str, ...], new: tuple[str, ...]) -> list[TypedEdit]:
    """Returns the edits between two texts whose lines are blocks."""
    before, after = "\n".join(old), "\n".join(new)
    return typed_edits(before, body_of(before).blocks, after, body_of(after).blocks)


def classes(old: tuple[str, ...], new: tuple[str, ...]) -> set[ChangeClass]:
    """Returns the classes of the edits, whichever way the page changed."""
    there, back = ({one.change_class for one in edits(*pair)} for pair in ((old, new), (new, old)))
    assert there == back
    return there


@pytest.mark.parametrize("before", [(), (INTRO,)])
def test_a_menu_that_comes_or_goes_as_a_whole_is_no_news(before: tuple[str, ...]) -> None:
    """At the beginning of a text or after a sentence, and before a heading."""
    found = edits((*before, *TERMS), (*before, *MENU, *TERMS))

    assert {ChangeClass.FORMAT} == classes((*before, *TERMS), (*before, *MENU, *TERMS))
    assert {("navigation",)} == {edit.reasons for edit in found}


@pytest.mark.parametrize(
    "without",
    [
        (*TERMS, "# We sell to"),
        (*TERMS, "We sell to:"),
        (*TERMS, "Customers of ours"),
    ],
)
def test_a_list_that_something_introduces_is_news(without: tuple[str, ...]) -> None:
    """A heading, a colon, or a label of its own."""
    assert classes(without, (*without, *MENU)) != {ChangeClass.FORMAT}


@pytest.mark.parametrize("label", ["10 euros a month", "Pay at once.", "Up to 5 %"])
def test_what_says_something_is_no_label(label: str) -> None:
    """A number, an amount or a sentence among them makes a list of facts of it."""
    items = (*MENU[:2], label, *MENU[2:])

    assert classes((INTRO, *TERMS), (INTRO, *items, *TERMS)) != {ChangeClass.FORMAT}


def test_one_item_of_a_list_is_news() -> None:
    """What goes alone is missed by somebody."""
    items = ("Single sign-on", "Audit log", "Own domain", "Daily backups", "Telephone support")

    assert classes((*TERMS, *items), (*TERMS, *items[1:])) != {ChangeClass.FORMAT}


def test_one_item_of_a_menu_that_names_something_twice_is_no_news() -> None:
    """Menus for large and for small screens stand one after the other."""
    menu = (*MENU, *MENU[1:3])

    assert {ChangeClass.FORMAT} == classes((*TERMS, *menu), (*TERMS, *menu[1:]))


def test_contents_that_go_are_no_news() -> None:
    """With the heading above them; what they name still stands, now with numbers."""
    parts = ("Fees", "Refunds", "Liability", "Final provisions")
    body = tuple(line for part in parts for line in (f"# {part}", f"About {part} we say this."))
    numbered = tuple(line.replace("# ", f"# {n}. ") for n, line in enumerate(body, start=1))

    assert {ChangeClass.FORMAT} == classes(("# On this page", *parts, *body), numbered)


def test_a_section_that_goes_with_its_line_of_contents_is_news() -> None:
    """The contents alone say nothing; the section did."""
    parts = ("Fees", "Refunds", "Liability", "Final provisions")
    body = tuple(line for part in parts for line in (f"# {part}", f"About {part} we say this."))

    assert ChangeClass.CRITICAL in classes((*parts, *body), (*parts[:3], *body[:6]))


def test_a_heading_that_changes_above_labels_is_news() -> None:
    """Only one that came or went with its contents is a part of them."""
    parts = ("Basic plan", "Team plan", "Large plan")
    body = tuple(line for part in parts for line in (f"# {part}", f"About {part} we say this."))
    found = classes(("# Plans without fees", *parts, *body), ("# Plans with fees", *parts, *body))

    assert {ChangeClass.CRITICAL} == found


def test_a_list_whose_names_are_all_replaced_is_news() -> None:
    """Names went and others came in their place."""
    others = ("Barn owl", "Tawny owl", "Snowy owl", "Little owl")

    assert classes((*TERMS, *MENU), (*TERMS, *others)) != {ChangeClass.FORMAT}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("Dental care", "Not covered", "Eye care", "Not covered"), ("Dental care", "Covered")),
        (("Dental care", "No limit", "Eye care", "No limit"), ("Dental care",)),
    ],
)
def test_a_list_of_what_holds_and_what_does_not_is_news(
    old: tuple[str, ...], new: tuple[str, ...]
) -> None:
    """Though it says the same twice."""
    assert classes((*TERMS, *old), (*TERMS, *new, *old[2:])) != {ChangeClass.FORMAT}


def test_a_word_replaced_in_a_menu_is_news() -> None:
    """Also where the menu names something twice."""
    menu = ("Legal overview", "User terms", "Legal overview", "User terms")

    assert classes((*TERMS, *menu), (*TERMS, *menu[:3], "Partner terms")) != {ChangeClass.FORMAT}
