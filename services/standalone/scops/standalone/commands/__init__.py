"""The commands, one file a subject."""

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
    pin,
    roles,
    scope,
    system,
    templates,
)


def register(app: typer.Typer) -> None:
    """Adds every command to the tree."""
    app.command("up")(roles.up)
    app.command("run")(roles.run)
    app.command("provision")(roles.provision)
    app.command("nats-config")(nats_config.nats_config)
    app.add_typer(deadletters.app, name="deadletters")
    app.command("reconcile")(index.reconcile)
    app.command("rebuild")(index.rebuild)
    app.command("doctor")(system.doctor)
    app.command("settings")(system.show_settings)
    app.add_typer(scope.app, name="scope")
    app.command("crawl")(crawl.crawl)
    app.add_typer(page.app, name="page")
    app.command("changes")(changes.changes)
    app.command("rechunk")(changes.rechunk)
    app.command("pin")(pin.pin)
    app.command("templates")(templates.templates)
    app.command("search")(ask.search)
    app.command("ask")(ask.ask)
    app.command("citations")(citations.citations)
    app.add_typer(job.app, name="job")
