"""Watches how much of the nearest passages the store's vector search finds.

Of a share of the questions the store's search is compared with a comparison of every object, after
the answer and one at a time: a question never waits for it, and what comes meanwhile is skipped.
"""

import asyncio
import random
from typing import Protocol

from scops.common.contract.errors import ScopsError
from scops.common.observe.log import get_logger
from scops.libraries.index.ports import StoreQuery
from scops.libraries.index.upkeep import Recall
from scops.retriever import metrics

SLICE_DIGITS = 8
log = get_logger("retriever")


class RecallProbe(Protocol):
    """The side of the chunk store that compares itself; see `index.upkeep.MaintainedStore`."""

    async def recall(self, query: StoreQuery, *, slice_key: str) -> Recall | None:
        """Returns what a search should have found and did; None where it compares every object.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        ...


class Canary:
    """Takes queries as they are asked and compares some of them; make `run` a loop.

    Args:
        share: of the queries, in [0, 1]; 0 compares none.
    """

    def __init__(self, probe: RecallProbe, *, share: float, chance: random.Random) -> None:
        self._probe = probe
        self._share = share
        self._chance = chance
        self._waiting: asyncio.Queue[StoreQuery] = asyncio.Queue(maxsize=1)

    def offer(self, query: StoreQuery) -> None:
        """Takes a query that was just searched, by chance, unless another one waits."""
        if self._chance.random() < self._share and not self._waiting.full():
            self._waiting.put_nowait(query)

    async def run(self) -> None:
        """Compares what is offered until it is cancelled."""
        while True:
            await self.compare(await self._waiting.get())

    async def compare(self, query: StoreQuery) -> None:
        """Compares one query and counts; a store that does not answer is asked no more for it."""
        key = f"{self._chance.getrandbits(4 * SLICE_DIGITS):0{SLICE_DIGITS}x}"
        try:
            recall = await self._probe.recall(query, slice_key=key)
        except ScopsError as error:
            log.warning("canary_skipped", detail=error.message)
            return
        if recall is not None:
            metrics.CANARY_EXPECTED.inc(recall.expected)
            metrics.CANARY_FOUND.inc(recall.found)
