"""How long a thread of a process keeps the others from computing."""

import sys

# Python's own is ten times as long.
TURN_SECONDS = 0.0005


def shorten_turns() -> None:
    """Has the threads of this process take turns more often.

    A thread that comes back from where it needed no interpreter, with a row of SQLite, a product
    of matrices or a vector of the model, waits for its turn: up to a whole one each time, where
    the event loop always has work. A search comes back dozens of times, so that its time would
    grow with the load by far more than what is done in it.
    """
    sys.setswitchinterval(TURN_SECONDS)
