"""Definitions of scopes as YAML: written in a stable order, read with the line of every value.

A file holds documents; each is a scope or a list of scopes. A scope is a mapping of `FIELDS`: what
it leaves out has its default, and what it names beyond them is refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Boundary, RuleKind, Scope, ScopeRule
from scops.common.text.printable import printable
from scops.gateway.requests.names import SCOPE_ID
from scops.standalone.commands.scopes.written import (
    FIELDS,
    LISTS,
    NUMBERS,
    RULES,
    SWITCHES,
    canonical,
)
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.rules import NAMES, BoundaryName, parse_rule

_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]{0,17})")
_TAG = "tag:yaml.org,2002:"
_TRUE = ("true", "yes", "on")


@dataclass(frozen=True, slots=True)
class Defined:
    """A scope as a file defines it, in the form in which it is stored, and where."""

    scope: Scope
    source: str
    line: int


def dump_scopes(scopes: list[dict[str, Any]]) -> str:
    """Returns written scopes as one YAML document, which prints as it is."""
    options: dict[str, Any] = {"sort_keys": False, "default_flow_style": False, "width": 10_000}
    text: str = yaml.safe_dump(scopes, allow_unicode=True, **options)
    if printable(text) != text:
        # Marks of direction and the like leave as escapes.
        text = yaml.safe_dump(scopes, allow_unicode=False, **options)
    return text


def read_scopes(content: bytes, source: str) -> list[Defined]:
    """Reads the scopes of a file, each once.

    Args:
        source: the file as errors name it.

    Raises:
        CommandError: it is no YAML, names an unknown field, or the gateway would refuse a value;
            the message begins with file and line.
    """
    found: dict[ScopeId, Defined] = {}
    documents = 0
    for node in _documents(content, source):
        if node is None or node.tag == f"{_TAG}null":
            continue
        documents += 1
        for one in node.value if isinstance(node, yaml.SequenceNode) else [node]:
            defined = _Reader(source).scope(one)
            first = found.setdefault(defined.scope.scope_id, defined)
            if first is not defined:
                raise _refused(
                    source,
                    defined.line,
                    f"the scope {defined.scope.scope_id} is defined twice, first on line "
                    f"{first.line}. Leave one of both.",
                )
    if not documents:
        raise _refused(source, 1, "there is no scope in it; a list of none is written [].")
    return list(found.values())


def _documents(content: bytes, source: str) -> Iterator[Any]:
    try:
        yield from yaml.compose_all(content, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _refused(source, mark.line + 1 if mark else 1, f"no YAML: {error.problem}.") from None
    except yaml.YAMLError as error:
        raise _refused(source, 1, f"no YAML: {' '.join(str(error).split())}.") from None
    except RecursionError:
        raise _refused(source, 1, "no definitions of scopes: it is nested too deeply.") from None


def _refused(source: str, line: int, what: str) -> CommandError:
    return CommandError(
        f"{source}:{line}: {what}", code=Exit.INVALID_INPUT, reason="DEFINITION_INVALID"
    )


@dataclass(slots=True)
class _Reader:
    """Reads one scope, and notes the line of each field as the gateway's errors name it."""

    source: str
    lines: dict[str, int] = field(default_factory=dict)

    def scope(self, node: Any) -> Defined:
        line = _line(node)
        fields = self._fields(node)
        if "name" not in fields:
            raise _refused(self.source, line, "a scope without a name. Add `name:`.")
        name = self._text(fields["name"], "name")
        if not SCOPE_ID.fullmatch(name):
            raise self._wrong(
                fields["name"],
                f"{name[:80]!r} names no scope: lower-case letters, digits and dashes, at most 63, "
                "a letter first.",
            )
        lists: dict[str, Any] = {one: self._texts(fields, one) for one in LISTS}
        numbers: dict[str, Any] = {
            one: self._number(fields[one], one) for one in NUMBERS if one in fields
        }
        switches: dict[str, Any] = {
            one: self._truth(fields[one], one) for one in SWITCHES if one in fields
        }
        rules = self._rules(fields)
        scope = Scope(
            scope_id=ScopeId(name),
            name=self._text(fields["display_name"], "display_name")
            if "display_name" in fields
            else "",
            boundary=self._boundary(fields, lists["seeds"], rules),
            rules=rules,
            **lists,
            **numbers,
            **switches,
        )
        try:
            return Defined(canonical(scope), self.source, line)
        except InvalidInput as error:
            at = error.metadata.get("field", "").removesuffix(".pattern")
            # A rule beyond those given is one of the boundary's.
            wrong = self.lines.get(at) or self.lines.get(at.partition("[")[0])
            raise _refused(self.source, wrong or line, f"scope {name}: {error.message}") from None

    def _fields(self, node: Any) -> dict[str, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise self._wrong(node, "a scope is wanted here, such as `name: docs`.")
        fields: dict[str, Any] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            if name not in FIELDS:
                raise self._wrong(
                    key, f"unknown field {name[:80]!r}. A scope has {', '.join(FIELDS)}."
                )
            if name in fields:
                raise self._wrong(key, f"{name} is given twice. Leave one of both.")
            fields[name] = value
            self.lines[f"scope.{name}"] = _line(key)
        return fields

    def _rules(self, fields: dict[str, Any]) -> tuple[ScopeRule, ...]:
        rules: list[ScopeRule] = []
        for name in RULES:
            for node in self._items(fields, name):
                read = parse_rule(self._text(node, name))
                self.lines[f"scope.rules[{len(rules)}]"] = _line(node)
                rules.append(
                    ScopeRule(
                        kind=RuleKind(NAMES[read.kind]),
                        pattern=read.pattern,
                        exclude=name == "exclude",
                    )
                )
        return tuple(rules)

    def _boundary(
        self, fields: dict[str, Any], seeds: tuple[str, ...], rules: tuple[ScopeRule, ...]
    ) -> Boundary:
        """Without boundary and including rules, it is the folder of each seed."""
        if "boundary" not in fields:
            included = any(not rule.exclude for rule in rules)
            return Boundary.SUBPAGES if seeds and not included else Boundary.UNSPECIFIED
        words = self._text(fields["boundary"], "boundary")
        if words not in list(BoundaryName):
            raise self._wrong(
                fields["boundary"],
                f"the boundary {words[:80]!r} is unknown. Use {', '.join(BoundaryName)}.",
            )
        return Boundary[BoundaryName(words).name]

    def _texts(self, fields: dict[str, Any], name: str) -> tuple[str, ...]:
        texts = []
        for at, node in enumerate(self._items(fields, name)):
            self.lines[f"scope.{name}[{at}]"] = _line(node)
            texts.append(self._text(node, name))
        return tuple(texts)

    def _items(self, fields: dict[str, Any], name: str) -> list[Any]:
        if name not in fields:
            return []
        node = fields[name]
        if not isinstance(node, yaml.SequenceNode):
            raise self._wrong(node, f"{name} is a list: one value a line, each after a dash.")
        return list(node.value)

    def _text(self, node: Any, name: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or node.tag != f"{_TAG}str":
            raise self._wrong(node, f"a text is wanted in {name}. Put it in quotes.")
        text = str(node.value)
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise self._wrong(node, f"{name} holds half of a character (a lone surrogate).")
        return text

    def _number(self, node: Any, name: str) -> int:
        if not isinstance(node, yaml.ScalarNode) or node.tag != f"{_TAG}int":
            raise self._wrong(node, f"{name} is a whole number.")
        if not _NUMBER.fullmatch(node.value):
            raise self._wrong(node, f"{name} is a whole number in decimal digits.")
        return int(node.value)

    def _truth(self, node: Any, name: str) -> bool:
        if not isinstance(node, yaml.ScalarNode) or node.tag != f"{_TAG}bool":
            raise self._wrong(node, f"{name} is true or false.")
        return str(node.value).lower() in _TRUE

    def _wrong(self, node: Any, what: str) -> CommandError:
        return _refused(self.source, _line(node), what)


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1
