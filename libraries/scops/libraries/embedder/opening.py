"""The embedder that the settings name, as a process opens it."""

from collections.abc import Awaitable, Callable
from functools import partial

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import ScopsError
from scops.common.runtime.platform import Platform
from scops.libraries.embedder.port import Embedder


def open_embedder(common: CommonSettings) -> Embedder:
    """Loads the embedder; takes seconds and memory, so once a process."""
    # Imported here: ONNX Runtime costs memory in roles that embed nothing.
    from scops.libraries.embedder.registry import load_embedder

    return load_embedder(
        common.embedder,
        threads=common.embedder_threads,
        cache_dir=common.cache_dir,
    )


async def embedder_problem(platform: Platform) -> str | None:
    """Returns why the embedder cannot be loaded; loads it where nobody has asked for it yet."""
    try:
        await platform.shared(open_embedder)
    except ScopsError as error:
        return error.message
    return None


def shared_embedder(platform: Platform) -> Callable[[], Awaitable[Embedder]]:
    """Returns how to get the one embedder of the process."""
    return partial(platform.shared, open_embedder)
