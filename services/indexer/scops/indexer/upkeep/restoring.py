"""Makes chunk objects anew: texts from the archive, vectors cached or embedded, mentions read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scops.common.contract.errors import BlobMissing, InvalidInput
from scops.common.contract.ids import ChunkId
from scops.common.contract.messages.change import Manifest
from scops.common.observe.log import get_logger
from scops.indexer.objects.chunk_objects import chunk_objects
from scops.indexer.objects.chunk_texts import (
    ChunkText,
    ListedChunk,
    chunk_texts,
    listed_chunks,
)
from scops.indexer.objects.materials import chunk_mentions, chunk_vectors
from scops.indexer.ports import IndexerPorts
from scops.indexer.upkeep.inventory import ChunkRow, MaintenanceTools, PageInventory
from scops.libraries.index.ports import ChunkObject

log = get_logger("indexer")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSources:
    """What some chunks of a page can be made of.

    Attributes:
        texts: of those that can be made.
        dropped: chunks that no kept version lists; nothing is owed for them.
        unreadable: chunks whose manifest or text the archive lacks, or holds damaged.
    """

    texts: tuple[ChunkText, ...]
    dropped: frozenset[ChunkId]
    unreadable: frozenset[ChunkId]


async def chunk_sources(
    page: PageInventory, rows: Sequence[ChunkRow], ports: IndexerPorts
) -> ChunkSources:
    """Returns what chunks of a page are made of, by the newest version that still can tell.

    What cannot be read is left out and logged: trying again brings it no nearer.
    """
    wanted = {row.chunk_id for row in rows}
    texts: dict[ChunkId, ChunkText] = {}
    broken: set[ChunkId] = set()
    all_read = True
    refs = [page.head.manifest] if page.head.manifest is not None else []
    for ref in dict.fromkeys(refs + [row.manifest for row in page.versions]):
        if not wanted:
            break
        found: dict[ChunkId, ListedChunk] = {}
        try:
            listed = listed_chunks([await ports.manifests.get(ref)])
            found = {key: chunk for key, chunk in listed.items() if key in wanted}
            texts |= {
                text.chunk_id: text for text in await chunk_texts(tuple(found.values()), ports)
            }
            wanted -= texts.keys()
        except (BlobMissing, InvalidInput) as error:
            log.error("version_not_restorable", page_id=page.page_id, detail=error.message)
            broken |= found.keys()
            all_read = all_read and bool(found)
    unreadable = broken - texts.keys() if all_read else wanted
    return ChunkSources(
        texts=tuple(texts.values()),
        dropped=frozenset(wanted - unreadable),
        unreadable=frozenset(unreadable),
    )


async def restore_objects(
    page: PageInventory,
    rows: Sequence[ChunkRow],
    texts: Sequence[ChunkText],
    tools: MaintenanceTools,
) -> list[ChunkObject]:
    """Returns objects for some of a page's chunks, as the indexer would insert them now.

    A chunk that is retiring gets the interval of its row, as its copy in the history has it.
    """
    ports = tools.ports
    wanted = {row.chunk_id: row for row in rows}
    held = await tools.held.of([row.object_id for row in rows])
    vectors, _ = await chunk_vectors(texts, urgent=False, ports=ports, held=held)
    objects = chunk_objects(
        texts,
        vectors,
        await chunk_mentions(texts, ports),
        {chunk_id: row.incarnation for chunk_id, row in wanted.items()},
        page_id=page.page_id,
        access_context=page.head.access_context,
        canonical_url=page.head.canonical_url,
    )
    return [_with_interval(item, wanted[item.chunk_id]) for item in objects]


async def current_manifest(page: PageInventory, ports: IndexerPorts) -> Manifest | None:
    """Returns what a page's head lists; None when it is closed, or the archive lacks it."""
    if page.head.closed or page.head.manifest is None:
        return None
    try:
        return await ports.manifests.get(page.head.manifest)
    except (BlobMissing, InvalidInput) as error:
        log.error("manifest_unreadable", page_id=page.page_id, detail=error.message)
        return None


def _with_interval(item: ChunkObject, row: ChunkRow) -> ChunkObject:
    if row.is_live:
        return item
    return replace(item, observed_from=row.interval.begin, observed_to=row.interval.end)
