"""A parser on child processes, for tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from scops.common.processes.pool import ChildPool
from scops.extractor.adapters.child_parser import ChildParser
from scops.extractor.ocr import Ocr
from tests.unit.common.processes.children import MEBIBYTE, limits

__all__ = ["MEBIBYTE", "parsing"]


@asynccontextmanager
async def parsing(
    processes: int = 1, *, page_seconds: float = 60.0, ocr: Ocr | None = None, **changes: Any
) -> AsyncIterator[ChildParser]:
    """Yields a parser; its processes end with the block."""
    pool = ChildPool(processes=processes, limits=limits(**changes))
    try:
        yield ChildParser(pool, page_seconds=page_seconds, ocr=ocr)
    finally:
        await pool.close()
