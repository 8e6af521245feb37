"""`scops`: the tree of commands, or only what runs services where that is asked for.

What asks the gateway brings gRPC and the public API, 5 MB that a service would hold for nothing.
"""

import sys

import typer

from scops.standalone.terminal.edge import run_command

SERVING = ("up", "run", "provision")


def main() -> None:
    """Runs the command."""
    if sys.argv[1:2] and sys.argv[1] in SERVING:
        run_command(_serving())
        return
    from scops.standalone.app import app

    run_command(app)


def _serving() -> typer.Typer:
    """Returns the commands that run services, as they stand in the whole tree."""
    from scops.standalone.commands import roles
    from scops.standalone.terminal.tree import new_tree

    tree = new_tree()
    roles.register(tree)
    return tree


if __name__ == "__main__":
    main()
