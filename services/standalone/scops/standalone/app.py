"""The command line: its whole tree of commands."""

import typer

from scops.standalone.commands import (
    ask,
    changes,
    citations,
    crawl,
    deadletters,
    index,
    job,
    nats_config,
    page,
    page_trace,
    pin,
    roles,
    scope,
    system,
    templates,
)
from scops.standalone.terminal.tree import new_tree


def _register(app: typer.Typer) -> None:
    """Adds every command to the tree."""
    roles.register(app)
    app.command("nats-config")(nats_config.nats_config)
    app.add_typer(deadletters.app, name="deadletters")
    app.command("reconcile")(index.reconcile)
    app.command("rebuild")(index.rebuild)
    app.command("doctor")(system.doctor)
    app.command("settings")(system.show_settings)
    app.add_typer(scope.app, name="scope")
    app.command("crawl")(crawl.crawl)
    page.app.command("trace")(page_trace.trace)
    app.add_typer(page.app, name="page")
    app.command("changes")(changes.changes)
    app.command("rechunk")(changes.rechunk)
    app.command("pin")(pin.pin)
    app.command("templates")(templates.templates)
    app.command("search")(ask.search)
    app.command("ask")(ask.ask)
    app.command("citations")(citations.citations)
    app.add_typer(job.app, name="job")


app = new_tree()
_register(app)
