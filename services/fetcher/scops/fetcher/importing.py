"""Takes in what pages showed in another installation, as if it had been fetched here then."""

from scops.common.contract.messages.crawl import ImportPagesRequest, ImportPagesResponse
from scops.fetcher.ports.fetcher import FetcherPorts


async def import_pages(request: ImportPagesRequest, ports: FetcherPorts) -> ImportPagesResponse:
    """Takes observations in, each for itself."""
    organisation_id = ports.organisation_id
    return ImportPagesResponse(
        outcomes=tuple(
            [
                await ports.imports.take(
                    seen, organisation_id=organisation_id, now=ports.clock.now()
                )
                for seen in request.observations
            ]
        )
    )
