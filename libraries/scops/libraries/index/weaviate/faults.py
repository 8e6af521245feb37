"""What Weaviate's words say: whose fault it is that something was not done.

Weaviate tells by sentences. Only what names a value that we sent is known as our fault; a panic of
its own may speak of something invalid too, and passes.
"""

import re
from collections.abc import Sequence

from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.common.contract.store_faults import StoreFault

DETAIL_CHARACTERS_MAX = 300
OURS = re.compile(
    r"vector lengths|vector with length|no such prop|invalid [\w\[\]]+ property|"
    r"not a valid (ur[il]|uuid)"
)
PANIC = re.compile(r"panic|runtime error|invalid memory address|nil pointer|goroutine")
FULL = re.compile(r"no space left|not enough memory|memory pressure|disk quota")
NO_RIGHT = re.compile(r"forbidden|unauthori[sz]ed|unauthenticated|permission[ _]denied")
READ_ONLY = re.compile(rf"read-only|readonly|read only|{NO_RIGHT.pattern}")
# It looks at its limits no more once one was crossed, whatever room there is.
OVER_LIMIT = re.compile(r"usage too high")


def is_our_fault(text: str) -> bool:
    """Returns whether an object would be refused again, however Weaviate is."""
    said = text.lower()
    return OURS.search(said) is not None and PANIC.search(said) is None


def fault_of(text: str) -> StoreFault:
    """Returns what is wrong with a Weaviate that answered so."""
    said = text.lower()
    if FULL.search(said):
        return StoreFault.FULL
    return StoreFault.READ_ONLY if READ_ONLY.search(said) else StoreFault.REFUSED


def advice(text: str) -> str:
    """Returns what an operator does about a Weaviate that answered so."""
    said = text.lower()
    if OVER_LIMIT.search(said):
        return "Make room, then restart Weaviate: it takes writes only after that"
    if NO_RIGHT.search(said):
        return "Give the key in SCOPS_WEAVIATE_API_KEY its rights back, or set another one"
    return "Check Weaviate's disk, memory and log"


def raise_refused(errors: Sequence[str]) -> None:
    """Raises what Weaviate said of the first object that it did not take; returns if it took all.

    Raises:
        PermanentError: each of them would be refused again.
        StoreUnavailable: one was refused for a reason that passes.
    """
    if not errors:
        return
    # One that a passing fault hit is enough to wait for.
    passing = [text for text in errors if not is_our_fault(text)]
    first = (passing or errors)[0][:DETAIL_CHARACTERS_MAX]
    text = f"Weaviate did not take {len(errors)} chunk objects of a batch: {first}."
    if not passing:
        raise PermanentError(f"{text} They would be refused again.", reason="OBJECT_REFUSED")
    raise StoreUnavailable(
        f"{text} {advice(first)}; the work is retried.",
        reason="INDEX_UNAVAILABLE",
        fault=fault_of(first),
    )
