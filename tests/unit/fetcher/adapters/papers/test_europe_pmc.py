"""What Europe PMC says of retractions, and what it does not."""

from typing import Any

import pytest

from scops.fetcher.adapters.papers.europe_pmc import EuropePmc
from scops.libraries.papers.port import Years
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.scholar import Scholar


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"source": "MED", "pubTypeList": {"pubType": ["Journal Article"]}}, False),
        ({"source": "MED"}, None),
        ({"source": "PPR", "pubTypeList": {"pubType": ["Preprint"]}}, None),
        ({"source": "MED", "title": "RETRACTED: Gauges."}, True),
    ],
)
def test_what_is_not_marked_is_not_said_to_stand(
    said: dict[str, Any], expected: bool | None
) -> None:
    """PubMed marks by kinds, which entries of reference lists come without."""
    whole = {"id": "7", "pmid": "7", "title": "Gauges."} | said
    with running(Origin()) as origin:
        scholar = Scholar(origin)
        scholar.answer("europe-pmc", "search", {"resultList": {"result": [whole]}})
        service = EuropePmc(scholar.url("europe-pmc"), sleep=lambda _: None)
        (record,) = service.search("gauges", years=Years(), limit=1).records
        service.close()

    assert expected is record.retracted
