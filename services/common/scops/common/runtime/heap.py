"""Spares the search for cyclic garbage what a process loaded at its start and never lets go."""

import gc

# New objects between two searches; Python's 700 are gone within a few messages.
YOUNG_OBJECTS = 5000


def settle_heap() -> None:
    """Leaves everything that lives by now out of every later search for cyclic garbage.

    Called once by a process that has started: modules, classes and services are some 150,000
    objects, and a whole search of them holds the event loop for a good part of a second, again
    and again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])
