"""Rules of a scope as words: `prefix:host/path`, `glob:…`, `regex:…`, `page:…`, or a bare URL."""

from enum import StrEnum

from scops.api.v1alpha1 import scope_service_pb2 as pb

KINDS = {
    name.removeprefix("KIND_").lower(): number
    for name, number in pb.ScopeRule.Kind.items()
    if number
}
NAMES = {number: name for name, number in KINDS.items()}


def parse_rule(words: str, *, exclude: bool = False) -> pb.ScopeRule:
    """Reads a rule; without a kind, a pattern with `*` is a glob, any other a prefix."""
    kind, _, pattern = words.partition(":")
    if kind in KINDS:
        return pb.ScopeRule(kind=KINDS[kind], pattern=pattern, exclude=exclude)
    guessed = pb.ScopeRule.KIND_GLOB if "*" in words else pb.ScopeRule.KIND_PREFIX
    return pb.ScopeRule(kind=guessed, pattern=words, exclude=exclude)


class BoundaryName(StrEnum):
    """How far from its seeds a scope reaches, as the command calls the API's boundaries."""

    UNSPECIFIED = "none"
    SUBPAGES = "subpages"
    HOST = "host"
    DOMAIN = "domain"


BOUNDARIES = {name: pb.Scope.Boundary.Value(f"BOUNDARY_{name.name}") for name in BoundaryName}
BOUNDARY_NAMES = {number: name.value for name, number in BOUNDARIES.items()}


def show_rule(rule: pb.ScopeRule) -> str:
    """Returns a rule in the words that `parse_rule` reads."""
    sign = "−" if rule.exclude else "+"
    return f"{sign} {NAMES.get(rule.kind, 'unknown')}:{rule.pattern}"


def reason_names(words: str) -> list[str]:
    """Returns the reasons of changes in a list by commas."""
    return [name.strip().replace(" ", "_") for name in words.split(",") if name.strip()]
