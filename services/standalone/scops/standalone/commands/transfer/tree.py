"""`scops import` and `scops export`: between installations, of WARC files and of wikis."""

import typer

from scops.standalone.commands.feed.bring import bring_feed
from scops.standalone.commands.firecrawl.bring import bring_firecrawl
from scops.standalone.commands.github.bring import bring_github
from scops.standalone.commands.mediawiki.bring import bring_mediawiki
from scops.standalone.commands.stackexchange.bring import bring_stackexchange
from scops.standalone.commands.transfer.bringing import bring
from scops.standalone.commands.transfer.export import export
from scops.standalone.commands.warc.bring import bring_warc
from scops.standalone.commands.warc.give import give_wacz, give_warc
from scops.standalone.terminal.unnamed import group_with

FOLDER = "folder"


def _group(text: str) -> typer.Typer:
    return typer.Typer(cls=group_with(FOLDER), help=text, no_args_is_help=True)


imports = _group(
    "Takes pages in: of a folder that `scops export` wrote, of WARC files, of a wiki, "
    "of a repository on GitHub, of a Stack Exchange site, of feeds, or by Firecrawl."
)
imports.command(FOLDER)(bring)
imports.command("warc")(bring_warc)
imports.command("mediawiki")(bring_mediawiki)
imports.command("github")(bring_github)
imports.command("stackexchange")(bring_stackexchange)
imports.command("feed")(bring_feed)
imports.command("firecrawl")(bring_firecrawl)

exports = _group("Writes a scope to files: a folder for `scops import`, or a WARC or WACZ file.")
exports.command(FOLDER)(export)
exports.command("warc")(give_warc)
exports.command("wacz")(give_wacz)
