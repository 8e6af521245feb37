"""Records which chunks say the same: they get the wording of the first that said it.

A long text is compared with the wordings that share a band with it, not with chunks: however
many pages mirror a text, it is one row to compare with, and none strays from it step by step.
Two transactions that meet on PostgreSQL may each begin a wording for texts that differ by a few
bits; equal texts have equal wordings by themselves.

Every function runs in the caller's transaction, which has locked the rows of the chunks.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select, update

from scops.common.contract.ids import ChunkId, WordingId
from scops.common.db.batches import BATCH, batches_in_turns, rows_in_batches
from scops.common.db.connection import Connection
from scops.common.db.upsert import insert_ignore_many
from scops.indexer.adapters.tables import CHUNK, WORDING_BAND
from scops.libraries.index.wording import BITS_MAX, Wording, distance

# Of the wordings in one band; whoever fills a band with others only hides mirrors.
WORDINGS_PER_BAND_MAX = 32
_SHARING = (
    select(WORDING_BAND)
    .where(WORDING_BAND.c.band.in_(bindparam("of_bands", expanding=True)))
    .limit(BATCH * WORDINGS_PER_BAND_MAX)
)
_SET_WORDING = (
    update(CHUNK)
    .where(CHUNK.c.chunk_id == bindparam("of_chunk"))
    .values(wording_id=bindparam("of_wording"))
)

# Of each band: the wordings in it, by id, with their SimHashes.
Sharing = dict[int, dict[WordingId, int]]


async def record(connection: Connection, wordings: Mapping[ChunkId, Wording]) -> None:
    """Gives each chunk the wording that it shares with those that say the same."""
    if not wordings:
        return
    known = await _sharing(connection, sorted({b for one in wordings.values() for b in one.bands}))
    taken: dict[ChunkId, WordingId] = {}
    begun: list[dict[str, Any]] = []
    for chunk_id, one in sorted(wordings.items()):
        taken[chunk_id] = _taken(one, known)
        if one.bands and taken[chunk_id] == one.wording_id:
            begun += _begin(one, known)
    # In one order for everybody: two that begin the same wordings wait for each other in turn.
    begun.sort(key=lambda row: (row["wording_id"], row["band"]))
    async for batch in batches_in_turns(begun):
        await insert_ignore_many(connection, WORDING_BAND, batch)
    rows = [{"of_chunk": chunk, "of_wording": wording} for chunk, wording in taken.items()]
    async for batch in batches_in_turns(rows):
        await connection.execute(_SET_WORDING, batch)


async def _sharing(connection: Connection, bands: Sequence[int]) -> Sharing:
    known: Sharing = defaultdict(dict)
    for row in await rows_in_batches(connection, _SHARING, "of_bands", bands):
        known[row.band][WordingId(row.wording_id)] = row.simhash
    return known


def _taken(one: Wording, known: Sharing) -> WordingId:
    """Returns the nearest wording within the bound; its own where it is known or none is."""
    shared = {
        wording_id: distance(one.simhash, simhash)
        for band in one.bands
        for wording_id, simhash in known.get(band, {}).items()
    }
    near = {wording_id: bits for wording_id, bits in shared.items() if bits <= BITS_MAX}
    if not near or one.wording_id in near:
        return one.wording_id
    return min(near, key=lambda wording_id: (near[wording_id], wording_id))


def _begin(one: Wording, known: Sharing) -> list[dict[str, Any]]:
    """Returns the rows of a wording that is new, and lets later chunks share it."""
    rows = []
    signed = one.simhash - 2**64 if one.simhash >= 2**63 else one.simhash
    for band in one.bands:
        if one.wording_id not in known.setdefault(band, {}):
            known[band][one.wording_id] = signed
            rows.append({"band": band, "wording_id": one.wording_id, "simhash": signed})
    return rows
