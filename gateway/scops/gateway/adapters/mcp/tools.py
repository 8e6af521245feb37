"""What a tool is, and how tools reach the API."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver import Context

from scops.gateway.adapters.mcp.api import Api

ApiOf = Callable[[Context], Api]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as a server offers it.

    Attributes:
        function: its docstring tells a model when to use it and when not.
        is_reading: it changes nothing.
        is_repeatable: done twice, it changes no more than done once.
    """

    function: Callable[..., Any]
    title: str
    is_reading: bool = True
    is_repeatable: bool = True

    @property
    def name(self) -> str:
        """By which it is used."""
        return self.function.__name__


def page_fields(page: str) -> dict[str, str]:
    """Returns the fields of a request that name a page."""
    return {"name": page} if page.startswith("pages/") else {"uri": page}
