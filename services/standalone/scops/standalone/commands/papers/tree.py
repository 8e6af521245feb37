"""`scops papers …` as one group."""

import typer

from scops.standalone.commands.papers.add import add_papers
from scops.standalone.commands.papers.ask import ask_papers
from scops.standalone.commands.papers.export import export_papers
from scops.standalone.commands.papers.search import search_papers, show_paper

app = typer.Typer(
    help="Papers: found by scholarly services, taken into scopes, and cited.",
    no_args_is_help=True,
)
app.command("search")(search_papers)
app.command("show")(show_paper)
app.command("add")(add_papers)
app.command("ask")(ask_papers)
app.command("export")(export_papers)
