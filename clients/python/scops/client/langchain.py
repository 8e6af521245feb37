"""Passages of Scops for LangChain; needs the extra `langchain`."""

from datetime import date, datetime
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from scops.client.async_scops import AsyncScops
from scops.client.scops import Scops
from scops.client.values.passages import Passage


class ScopsRetriever(BaseRetriever):
    """Retrieves passages, each with the version that it stands in, best first.

    Attributes:
        client: asked by `invoke`.
        async_client: asked by `ainvoke`; without one, the other in a thread.
        scopes: ids or names; `*` is all that the caller may see.
        limit: of passages, 1 to 100.
        as_of: as the index stood then; a bare date means its end in UTC.
        recipe: of the ranking; empty for the default.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Scops
    async_client: AsyncScops | None = None
    scopes: tuple[str, ...]
    limit: int = 10
    as_of: datetime | date | None = None
    recipe: str = ""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = self.client.search(query, self.scopes, **self._options())
        return [_document(passage) for passage in found.passages]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        if self.async_client is None:
            return await super()._aget_relevant_documents(query, run_manager=run_manager)
        found = await self.async_client.search(query, self.scopes, **self._options())
        return [_document(passage) for passage in found.passages]

    def _options(self) -> dict[str, Any]:
        return {"limit": self.limit, "as_of": self.as_of, "recipe": self.recipe}


def _document(passage: Passage) -> Document:
    return Document(
        id=passage.chunk,
        page_content=passage.text,
        metadata={
            # What LangChain's own loaders call the address.
            "source": passage.uri,
            "title": passage.title,
            "section_path": list(passage.section_path),
            "page": passage.page,
            "version": passage.version,
            "start": passage.start,
            "end": passage.end,
            "score": passage.score,
            "superseded": passage.superseded,
            "instruction_like": passage.instruction_like,
            "read_by_ocr": passage.read_by_ocr,
        },
    )
