"""`scops scope …` as one group."""

import typer

from scops.standalone.commands.scopes import definitions, export, history, sharing

app = typer.Typer(help="Named sets of pages by rules.", no_args_is_help=True)
for part in (definitions.app, sharing.app, history.app, export.app):
    app.add_typer(part)
