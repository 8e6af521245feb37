"""The definition of a scope as a file has it: what a person decides, by names, without defaults."""

from dataclasses import replace
from typing import Any

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Boundary, RuleKind, Scope, ScopeRule
from scops.gateway.scopes.scope_check import checked_scope
from scops.gateway.scopes.stored_scope import own_rules
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import last_part
from scops.standalone.terminal.rules import BOUNDARY_NAMES, KINDS, NAMES

LISTS = ("seeds", "sitemaps", "counted_reasons", "ignored_reasons", "paper_services")
NUMBERS = ("page_limit", "depth_limit", "recrawl_per_day", "rendered_per_day", "retention_days")
SWITCHES = ("public", "rendered_always")
RULES = ("include", "exclude")
# In the order in which they are written.
FIELDS = (
    "name",
    "display_name",
    "public",
    "seeds",
    "sitemaps",
    "boundary",
    *RULES,
    *NUMBERS,
    "rendered_always",
    "paper_services",
    "counted_reasons",
    "ignored_reasons",
)


def definition_of(message: pb.Scope) -> Scope:
    """Returns what a person decided of a scope: without the rules that its boundary wrote.

    Raises:
        CommandError: it has a rule or a boundary that this version does not know.
    """
    if message.boundary not in BOUNDARY_NAMES:
        raise _unknown(message, f"boundary {message.boundary}")
    boundary = Boundary.UNSPECIFIED
    if message.boundary:
        boundary = Boundary(BOUNDARY_NAMES[message.boundary])
    values: dict[str, Any] = {name: getattr(message, name) for name in (*NUMBERS, *SWITCHES)}
    values |= {name: tuple(getattr(message, name)) for name in LISTS}
    scope = Scope(
        scope_id=ScopeId(last_part(message.name)),
        name=message.display_name,
        boundary=boundary,
        rules=tuple(_rule_of(message, rule) for rule in message.rules),
        **values,
    )
    return replace(scope, rules=own_rules(scope))


def canonical(scope: Scope) -> Scope:
    """Returns a definition in the form in which the gateway stores it.

    Raises:
        InvalidInput: the gateway would refuse it; `field` in the metadata says where.
    """
    checked = checked_scope(replace(scope, name=scope.name.strip() or scope.scope_id))
    return replace(checked, rules=own_rules(checked))


def message_of(scope: Scope) -> pb.Scope:
    """Returns a definition as the API takes it."""
    values: dict[str, Any] = {name: getattr(scope, name) for name in (*LISTS, *NUMBERS, *SWITCHES)}
    return pb.Scope(
        name=f"scopes/{scope.scope_id}",
        display_name=scope.name,
        boundary=pb.Scope.Boundary.Value(f"BOUNDARY_{scope.boundary.name}"),
        rules=[
            pb.ScopeRule(kind=KINDS[rule.kind.value], pattern=rule.pattern, exclude=rule.exclude)
            for rule in scope.rules
        ],
        **values,
    )


def written(scope: Scope) -> dict[str, Any]:
    """Returns the fields of a definition that are not at their default, in their order."""
    values: dict[str, Any] = {name: getattr(scope, name) for name in (*NUMBERS, *SWITCHES)}
    values |= {name: list(getattr(scope, name)) for name in LISTS}
    values |= {
        "name": str(scope.scope_id),
        "display_name": "" if scope.name == scope.scope_id else scope.name,
        "include": [_words(rule) for rule in scope.rules if not rule.exclude],
        "exclude": [_words(rule) for rule in scope.rules if rule.exclude],
    }
    if scope.boundary is not Boundary.UNSPECIFIED:
        values["boundary"] = scope.boundary.value
    return {name: values[name] for name in FIELDS if values.get(name)}


def differing(before: Scope, after: Scope) -> list[str]:
    """Returns the names of the fields in which two definitions differ, in their order."""
    first, second = written(before), written(after)
    return [name for name in FIELDS if first.get(name) != second.get(name)]


def mask_of(fields: list[str]) -> list[str]:
    """Returns fields as an update mask of the API names them."""
    return list(dict.fromkeys("rules" if name in RULES else name for name in fields))


def _words(rule: ScopeRule) -> str:
    return f"{rule.kind.value}:{rule.pattern}"


def _rule_of(message: pb.Scope, rule: pb.ScopeRule) -> ScopeRule:
    if rule.kind not in NAMES:
        raise _unknown(message, f"kind of rule {rule.kind}")
    return ScopeRule(kind=RuleKind(NAMES[rule.kind]), pattern=rule.pattern, exclude=rule.exclude)


def _unknown(message: pb.Scope, what: str) -> CommandError:
    return CommandError(
        f"The scope {last_part(message.name)} has the {what}, which this version of the command "
        "does not know. Use one as new as the gateway.",
        code=Exit.INVALID_INPUT,
        reason="DEFINITION_UNKNOWN",
    )
