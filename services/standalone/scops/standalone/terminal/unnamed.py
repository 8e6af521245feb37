"""Groups of commands of which one need not be named, as in `scops evaluate FILE`."""

from typing import Any

from typer.core import TyperGroup

HELPS = ("--help",)


def group_with(unnamed: str) -> type[TyperGroup]:
    """Returns a kind of group that runs one of its commands where none is named."""

    class _UnlessNamed(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            if args and args[0] not in (*self.commands, *HELPS):
                args = [unnamed, *args]
            return super().parse_args(ctx, args)

    return _UnlessNamed
