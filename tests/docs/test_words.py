"""One word for one concept: in the glossary, and among the classes."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECTION = re.compile(r"^## Words\n(.*?)^## ", re.MULTILINE | re.DOTALL)
TERM = re.compile(r"^- \*\*([^*]+)\*\*", re.MULTILINE)
CLASS = re.compile(r"`([A-Z][A-Za-z]+)`")
WORDS = SECTION.findall((ROOT / "docs" / "architecture.md").read_text())[0]


def modules() -> Iterator[Path]:
    """Yields the modules of services, gateway and libraries; messages are modules like others."""
    for folder in ("services", "gateway", "libraries"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def public_classes() -> dict[str, list[str]]:
    """Returns where each public class is defined, by name."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in modules():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(ROOT)))
    return found


def test_no_two_concepts_share_a_name() -> None:
    """A reader who meets a class name knows which concept it is."""
    shared = {name: places for name, places in public_classes().items() if len(places) > 1}

    assert {} == shared


def test_the_glossary_has_each_term_once() -> None:
    """A term that stands twice means two things."""
    terms = [term.lower() for term in TERM.findall(WORDS)]

    assert sorted(set(terms)) == sorted(terms)


def test_the_glossary_names_classes_that_are_there() -> None:
    """A concept that is renamed is renamed in the glossary."""
    assert set() == set(CLASS.findall(WORDS)) - set(public_classes())
