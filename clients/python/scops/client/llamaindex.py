"""Passages of Scops for LlamaIndex; needs the extra `llamaindex`."""

import asyncio
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from scops.client.async_scops import AsyncScops
from scops.client.scops import Scops
from scops.client.values.passages import Passage

# What a model need not read.
FOR_PROGRAMS = ["page", "version", "start", "end", "superseded", "instruction_like", "read_by_ocr"]


class ScopsRetriever(BaseRetriever):
    """Retrieves passages, each with the version that it stands in, best first.

    Args:
        client: asked by `retrieve`.
        scopes: ids or names; `*` is all that the caller may see.
        async_client: asked by `aretrieve`; without one, the other in a thread.
        limit: of passages, 1 to 100.
        as_of: as the index stood then; a bare date means its end in UTC.
        recipe: of the ranking; empty for the default.
    """

    def __init__(
        self,
        client: Scops,
        scopes: Iterable[str],
        *,
        async_client: AsyncScops | None = None,
        limit: int = 10,
        as_of: date | datetime | None = None,
        recipe: str = "",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._client = client
        self._async_client = async_client
        self._scopes = (scopes,) if isinstance(scopes, str) else tuple(scopes)
        self._asked: dict[str, Any] = {"limit": limit, "as_of": as_of, "recipe": recipe}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._client.search(query_bundle.query_str, self._scopes, **self._asked)
        return [_node(passage) for passage in found.passages]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self._async_client is None:
            return await asyncio.to_thread(self._retrieve, query_bundle)
        found = await self._async_client.search(query_bundle.query_str, self._scopes, **self._asked)
        return [_node(passage) for passage in found.passages]


def _node(passage: Passage) -> NodeWithScore:
    node = TextNode(
        id_=passage.chunk,
        text=passage.text,
        metadata={
            "source": passage.uri,
            "title": passage.title,
            "section": " › ".join(passage.section_path),
            "page": passage.page,
            "version": passage.version,
            "start": passage.start,
            "end": passage.end,
            "superseded": passage.superseded,
            "instruction_like": passage.instruction_like,
            "read_by_ocr": passage.read_by_ocr,
        },
        excluded_llm_metadata_keys=FOR_PROGRAMS,
        excluded_embed_metadata_keys=FOR_PROGRAMS,
    )
    return NodeWithScore(node=node, score=passage.score)
