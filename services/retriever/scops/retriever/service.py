"""Composes the retriever."""

from functools import partial
from pathlib import Path

from scops.common.access.asked import AssertedIdentity, checked_bindings
from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import ChunkId
from scops.common.contract.service_table import Role
from scops.common.processes.compute import ChildCompute, compute_tasks
from scops.common.runtime.platform import Platform
from scops.common.runtime.service import Loop, ReadinessCheck, Service, query_bindings
from scops.libraries.embedder.opening import embedder_problem, shared_embedder
from scops.libraries.index.manifest_reader import ManifestReader
from scops.libraries.index.opening import DATABASE_NAME, open_chunk_store, store_problem
from scops.libraries.index.rows.head_reader import SqlHeadReader
from scops.libraries.index.rows.mirror_reader import SqlMirrorReader
from scops.libraries.index.rows.object_reader import SqlObjectReader
from scops.retriever.adapters.archive_version_texts import ArchiveVersionTexts
from scops.retriever.adapters.onnx_cross_encoder import OnnxCrossEncoder
from scops.retriever.candidates.canary import Canary
from scops.retriever.ports import RetrieverPorts
from scops.retriever.router import ANSWERS
from scops.retriever.settings import RetrieverSettings
from scops.retriever.time.event_times import text_windows
from scops.retriever.time.passage_windows import PassageWindows

UNKNOWN_CHUNK = ChunkId("")
# For one passage; what is done at once takes at most 0.2 s, whatever the text.
COMPUTE_SECONDS = 5.0
INLINE_CHARACTERS_MAX = 40_000


def build(settings: RetrieverSettings, platform: Platform) -> Service:
    """Returns the retriever on the shared ports of a process and the index of its settings.

    Raises:
        PermanentError: the reranker that the settings name cannot be loaded.
    """
    store = open_chunk_store(platform.common)
    canary = Canary(store, share=settings.canary_share, chance=platform.random)
    reranker = _reranker(settings, threads=platform.common.embedder_threads)
    ports = RetrieverPorts(
        store=store,
        heads=SqlHeadReader(platform.database(DATABASE_NAME)),
        mirrors=SqlMirrorReader(platform.database(DATABASE_NAME)),
        objects=SqlObjectReader(platform.database(DATABASE_NAME)),
        manifests=ManifestReader(platform.archive),
        texts=ArchiveVersionTexts(platform.archive),
        embedder=shared_embedder(platform),
        scope_book=platform.scope_book,
        clock=platform.clock,
        settings=settings,
        canary=canary,
        reranker=reranker,
        passages=PassageWindows(
            ChildCompute(
                platform.children,
                seconds=COMPUTE_SECONDS,
                inline_characters_max=INLINE_CHARACTERS_MAX,
            )
        ),
    )

    async def close() -> None:
        if reranker is not None:
            reranker.close()
        await store.close()

    return Service(
        role=Role.RETRIEVER,
        child_tasks=compute_tasks(text_windows),
        queries=checked_bindings(
            query_bindings(ANSWERS, ports), AssertedIdentity(platform.scope_book, platform.clock)
        ),
        loops=(Loop(name="canary", run=canary.run),),
        checks=(
            ReadinessCheck(name="retriever-index", probe=partial(store_problem, store)),
            ReadinessCheck(name="embedder", probe=partial(embedder_problem, platform)),
            ReadinessCheck(name="retriever-heads", probe=partial(_heads_problem, ports)),
        ),
        close=close,
    )


def _reranker(settings: RetrieverSettings, *, threads: int) -> OnnxCrossEncoder | None:
    if not settings.reranker_folder:
        return None
    folder = Path(settings.reranker_folder).expanduser()
    return OnnxCrossEncoder.load(folder, threads=threads)


async def _heads_problem(ports: RetrieverPorts) -> str | None:
    """Returns why heads cannot be read: their tables belong to the indexer, which makes them."""
    try:
        await ports.heads.heads(())
        await ports.mirrors.wordings((UNKNOWN_CHUNK,))
    except ScopsError as error:
        return error.message
    return None
