"""Licences of Crossref: which full texts of a publisher are free, and when."""

import pytest

from scops.libraries.papers.names import paper_name
from scops.standalone.commands.papers.services import PaperServices
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.scholar import Scholar


@pytest.mark.parametrize(
    ("version", "begin", "is_free"),
    [
        ("vor", [2020, 1, 31], True),
        ("unspecified", [2020, 1, 31], True),
        ("vor", [9000, 1, 1], False),
        ("am", [2020, 1, 31], False),
        ("tdm", [2020, 1, 31], False),
    ],
)
def test_licence_of_crossref_is_for_its_version_from_its_day_on(
    version: str, begin: list[int], *, is_free: bool
) -> None:
    """That of a manuscript, or one that begins later, says nothing of the publisher's file."""
    url = "https://creativecommons.org/licenses/by-nc-nd/4.0/"
    licence = {"URL": url, "content-version": version, "start": {"date-parts": [begin]}}
    link = {"URL": "https://tides.test/gauge.pdf", "content-version": "vor"}
    work = {"DOI": "10.1000/gauge", "title": ["Gauges"], "license": [licence]}
    work |= {"link": [link | {"content-type": "application/pdf"}]}
    with running(Origin()) as origin:
        scholar = Scholar(origin)
        scholar.answer("crossref", "works/10.1000/gauge", {"message": work})
        with PaperServices(["crossref"], scholar.servers(), environment={}) as services:
            (paper,) = services.gathering.look_up(paper_name("10.1000/gauge")).papers

    assert ([("cc-by-nc-nd-4.0", "published")] if is_free else []) == [
        (place.licence, place.version) for place in paper.locations
    ]
