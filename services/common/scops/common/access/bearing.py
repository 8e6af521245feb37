"""How an assertion of who calls goes with a question, whatever is in it.

A question carries it as a header, also on from the explainer to the retriever. Who only passes it
on, or has none, needs nothing of what signs and checks it (`scops.common.access.assertion`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ASSERTED = "scops-principal"
_bearing: ContextVar[str] = ContextVar("bearing", default="")


@contextmanager
def bearing(assertion: str) -> Iterator[None]:
    """Has every question asked inside carry an assertion."""
    token = _bearing.set(assertion)
    try:
        yield
    finally:
        _bearing.reset(token)


def borne() -> str:
    """Returns the assertion of the question or call that is being answered; empty for none."""
    return _bearing.get()
