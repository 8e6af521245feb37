"""Steps of schemas add: the version before goes on with what the one after has provisioned."""

import ast
from pathlib import Path

import pytest

from scops.common.db.schema import serves
from scops.standalone.process.parts import PARTS

TAKE_AWAY = {"drop_column", "drop_table", "rename_table", "alter_column", "drop_constraint"}
# Older than the first release that another one runs beside.
BEFORE_THE_RULE = {"fetcher-0004_schedule"}
STEPS = sorted(
    file
    for part in PARTS
    if part.stateful and part.migrations
    for file in (part.migrations / "versions").glob("*.py")
)


def name_of(step: Path) -> str:
    return f"{step.parents[2].name}-{step.stem}"


def assigned(tree: ast.Module, name: str) -> str:
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            is_it = any(isinstance(one, ast.Name) and one.id == name for one in targets)
            if is_it and isinstance(node.value, ast.Constant):
                return str(node.value.value or "")
    return ""


def faults(source: str) -> list[str]:
    """Returns what a step does that the version before it could not live with."""
    tree = ast.parse(source)
    before, revision = assigned(tree, "down_revision"), assigned(tree, "revision")
    if before and revision[0] > before[0]:
        return []
    upgrade = next(
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "upgrade"
    )
    found = []
    for call in (node for node in ast.walk(upgrade) if isinstance(node, ast.Call)):
        what = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if what in TAKE_AWAY:
            found.append(what)
        if what == "add_column" and _is_demanded(call):
            found.append("add_column without a default")
    return found


def _is_demanded(call: ast.Call) -> bool:
    """Returns whether a column is added that rows written by the version before would lack."""
    for inner in (node for node in ast.walk(call) if isinstance(node, ast.Call)):
        words = {word.arg: word.value for word in inner.keywords}
        nullable = words.get("nullable")
        if isinstance(nullable, ast.Constant) and nullable.value is False:
            return "server_default" not in words
    return False


@pytest.mark.parametrize(
    "step", [step for step in STEPS if name_of(step) not in BEFORE_THE_RULE], ids=name_of
)
def test_steps_only_add_unless_their_number_says_otherwise(step: Path) -> None:
    """What takes away has a revision of the next thousand: older versions pause at it."""
    assert [] == faults(step.read_text())


def test_the_check_sees_what_takes_away() -> None:
    """Otherwise the test above could not fail."""
    column = 'sa.Column("c", sa.Integer(), nullable=False)'
    steps = {
        'op.drop_column("t", "c")': ["drop_column"],
        f'op.add_column("t", {column})': ["add_column without a default"],
        f'op.create_table("t", {column})': [],
        'op.add_column("t", sa.Column("c", sa.Integer(), nullable=True))': [],
    }
    head = 'revision = "{}"\ndown_revision = "0001"\ndef upgrade() -> None:\n    {}\n'
    for step, expected in steps.items():
        assert expected == faults(head.format("0002", step))
        assert [] == faults(head.format("1002", step))


@pytest.mark.parametrize(
    ("found", "serves_it"),
    [
        ("0007", True),
        ("0009", True),
        ("0006", False),
        ("1010", False),
        (None, False),
        ("head", False),
    ],
)
def test_a_version_goes_on_with_a_schema_that_has_more(found: str | None, serves_it: bool) -> None:
    """Not with one that lacks something, nor with one from which something was taken away."""
    assert serves_it == serves(found, "0007")
