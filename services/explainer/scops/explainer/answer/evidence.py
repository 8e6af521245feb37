"""The passages that an answer rests on: found by the retriever, with their versions' texts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import compress

from scops.common.contract.errors import BlobMissing
from scops.common.contract.messages.explanation import AnswerRequest, ExplainRequest
from scops.common.contract.messages.retrieval import Evidence, RetrieveRequest, RetrieveResponse
from scops.common.observe.log import get_logger
from scops.common.query.ports import RETRIEVE
from scops.explainer import metrics
from scops.explainer.ports import ExplainerPorts, VersionText

# Fewest asked of the retriever for quotes; the first as many are quoted.
PASSAGES = 10
# Longest wait for the retriever; the caller's deadline may be shorter.
RETRIEVE_SECONDS = 10.0
log = get_logger("explainer")


@dataclass(frozen=True, slots=True)
class ReadablePassages:
    """Passages with their versions' texts, by place."""

    evidence: tuple[Evidence, ...] = ()
    versions: tuple[VersionText, ...] = ()

    def first(self, count: int) -> "ReadablePassages":
        """Returns the first ones."""
        return ReadablePassages(self.evidence[:count], self.versions[:count])

    def only(self, wanted: Sequence[bool]) -> "ReadablePassages":
        """Returns those whose place is wanted."""
        return ReadablePassages(
            tuple(compress(self.evidence, wanted)), tuple(compress(self.versions, wanted))
        )


async def retrieved(
    request: AnswerRequest | ExplainRequest, ports: ExplainerPorts, *, as_chunks: bool = False
) -> RetrieveResponse:
    """Asks the retriever what a request asks.

    Args:
        as_chunks: for quotes, which are joined here, across chunks and as short as can be.
    """
    asked = RetrieveRequest(
        query=request.query,
        scopes=request.scopes,
        limit=max(request.limit, PASSAGES) if as_chunks else request.limit,
        as_of_time=request.as_of_time,
        recipe=request.recipe,
        as_chunks=as_chunks,
        counterfactuals=True,
    )
    if isinstance(request, ExplainRequest):
        asked = replace(asked, weights=request.weights, preferred=request.preferred)
    return await ports.query_client.call(
        RETRIEVE,
        asked,
        deadline=ports.clock.now() + timedelta(seconds=RETRIEVE_SECONDS),
    )


async def readable_passages(
    evidence: Sequence[Evidence], ports: ExplainerPorts
) -> ReadablePassages:
    """Returns the passages whose text the archive has, and their texts."""
    read: list[tuple[Evidence, VersionText]] = []
    for passage in evidence:
        try:
            read.append((passage, await ports.texts.get(passage.manifest_digest)))
        except BlobMissing as error:
            # Nothing can be cited from it; the others still answer.
            metrics.UNREADABLE.inc()
            log.warning("passage_unreadable", page_id=passage.page_id, detail=error.message)
    return ReadablePassages(
        evidence=tuple(passage for passage, _ in read), versions=tuple(text for _, text in read)
    )
