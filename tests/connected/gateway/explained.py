"""An explainer of the gateway that finds at once, and answers when it is told to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scops.common.contract.ids import PageId
from scops.common.contract.messages.explanation import (
    AnswerRequest,
    AnswerResponse,
    Citation,
    FindRequest,
    FindResponse,
    Statement,
)
from scops.common.contract.messages.retrieval import Evidence, RetrieveResponse
from scops.common.contract.messages.types import Clocks, OrderKey
from scops.common.query.ports import ANSWER, FIND
from tests.connected.gateway.calls import create_request
from tests.fakes.worlds.gateway import DOCS, ServedGateway, served_gateway

ELSEWHERE = "https://elsewhere.example/"
THEN = Clocks(observed_time=datetime(2026, 5, 1, tzinfo=UTC))


def passage(url: str) -> Evidence:
    """Builds what was found on a page."""
    return Evidence(
        page_id=PageId(url),
        canonical_url=url,
        text="Every year.",
        access_context="public",
        clocks=THEN,
        order_key=OrderKey(observed_from=THEN.observed_time),
    )


def cited(number: int, url: str) -> Citation:
    """Builds a citation of a page."""
    return Citation(
        number=number,
        page_id=PageId(url),
        canonical_url=url,
        quote="Every year.",
        access_context="public",
        clocks=THEN,
    )


@dataclass
class Explainer:
    """Finds at once, and answers when it is told to."""

    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    answering: asyncio.Event = field(default_factory=asyncio.Event)
    found: list[FindResponse | None] = field(default_factory=list)
    was_cancelled: bool = False

    async def find(self, request: FindRequest) -> FindResponse:
        found = RetrieveResponse(evidence=(passage(DOCS), passage(ELSEWHERE)))
        return FindResponse(query="put anew", found=found)

    async def answer(self, request: AnswerRequest) -> AnswerResponse:
        self.found.append(request.found)
        self.answering.set()
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        return AnswerResponse(
            answered=True,
            statements=(
                Statement(text="Every year.", citation_numbers=(1,)),
                Statement(text="Each spring.", citation_numbers=(2, 1)),
                Statement(text="Of another's page.", citation_numbers=(3,)),
            ),
            citations=(cited(1, DOCS), cited(2, f"{DOCS}spring"), cited(3, ELSEWHERE)),
            evidence=(passage(DOCS),),
        )


@asynccontextmanager
async def explained(
    tmp_path: Path, **settings: Any
) -> AsyncIterator[tuple[ServedGateway, Explainer]]:
    """Serves a gateway with a scope `docs` and an explainer."""
    async with served_gateway(tmp_path, **settings) as served:
        explainer = Explainer()
        served.answer(FIND, explainer.find)
        served.answer(ANSWER, explainer.answer)
        if "identity" not in settings:
            await served.scopes.CreateScope(create_request())
        yield served, explainer
