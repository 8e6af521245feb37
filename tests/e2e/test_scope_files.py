"""Scopes as files: what is exported applies as unchanged, and what differs is changed."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scops.standalone.commands.scopes import apply
from scops.standalone.terminal.exits import CommandError, Exit
from tests.e2e.system import Ended, System, command

SCOPES = """\
- name: manual
  display_name: The manual
  seeds: [HTTPS://Docs.Example.org/manual/]
  boundary: subpages
  exclude: ["prefix:docs.example.org/manual/old"]
  page_limit: 50
  retention_days: 365
- name: notes
  include: ["page:https://notes.example.org/a"]
"""


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A running system without pages."""
    with System(tmp_path_factory.mktemp("files")) as running:
        yield running


def _results(ended: Ended) -> list[tuple[str, str, list[str]]]:
    assert 0 == ended.code, ended.err
    return [
        (one["name"].removeprefix("scopes/"), one["result"], list(one["fields"]))
        for one in ended.json["scopes"]
    ]


def test_export_apply_and_back(system: System, tmp_path: Path) -> None:
    """A dry run does nothing, a second run changes nothing, and the export is the same again."""
    file = tmp_path / "scopes.yaml"
    file.write_text(SCOPES)
    apply = ("apply", "-f", str(file))
    tried = _results(system.run(*apply, "--dry-run"))
    missing = system.run("scope", "show", "manual")
    made = _results(system.run(*apply))
    again = _results(system.run(*apply))

    assert ["created", "created"] == [result for _, result, _ in tried]
    assert 3 == missing.code
    assert tried == made
    assert [("manual", "unchanged", []), ("notes", "unchanged", [])] == again

    exported = system.run("scope", "export", "notes", "manual")
    file.write_text(exported.out)
    assert exported.out.startswith("- name: manual\n  display_name: The manual\n")
    assert again == _results(system.run(*apply))

    file.write_text(exported.out.replace("page_limit: 50", "page_limit: 60").replace("old", "v1"))
    assert ("manual", "changed", ["exclude", "page_limit"]) == _results(
        system.run(*apply, "--dry-run")
    )[0]
    changed = _results(system.run(*apply, "--reason", "request 42"))
    log = system.run("scope", "log", "manual").json["revisions"]
    assert [("manual", "changed", ["exclude", "page_limit"]), again[1]] == changed
    assert "request 42" == log[0]["reason"]
    assert 2 == len(log)
    assert 60 == log[0]["scope"]["page_limit"]
    assert 365 == log[0]["scope"]["retention_days"]


def test_a_definition_is_read_from_a_pipe(system: System, tmp_path: Path) -> None:
    """As `-f -`; errors name it stdin."""
    piped = subprocess.run(
        command("apply", "-f", "-"),
        env=system.environment,
        input="- name: piped\n  include: [piped.example.org]\n",
        capture_output=True,
        text=True,
        check=True,
    )
    refused = subprocess.run(
        command("apply", "-f", "-"),
        env=system.environment,
        input="- name: piped\n  includes: []\n",
        capture_output=True,
        text=True,
        check=False,
    )

    assert "created" == json.loads(piped.stdout)["scopes"][0]["result"]
    assert "piped.example.org" in system.run("scope", "export", "piped").out
    assert 2 == refused.returncode
    assert "stdin:2: unknown field" in json.loads(refused.stdout)["error"]["message"]


def test_what_others_changed_meanwhile_is_not_overwritten(
    system: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the comparison and the change; code 7 says so."""
    monkeypatch.setenv("SCOPS_COMMAND_ADDRESS", system.address)
    file = tmp_path / "raced.yaml"
    file.write_text("- name: raced\n  include: [raced.example.org]\n")
    _results(system.run("apply", "-f", str(file)))
    file.write_text("- name: raced\n  include: [raced.example.org]\n  page_limit: 5\n")
    carry_out = apply._carry_out

    def overtaken(*given: Any, **named: Any) -> None:
        done = system.run("scope", "add", "raced", "https://other.example.org/page")
        assert 0 == done.code, done.err
        carry_out(*given, **named)

    monkeypatch.setattr(apply, "_carry_out", overtaken)
    with pytest.raises(CommandError) as raised:
        apply.apply(str(file))
    exported = system.run("scope", "export", "raced").out
    monkeypatch.undo()

    assert (Exit.CONFLICT, "ETAG_MISMATCH") == (raised.value.code, raised.value.reason)
    assert "page_limit" not in exported
    assert "other.example.org/page" in exported
    assert [("raced", "changed", ["include", "page_limit"])] == _results(
        system.run("apply", "-f", str(file))
    )


def test_every_scope_is_exported_and_a_bad_file_changes_nothing(
    system: System, tmp_path: Path
) -> None:
    """A scope made by command is among them; one wrong line refuses the whole file."""
    system.run("scope", "create", "tarn", "https://tarn.example.org/", "--boundary", "domain")
    exported = system.run("scope", "export")
    file = tmp_path / "all.yaml"
    file.write_text(exported.out)
    kept = _results(system.run("apply", "-f", str(file)))
    file.write_text("- name: fresh\n  include: [a.test]\n- name: other\n  includes: [a.test]\n")
    refused = system.run("apply", "-f", str(file))
    absent = system.run("apply", "-f", str(tmp_path / "none.yaml"))

    assert "tarn" in {name for name, _, _ in kept}
    assert {"unchanged"} == {result for _, result, _ in kept}
    assert (2, 2) == (refused.code, absent.code)
    assert f"{file}:4: unknown field 'includes'" in refused.json["error"]["message"]
    assert 3 == system.run("scope", "show", "fresh").code
