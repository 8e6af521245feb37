"""What Weaviate's words say: whose fault it is that something was not done.

Weaviate tells by sentences. Only what names a value that we sent is known as our fault; a panic of
its own may speak of something invalid too, and passes.
"""

import re

from scops.common.contract.store_faults import StoreFault

OURS = re.compile(
    r"vector lengths|vector with length|no such prop|invalid [\w\[\]]+ property|"
    r"not a valid (ur[il]|uuid)"
)
PANIC = re.compile(r"panic|runtime error|invalid memory address|nil pointer|goroutine")
FULL = re.compile(r"no space left|not enough memory|memory pressure|disk quota")
READ_ONLY = re.compile(r"read-only|readonly|read only|forbidden|unauthori[sz]ed")


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
