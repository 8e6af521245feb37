"""Use case of SearchService.ResolveCitations."""

from collections.abc import Sequence

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import Citation, ResolvedCitation, ResolveRequest
from scops.common.query.ports import RESOLVE
from scops.gateway.calls import Call
from scops.gateway.handlers.pages import get_page
from scops.gateway.handlers.questions import ask
from scops.gateway.ports import GatewayPorts


async def resolve_citations(
    ports: GatewayPorts, call: Call, citations: Sequence[Citation]
) -> tuple[ResolvedCitation, ...]:
    """Returns what became of some cited spans, in the order asked.

    Raises:
        InvalidInput: no citation is given, or one names no page or version.
        NotFound: a cited page is unknown, or no scope that the caller may see holds it.
    """
    if not citations:
        raise InvalidInput(
            "No citation is given; send some as Answer returned them.",
            reason="CITATIONS_EMPTY",
            field="citations",
        )
    for index, citation in enumerate(citations):
        if not citation.page_id or not citation.version_id:
            raise InvalidInput(
                f"Citation {index + 1} names no page or no version; send it as Answer returned it.",
                reason="CITATION_INCOMPLETE",
                field=f"citations[{index}]",
            )
    # What a caller says of a page's URL proves nothing: whether it may be seen is looked up.
    for page_id in dict.fromkeys(citation.page_id for citation in citations):
        await get_page(ports, call, page_id=page_id, uri="")
    response = await ask(ports, RESOLVE, ResolveRequest(citations=tuple(citations)), call=call)
    return response.citations
