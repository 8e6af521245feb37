"""Definitions of scopes as YAML: what is read, what is refused and on which line."""

from dataclasses import replace

import pytest
import yaml

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Boundary, RuleKind, Scope, ScopeRule
from scops.standalone.commands.scopes.written import (
    canonical,
    definition_of,
    differing,
    mask_of,
    message_of,
    written,
)
from scops.standalone.commands.scopes.yaml_file import dump_scopes, read_scopes
from scops.standalone.terminal.exits import CommandError

WHOLE = canonical(
    Scope(
        scope_id=ScopeId("owls"),
        name="Owls: näive # \u202e",
        public=True,
        seeds=("https://owls.example.org/a/",),
        sitemaps=("https://owls.example.org/sitemap.xml",),
        boundary=Boundary.DOMAIN,
        rules=(
            ScopeRule(kind=RuleKind.REGEX, pattern=r"https://other\.test/[0-9]+"),
            ScopeRule(kind=RuleKind.PREFIX, pattern="owls.example.org/old", exclude=True),
        ),
        page_limit=7,
        depth_limit=3,
        recrawl_per_day=-1,
        rendered_per_day=50,
        rendered_always=True,
        retention_days=30,
        counted_reasons=("number",),
        ignored_reasons=("date",),
    )
)


def _read(text: str) -> list[Scope]:
    return [one.scope for one in read_scopes(text.encode(), "owls.yaml")]


def test_what_is_written_reads_as_the_same() -> None:
    """Every field, through YAML and through the API's message."""
    text = dump_scopes([written(WHOLE)])

    assert [WHOLE] == _read(text)
    assert WHOLE == definition_of(message_of(WHOLE))
    assert 16 == len(yaml.safe_load(text)[0])
    assert "\u202e" not in text


def test_documents_and_lists_read_alike() -> None:
    """Several documents, lists in them, and documents of nothing."""
    one = "name: {}\nseeds: [HTTPS://Owls.TEST/x/]\n"
    scopes = _read(f"{one.format('a')}---\n---\n- {{name: b, include: [owls.test]}}\n")

    assert ["a", "b"] == [scope.scope_id for scope in scopes]
    assert ("https://owls.test/x/",) == scopes[0].seeds
    assert [Boundary.SUBPAGES, Boundary.UNSPECIFIED] == [scope.boundary for scope in scopes]
    assert [] == _read("[]")


def test_rules_of_the_boundary_are_not_the_definitions() -> None:
    """Whoever writes one beside the boundary defines the same scope."""
    plain = "name: a\nseeds: [https://owls.test/x/]\nboundary: host\n"

    assert _read(plain) == _read(f"{plain}include: [prefix:owls.test]\n")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("name: a\nseed: [https://a.test/]\n", 2, "unknown field 'seed'"),
        ("- name: a\n  include: [a.test]\n- name: a\n  include: [a.test]\n", 3, "defined twice"),
        ("name: a\nname: b\n", 2, "given twice"),
        ("include: [a.test]\n", 1, "without a name"),
        ("name: A b\n", 1, "names no scope"),
        ("name: 12\n", 1, "in quotes"),
        ("name: a\ninclude: a.test\n", 2, "is a list"),
        ("name: a\ninclude:\n- a.test\npage_limit: many\n", 4, "whole number"),
        ("name: a\ninclude: [a.test]\npage_limit: 010\n", 3, "decimal"),
        ("name: a\ninclude: [a.test]\n\nretention_days: -4\n", 4, "retention_days is -4"),
        ("name: a\ninclude: [a.test]\npublic: 1\n", 3, "true or false"),
        ("name: a\nboundary: galaxy\n", 2, "galaxy"),
        ("name: a\ninclude:\n- a.test\n- 'regex:('\n", 4, "scope a"),
        (
            "name: a\ninclude: [a.test]\nseeds:\n- https://a.test/\n- https://b.test/\n",
            5,
            "outside",
        ),
        ("name: a\nseeds: [http://127.0.0.1/]\nboundary: domain\n", 2, "boundary host"),
        ("name: a\nexclude: [a.test]\n", 1, "scope a"),
        ('name: a\ndisplay_name: "\\ud800"\n', 2, "surrogate"),
        ("name: a\ninclude: [a.test\n", 3, "no YAML"),
        ("name: !!python/object:os.system a\n", 1, "in quotes"),
        ("", 1, "no scope"),
        ("just words\n", 1, "a scope is wanted"),
        ("[" * 5000, 1, "nested"),
        ("a\x00b", 1, "no YAML"),
    ],
)
def test_what_cannot_be_used_is_refused_by_line(text: str, line: int, words: str) -> None:
    """The message begins with file and line."""
    with pytest.raises(CommandError) as caught:
        _read(text)

    assert caught.value.message.startswith(f"owls.yaml:{line}: ")
    assert words in caught.value.message


def test_fields_that_differ_make_the_mask() -> None:
    """Both kinds of rules are one field of the API."""
    other = replace(WHOLE, rules=(), page_limit=8)

    assert ["include", "exclude", "page_limit"] == differing(WHOLE, other)
    assert ["rules", "page_limit"] == mask_of(differing(WHOLE, other))
    assert [] == differing(WHOLE, replace(WHOLE))
