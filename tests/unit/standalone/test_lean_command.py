"""What a command imports: its start is most of the time that it takes."""

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest

from scops.standalone.app import COMMANDS, command_tree
from scops.standalone.terminal.exits import Exit

# Types each line of words as a user would, in one process, and tells the exit codes and what is
# imported by then.
TYPED = """
import json, sys
import scops.standalone.__main__ as command
codes = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["scops", *words]
    try:
        command.main()
    except SystemExit as left:
        codes.append(left.code)
print(json.dumps([codes, sorted(sys.modules)]), file=sys.stderr)
"""
# Each takes more CPU than the rest of a command's start, or leads to what does.
NOT_IN_A_CLIENT = (
    "aiohttp",
    "alembic",
    "faststream",
    "grpc_reflection.v1alpha",
    "lxml",
    "nats",
    "numpy",
    "onnxruntime",
    "opentelemetry",
    "prometheus_client",
    "pydantic_settings",
    "sqlalchemy",
    "structlog",
    "trafilatura",
    "weaviate",
)
NOT_IN_HELP = (*NOT_IN_A_CLIENT, "asyncio", "grpc")
ASKING = (
    ("scope", "list"),
    ("scope", "show", "owls"),
    ("crawl", "owls"),
    ("page", "list", "--scope", "owls"),
    ("page", "show", "https://owls.test/"),
    ("page", "history", "https://owls.test/"),
    ("page", "diff", "https://owls.test/"),
    ("rechunk", "owls"),
    ("pin", "https://owls.test/"),
    ("templates", "owls"),
    ("search", "owls", "--scope", "owls"),
    ("ask", "Which owls?", "--scope", "owls"),
    ("job", "list"),
    ("job", "show", "1"),
)


def _typed(*lines: Sequence[str]) -> tuple[list[int], set[str]]:
    """Returns the exit codes and what was imported, where no gateway listens."""
    done = subprocess.run(
        [sys.executable, "-c", TYPED, json.dumps(lines)],
        env={"SCOPS_COMMAND_ADDRESS": "127.0.0.1:1"},
        capture_output=True,
        text=True,
        check=True,
    )
    codes, modules = json.loads(done.stderr.splitlines()[-1])
    return codes, set(modules)


@pytest.mark.parametrize("words", [("--help",), ("deadletters", "--help"), ("ask", "--help")])
def test_help_imports_no_more_than_it_shows(words: tuple[str, ...]) -> None:
    """The help of everything names every command, and brings what none of them needs."""
    codes, imported = _typed(words)

    assert [0] == codes
    assert [] == [name for name in NOT_IN_HELP if name in imported]


def test_asking_the_gateway_imports_grpc_and_little_else() -> None:
    """Settings are read without what reads them for services; nothing speaks to the bus."""
    codes, imported = _typed(*ASKING)

    assert [Exit.UNAVAILABLE] * len(ASKING) == codes
    assert "grpc" in imported
    assert [] == [name for name in NOT_IN_A_CLIENT if name in imported]


@pytest.mark.parametrize("before", [(), ("--output", "text"), ("--output=json",)])
def test_the_command_that_is_typed_is_the_only_one(before: tuple[str, ...]) -> None:
    """Options before it, and their values, are no command."""
    tree = command_tree((*before, "page", "list"))

    assert (["page"], []) == (
        [group.name for group in tree.registered_groups],
        [command.name for command in tree.registered_commands],
    )


@pytest.mark.parametrize("words", [(), ("--help",), ("fly",), ("--output", "ask")])
def test_without_a_command_the_tree_is_whole(words: tuple[str, ...]) -> None:
    """The help shows it, and a mistyped word is compared with all."""
    tree = command_tree(words)
    names = [each.name for each in (*tree.registered_commands, *tree.registered_groups)]

    assert sorted(COMMANDS) == sorted(filter(None, names))
