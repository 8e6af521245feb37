"""`scops doctor` and `scops settings`: what this machine has, and what is set.

Both know every service, so what they need is imported where it is used; see `app`.
"""

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from scops.standalone.terminal.exits import Exit
from scops.standalone.terminal.output import Output, console, print_json

if TYPE_CHECKING:
    from scops.common.config.fields import Group


def doctor(
    measure: Annotated[
        bool, typer.Option(help="Measure the embedder backends, a second each.")
    ] = True,
) -> None:
    """Checks what a start needs and advises on settings."""
    from scops.standalone.process.doctor import examine

    findings = []
    for finding in examine(measure=measure):
        findings.append(finding)
        if not Output.is_json():
            mark = "[green]ok[/]" if finding.ok else "[red]!![/]"
            console.print(f"{mark} {finding.name}: {escape(finding.text)}", highlight=False)
    if Output.is_json():
        print_json([asdict(finding) for finding in findings])
    if not all(finding.ok for finding in findings):
        raise typer.Exit(Exit.UNAVAILABLE)


def show_settings(
    basic: Annotated[
        bool, typer.Option("--basic", help="Only what a first operator touches.")
    ] = False,
) -> None:
    """Prints every setting with value, unit, default and where it is from, the basic ones first."""
    from scops.common.config.environment import describe_settings
    from scops.standalone.process.parts import PARTS, settings_classes
    from scops.standalone.process.roles import load_common

    load_common()
    loaded = [kind.load() for kind in settings_classes(PARTS)]
    entries = describe_settings(loaded, os.environ)
    groups: tuple[Group, ...] = ("basic",) if basic else ("basic", "advanced")
    shown = [entry for group in groups for entry in entries if entry.group == group]
    if Output.is_json():
        print_json([asdict(entry) for entry in shown])
        return
    for group in groups:
        table = Table("setting", "value", "unit", "default", "from", title=group)
        for entry in shown:
            if entry.group == group:
                table.add_row(entry.name, entry.value, entry.unit, entry.default, entry.origin)
        console.print(table)
