"""The pure parts of the command: rules, instants and excerpts as people write and read them."""

import pytest

from scops.api.v1alpha1.scope_service_pb2 import ScopeRule
from scops.standalone.commands.ask import TEXT_CHARACTERS, excerpt
from scops.standalone.commands.job import joined_text
from scops.standalone.commands.page import change_words
from scops.standalone.process.doctor import contact_advice
from scops.standalone.terminal.exits import CommandError
from scops.standalone.terminal.instants import parse_instant
from scops.standalone.terminal.output import section
from scops.standalone.terminal.rules import parse_rule, show_rule


@pytest.mark.parametrize(
    ("words", "kind", "pattern"),
    [
        ("prefix:example.org/a", ScopeRule.KIND_PREFIX, "example.org/a"),
        ("glob:example.org/*", ScopeRule.KIND_GLOB, "example.org/*"),
        ("regex:https://e\\.org/.*", ScopeRule.KIND_REGEX, "https://e\\.org/.*"),
        ("page:https://e.org/a", ScopeRule.KIND_PAGE, "https://e.org/a"),
        ("example.org/a", ScopeRule.KIND_PREFIX, "example.org/a"),
        ("example.org/*/b", ScopeRule.KIND_GLOB, "example.org/*/b"),
        ("https://example.org:8080/a", ScopeRule.KIND_PREFIX, "https://example.org:8080/a"),
    ],
)
def test_rules_as_words(words: str, kind: int, pattern: str) -> None:
    """A word before the colon names the kind; otherwise a star makes a glob of a prefix."""
    rule = parse_rule(words)

    assert (kind, pattern, False) == (rule.kind, rule.pattern, rule.exclude)


def test_a_shown_rule_can_be_read_again() -> None:
    """What `scope show` prints is what `--include` takes."""
    rule = parse_rule("glob:example.org/*", exclude=True)
    sign, _, words = show_rule(rule).partition(" ")

    assert "−" == sign
    assert rule == parse_rule(words, exclude=True)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"),
        ("2026-03-01T14:00:00+02:00", "2026-03-01T12:00:00Z"),
        ("2026-03-01", "2026-03-01T23:59:59.999999Z"),
    ],
)
def test_instants(text: str, shown: str) -> None:
    """RFC 3339, or a date, which means its end in UTC."""
    assert shown == parse_instant(text).ToJsonString()


@pytest.mark.parametrize("text", ["yesterday", "2026-03-01T12:00:00", "2026-13-01", ""])
def test_what_is_no_instant_is_refused(text: str) -> None:
    """An instant without a zone could be meant in several."""
    with pytest.raises(CommandError, match=r"instant|zone"):
        parse_instant(text)


def test_an_excerpt_shows_where_the_query_is() -> None:
    """It begins shortly before the first long word of the query."""
    text = "filler " * 100 + "the thunder rolls " + "filler " * 100
    shown = excerpt(text, "is THUNDER near?")

    assert "thunder rolls" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= TEXT_CHARACTERS + 2


def test_an_excerpt_without_a_hit_is_the_beginning() -> None:
    """Meaning may match without any word in common."""
    assert "A short text." == excerpt("A  short\ntext.", "question")


@pytest.mark.parametrize(
    ("path", "title", "shown"),
    [
        (["Prices", "Plans"], "Prices", "Plans"),
        (["Plans", "River"], "Prices", "Plans › River"),
        ([], "Prices", ""),
        (["[red]"], "", "\\[red]"),
    ],
)
def test_sections(path: list[str], title: str, shown: str) -> None:
    """A heading that repeats the title is left out, and markup is text."""
    assert shown == section(path, title=title)


@pytest.mark.parametrize(
    ("change_class", "reasons", "words"),
    [
        ("none", ["first_version"], "first version"),
        ("none", [], "no change"),
        ("lexical", ["simhash", "cosine"], "lexical: simhash, cosine"),
        ("critical", [], "critical"),
    ],
)
def test_changes_as_words(change_class: str, reasons: list[str], words: str) -> None:
    """A class with its reasons, without the terms of the wire."""
    assert words == change_words(change_class, reasons)


@pytest.mark.parametrize(
    ("reason", "uri", "text"),
    [
        ("moved", "https://a.test/", "moved to https://a.test/"),
        ("same_content", "https://a.test/", "same content as https://a.test/"),
        ("of_a_later_version", "https://a.test/[x]", r"is now https://a.test/\[x]"),
        ("not_found", "", ""),
    ],
)
def test_a_joined_page_names_the_other(reason: str, uri: str, text: str) -> None:
    """Nothing is missing: the page is found under another URL."""
    assert text == joined_text(reason, uri)


def test_the_doctor_asks_for_a_contact() -> None:
    """Sites must be able to reach whoever crawls them; the setting is named where it is empty."""
    assert "SCOPS_FETCHER_CONTACT_URL" in contact_advice("")
    assert contact_advice("https://example.org/bot").startswith("https://example.org/bot ")
