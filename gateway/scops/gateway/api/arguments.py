"""How a use case's arguments come from a request."""

from collections.abc import Callable
from typing import Any


def same(*names: str) -> Callable[[Any], dict[str, Any]]:
    """Returns what takes arguments from fields of the same names."""
    return lambda request: {name: getattr(request, name) for name in names}


def question(value_of: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """Returns what takes a question and the names of its scopes."""
    return lambda request: {"question": value_of(request), "scopes": tuple(request.scopes)}


results = same("page_size", "page_token")
