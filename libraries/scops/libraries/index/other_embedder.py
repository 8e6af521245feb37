"""What is said where an index holds the vectors of another embedder than the configured one."""

from scops.common.contract.errors import PermanentError
from scops.libraries.embedder.port import setting_of

REBUILD_COMMAND = "scops rebuild"


def other_embedder(
    index: str, *, stored: str, stored_dimensions: int, configured: str, dimensions: int
) -> PermanentError:
    """Returns the error, with what to set to go on and what to run to move.

    Args:
        index: it, as the reader knows it.
        stored, configured: ids of the embedders.
    """
    setting = setting_of(stored)
    keep = (
        f"Set SCOPS_EMBEDDER={setting} to go on with it" if setting else "Set SCOPS_EMBEDDER back"
    )
    return PermanentError(
        f"The index {index} holds vectors of {stored} ({stored_dimensions} dimensions), but this "
        f"process embeds with {configured} ({dimensions}). {keep}, or run `{REBUILD_COMMAND}` "
        "with these settings to move it.",
        reason="EMBEDDER_MISMATCH",
        stored=stored,
        configured=configured,
    )
