"""What docs/deploy.md and docs/operations.md tell somebody to type exists."""

import re
import subprocess
from pathlib import Path

import pytest
import typer

from scops.standalone.app import command_tree
from scops.standalone.process.parts import PARTS, settings_classes
from tests.deploy.manifests import ROOT

PAGES = (ROOT / "docs" / "deploy.md", ROOT / "docs" / "operations.md")
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def _commands() -> dict[str, set[str]]:
    """Returns the words that may follow `scops`, each with its own sub-commands."""
    group = typer.main.get_command(command_tree())
    found = getattr(group, "commands", {})
    return {name: set(getattr(each, "commands", ())) for name, each in found.items()}


@every_page
def test_commands_are_commands(page: Path) -> None:
    """`scops WORD` that is shown can be typed."""
    known = _commands()
    text = page.read_text()
    shown = re.findall(r"(?:^    |`)scops ([a-z-]+)(?: ([a-z-]+))?", text, re.MULTILINE)

    assert shown
    for word, further in shown:
        assert word in known, word
        if known[word] and further:
            assert further in known[word], (word, further)


@every_page
def test_settings_are_settings(page: Path) -> None:
    """A variable that is shown is read."""
    kinds = settings_classes(PARTS)
    known = {kind.environment_name(name) for kind in kinds for name in kind.model_fields}
    shown = set(re.findall(r"\b(SCOPS_[A-Z_]+[A-Z])\b", page.read_text()))

    assert shown
    assert set() == shown - known


@every_page
def test_links_and_paths_lead_somewhere(page: Path) -> None:
    """Links are relative to the page, paths of the repository to its root."""
    text = page.read_text()
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    paths = re.findall(r"\b(deploy/[\w./-]+\w)", text)
    made = {"deploy/secrets", "deploy/secrets/passwords"}
    # `deploy/gateway` is also how kubectl names a Deployment.
    kubectl = set(re.findall(r"exec (deploy/[a-z-]+)", text))

    assert [] == [link for link in links if not (page.parent / link).exists()]
    assert [] == [path for path in set(paths) - made - kubectl if not (ROOT / path).exists()]


def test_the_scripts_are_scripts_that_a_shell_reads() -> None:
    """`bash -n` parses them."""
    subprocess.run(["bash", "-n", str(ROOT / "deploy" / "secrets.sh")], check=True)
