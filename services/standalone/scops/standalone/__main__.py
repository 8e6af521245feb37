"""`scops`: runs the command that is typed."""

import sys

from scops.standalone.app import command_tree
from scops.standalone.terminal.edge import run_command


def main() -> None:
    """Runs the command."""
    run_command(command_tree(sys.argv[1:]))


if __name__ == "__main__":
    main()
