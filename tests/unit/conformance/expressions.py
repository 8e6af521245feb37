"""Finds every regular expression of the code: compiled ones in memory, literal ones in calls."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import regex

import scops

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ("services", "libraries", "gateway")
CALLS = frozenset(
    ["compile", "match", "search", "sub", "subn", "split", "findall", "finditer", "fullmatch"]
)
# These look at one place of a text; the others try every place.
ANCHORED = frozenset({"match", "fullmatch"})
ANYWHERE = frozenset({"finditer"})
DEPTH_MAX = 4


@dataclass(frozen=True, slots=True)
class Expression:
    """A regular expression of the code.

    Attributes:
        place: module and name, or file and line.
        methods: how the code uses it: match, fullmatch, and finditer for all that search.
    """

    place: str
    pattern: Any
    methods: frozenset[str]


def every_expression() -> list[Expression]:
    """Returns each expression once, those in memory first."""
    found: dict[tuple[Any, int], Expression] = {}
    for expression in (*_compiled(), *_literal()):
        key = (expression.pattern.pattern, expression.pattern.flags)
        known = found.get(key, expression)
        found[key] = replace(known, methods=known.methods | expression.methods)
    return list(found.values())


@cache
def modules() -> tuple[ModuleType, ...]:
    """Returns every module of Scops, imported."""
    names = [info.name for info in pkgutil.walk_packages(scops.__path__, "scops.")]
    # Namespace packages (migrations) hold no code that reads text.
    return tuple(importlib.import_module(name) for name in names if "__main__" not in name)


def _compiled() -> Iterator[Expression]:
    for module in modules():
        for name, value in vars(module).items():
            if isinstance(value, type) and value.__module__ != module.__name__:
                continue
            for pattern in _patterns(value, DEPTH_MAX):
                named = isinstance(value, _KINDS)
                methods = _methods(module, name) if named else ANCHORED | ANYWHERE
                yield Expression(f"{module.__name__}.{name}", pattern, methods)


_KINDS = (re.Pattern, regex.Pattern)


def _patterns(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, _KINDS):
        yield value
    elif depth == 0 or isinstance(value, (str, bytes, int, float, ModuleType)):
        return
    elif isinstance(value, Mapping):
        for pair in value.items():
            yield from _patterns(pair, depth - 1)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for member in value:
            yield from _patterns(member, depth - 1)
    elif isinstance(value, type):
        for member in vars(value).values():
            yield from _patterns(member, depth - 1)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _patterns(getattr(value, field.name, None), depth - 1)


@cache
def _trees() -> tuple[tuple[Path, ast.Module], ...]:
    paths = (path for folder in SOURCES for path in sorted((ROOT / folder).rglob("*.py")))
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in paths)


def _methods(module: ModuleType, name: str) -> frozenset[str]:
    """Returns how a constant is used: by its own module, or by all where it is public."""
    own = Path(module.__file__ or "")
    used = {
        method
        for (path, known), methods in _uses().items()
        if known == name and (path == own or not name.startswith("_"))
        for method in methods
    }
    return frozenset(used) or ANCHORED | ANYWHERE


@cache
def _uses() -> dict[tuple[Path, str], set[str]]:
    """Returns, by file and name, the methods called on it; all where it is handed on."""
    uses: dict[tuple[Path, str], set[str]] = {}
    for path, tree in _trees():
        called = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                called.add(id(node.value))
                if node.attr in CALLS:
                    uses.setdefault((path, node.value.id), set()).update(_kind(node.attr))
        for node in ast.walk(tree):
            is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            if is_read and id(node) not in called:
                uses.setdefault((path, node.id), set()).update(ANCHORED | ANYWHERE)  # type: ignore[attr-defined]
    return uses


def _kind(method: str) -> frozenset[str]:
    return frozenset({method}) if method in ANCHORED else ANYWHERE


def _literal() -> Iterator[Expression]:
    """Yields the expressions of calls in functions; those of modules and classes are in memory."""
    for path, call in _calls_in_functions():
        pattern = _constant(call.args[0])
        if pattern is not None:
            place = f"{path.relative_to(ROOT)}:{call.lineno}"
            methods = _kind(call.func.attr)  # type: ignore[attr-defined]
            yield Expression(place, _module(call).compile(pattern, _flags(call)), methods)


def computed_expressions() -> list[str]:
    """Returns the places in functions where an expression is made of what is not a literal."""
    return [
        f"{path.relative_to(ROOT)}: {ast.unparse(call.args[0])}"
        for path, call in _calls_in_functions()
        if _constant(call.args[0]) is None
    ]


@cache
def _calls_in_functions() -> tuple[tuple[Path, ast.Call], ...]:
    found = {
        id(call): (path, call)
        for path, tree in _trees()
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and _is_of_re(call.func)
    }
    return tuple(found.values())


def _is_of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id in ("re", "regex")
        and function.attr in CALLS
    )


def _constant(node: ast.expr) -> str | bytes | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, (str, bytes)) else None


def _module(call: ast.Call) -> Any:
    return {"re": re, "regex": regex}[call.func.value.id]  # type: ignore[attr-defined]


def _flags(call: ast.Call) -> int:
    """Returns the flags that a call names, such as `re.DOTALL`."""
    named = [
        node.attr
        for argument in (*call.args[1:], *(keyword.value for keyword in call.keywords))
        for node in ast.walk(argument)
        if isinstance(node, ast.Attribute) and node.attr.isupper()
    ]
    return sum(int(getattr(_module(call), name, 0)) for name in named)
