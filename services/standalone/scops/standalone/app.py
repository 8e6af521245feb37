"""The command line: its tree of commands, or only the one of them that is typed.

A command's module brings what the command needs, such as gRPC and the messages of the public API;
the others would cost more time than most commands take, and memory that `scops run` would hold.
"""

from collections.abc import Sequence
from importlib import import_module

import typer

from scops.standalone.terminal.tree import VALUED_OPTIONS, new_tree

# In the order of the help: the function or the group of each command, below `commands`.
COMMANDS = {
    "up": "roles.up",
    "run": "roles.run",
    "provision": "roles.provision",
    "browser": "browser.browser",
    "nats-config": "nats_config.nats_config",
    "deadletters": "deadletters.app",
    "reconcile": "index.reconcile",
    "rebuild": "index.rebuild",
    "backup": "backup.backup",
    "restore": "backup.restore",
    "doctor": "system.doctor",
    "settings": "system.show_settings",
    "login": "identity.login.login",
    "logout": "identity.login.logout",
    "whoami": "identity.login.whoami",
    "key": "identity.keys.app",
    "identity": "identity.members.app",
    "audit": "audit.app",
    "quota": "identity.quotas.quota",
    "scope": "scopes.tree.app",
    "credential": "credential.app",
    "apply": "scopes.apply.apply",
    "export": "transfer.tree.exports",
    "import": "transfer.tree.imports",
    "crawl": "crawl.crawl",
    "add": "files.add.add",
    "papers": "papers.tree.app",
    "keyphrases": "keyphrases.keyphrases",
    "page": "page.app",
    "changes": "changes.changes",
    "watch": "watches.watch.app",
    "rechunk": "changes.rechunk",
    "pin": "pin.pin",
    "templates": "templates.templates",
    "purge": "purge.app",
    "search": "ask.search",
    "ask": "ask.ask",
    "explain": "ask.explain_ranking",
    "research": "research.app",
    "evaluate": "evaluate.app",
    "citations": "citations.citations",
    "job": "job.app",
    "mcp": "mcp.app",
}


def command_tree(words: Sequence[str] = ()) -> typer.Typer:
    """Returns the tree: with the command that the words name, or with all where they name none."""
    tree, name = new_tree(), _named(words)
    for each in [name] if name in COMMANDS else COMMANDS:
        module, _, attribute = COMMANDS[each].rpartition(".")
        found = getattr(import_module(f"scops.standalone.commands.{module}"), attribute)
        if isinstance(found, typer.Typer):
            tree.add_typer(found, name=each)
        else:
            tree.command(each)(found)
    return tree


def _named(words: Sequence[str]) -> str:
    """Returns the first word that is no option and no option's value."""
    before = ""
    for word in words:
        if not word.startswith("-") and before not in VALUED_OPTIONS:
            return word
        before = word
    return ""
