"""Templates of hosts in SQL."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Row, delete, insert, select, update

from scops.change_detector.adapters.sql_addresses import address_of
from scops.change_detector.adapters.tables import (
    page_address,
    template_block,
    template_host,
    template_page,
)
from scops.change_detector.chunking.atoms import hash64
from scops.change_detector.templates.blocks import NO_MASK, BlockKey, TemplateMask
from scops.change_detector.templates.learning import (
    BlockTemplate,
    PageBlocks,
    learned,
    masks_alike,
    seen_again,
)
from scops.change_detector.timeline.records import HostTemplates, PageAddress, SeenBlocks
from scops.common.contract.ids import PageId
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.upsert import insert_ignore, upsert

MASKS_MAX = 200
# Pages of a host that are counted: those of the smallest hashes.
SAMPLE_PAGES_MAX = 1_000
HASHES = np.dtype("<u8")


class SqlTemplates:
    """Implements the `TemplateStore` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._masks: dict[tuple[str, str], TemplateMask] = {}

    async def mask(self, organisation_id: str, host: str) -> TemplateMask:
        async with self._database.reading() as connection:
            epoch = await _epoch(connection, organisation_id, host)
            if not epoch:
                return NO_MASK
            known = self._masks.get((organisation_id, host), NO_MASK)
            if known.epoch != epoch:
                templates = await _templates(connection, organisation_id, host)
                known = _mask(epoch, templates)
                if len(self._masks) >= MASKS_MAX:
                    self._masks.pop(next(iter(self._masks)))
                self._masks[organisation_id, host] = known
        return known

    async def pending(self, *, limit: int) -> Sequence[PageAddress]:
        found = (
            select(page_address)
            .where(page_address.c.learned.is_(False))
            .order_by(page_address.c.host, page_address.c.page_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return tuple(address_of(row) for row in (await connection.execute(found)).all())

    async def learn(self, organisation_id: str, host: str, seen: Sequence[SeenBlocks]) -> int:
        async with self._database.transaction() as connection:
            key = {"organisation_id": organisation_id, "host": host}
            await insert_ignore(connection, template_host, key | {"epoch": 0})
            # Updating the host's row first holds off whoever else learns of it.
            await connection.execute(
                update(template_host)
                .where(*_of(template_host, organisation_id, host))
                .values(epoch=template_host.c.epoch)
            )
            epoch = await _epoch(connection, organisation_id, host)
            known = await _templates(connection, organisation_id, host)
            pages = await _pages(connection, organisation_id, host)
            for page in sorted(seen, key=lambda page: page.page_id):
                pages[page.page_id] = seen_again(pages.get(page.page_id), page.keys, known)
                row = _page_row(page.page_id, pages[page.page_id]) | key
                await upsert(connection, template_page, row, key=("page_id",))
                await _note_learned(connection, page)
            await self._drop_beyond(connection, organisation_id, host, pages)
            found = learned(pages, known)
            texts = {k: text for page in seen for k, text in page.texts.items()}
            if found != known:
                await _replace(connection, organisation_id, host, found, texts)
            if masks_alike(found, known):
                await _fill_texts(connection, organisation_id, host, known, texts)
                return epoch
            await connection.execute(
                update(template_host)
                .where(*_of(template_host, organisation_id, host))
                .values(epoch=epoch + 1)
            )
            return epoch + 1

    async def of_host(self, organisation_id: str, host: str, *, limit: int) -> HostTemplates:
        async with self._database.reading() as connection:
            epoch = await _epoch(connection, organisation_id, host)
            pages = await _pages(connection, organisation_id, host)
            found = (
                select(template_block)
                .where(*_of(template_block, organisation_id, host))
                .order_by(template_block.c.retired, template_block.c.pages.desc())
                .limit(limit)
            )
            rows = (await connection.execute(found)).all()
        return HostTemplates(
            host=host,
            epoch=epoch,
            pages=sum(bool(blocks.keys) for blocks in pages.values()),
            templates=tuple((_template_of(row), row.text) for row in rows),
        )

    async def hosts(self, organisation_id: str) -> Sequence[str]:
        found = (
            select(template_host.c.host)
            .where(template_host.c.organisation_id == organisation_id, template_host.c.epoch > 0)
            .order_by(template_host.c.host)
        )
        async with self._database.reading() as connection:
            return [row.host for row in (await connection.execute(found)).all()]

    async def _drop_beyond(
        self,
        connection: Connection,
        organisation_id: str,
        host: str,
        pages: dict[PageId, PageBlocks],
    ) -> None:
        beyond = sorted(pages, key=_rank)[SAMPLE_PAGES_MAX:]
        for page_id in beyond:
            del pages[page_id]
            await connection.execute(
                delete(template_page).where(template_page.c.page_id == page_id)
            )


async def _epoch(connection: Connection, organisation_id: str, host: str) -> int:
    found = select(template_host.c.epoch).where(*_of(template_host, organisation_id, host))
    return int((await connection.execute(found)).scalar() or 0)


async def _templates(
    connection: Connection, organisation_id: str, host: str
) -> dict[int, BlockTemplate]:
    found = select(template_block).where(*_of(template_block, organisation_id, host))
    rows = (await connection.execute(found)).all()
    return {template.key: template for template in map(_template_of, rows)}


async def _pages(
    connection: Connection, organisation_id: str, host: str
) -> dict[PageId, PageBlocks]:
    found = select(template_page).where(*_of(template_page, organisation_id, host))
    rows = (await connection.execute(found)).all()
    return {PageId(row.page_id): _blocks_of(row) for row in rows}


async def _note_learned(connection: Connection, page: SeenBlocks) -> None:
    """Forgets that a page waits, unless it has had news since it was read."""
    await connection.execute(
        update(page_address)
        .where(page_address.c.page_id == page.page_id, page_address.c.news == page.news)
        .values(learned=True)
    )


async def _replace(
    connection: Connection,
    organisation_id: str,
    host: str,
    templates: Mapping[int, BlockTemplate],
    texts: Mapping[int, str],
) -> None:
    mine = _of(template_block, organisation_id, host)
    before = (await connection.execute(select(template_block).where(*mine))).all()
    known = {int(row.block, 16): row.text for row in before}
    await connection.execute(delete(template_block).where(*mine))
    rows = [
        {
            "organisation_id": organisation_id,
            "host": host,
            "block": f"{template.key:016x}",
            "shape": f"{template.shape:016x}",
            "pages": template.pages,
            "keeper": template.keeper,
            "retired": template.retired,
            "text": known.get(template.key) or texts.get(template.key, ""),
        }
        for template in templates.values()
    ]
    if rows:
        await connection.execute(insert(template_block), rows)


async def _fill_texts(
    connection: Connection,
    organisation_id: str,
    host: str,
    known: Mapping[int, BlockTemplate],
    texts: Mapping[int, str],
) -> None:
    """Says again what blocks say that a purge has left without words."""
    silent = update(template_block).where(
        *_of(template_block, organisation_id, host), template_block.c.text == ""
    )
    for key in sorted(known.keys() & texts.keys()):
        named = silent.where(template_block.c.block == f"{key:016x}")
        await connection.execute(named.values(text=texts[key]))


def _mask(epoch: int, templates: Mapping[int, BlockTemplate]) -> TemplateMask:
    return TemplateMask(
        epoch=epoch,
        keepers={key: t.keeper for key, t in templates.items() if not t.retired},
        retired=frozenset(key for key, t in templates.items() if t.retired),
    )


def _of(table: Any, organisation_id: str, host: str) -> tuple[Any, Any]:
    return table.c.organisation_id == organisation_id, table.c.host == host


def _rank(page_id: PageId) -> int:
    return hash64(page_id) >> 1


def _page_row(page_id: PageId, blocks: PageBlocks) -> dict[str, Any]:
    pairs = [half for key in blocks.keys for half in (key.text, key.shape)]
    return {
        "page_id": page_id,
        "rank": _rank(page_id),
        "keys": np.array(pairs, HASHES).tobytes(),
        "successors": np.array(sorted(blocks.successors), HASHES).tobytes(),
    }


def _blocks_of(row: Row[Any]) -> PageBlocks:
    pairs = np.frombuffer(row.keys, HASHES).reshape(-1, 2).tolist()
    return PageBlocks(
        keys=tuple(BlockKey(text, shape) for text, shape in pairs),
        successors=frozenset(np.frombuffer(row.successors, HASHES).tolist()),
    )


def _template_of(row: Row[Any]) -> BlockTemplate:
    return BlockTemplate(
        key=int(row.block, 16),
        shape=int(row.shape, 16),
        pages=row.pages,
        keeper=PageId(row.keeper),
        retired=row.retired,
    )
