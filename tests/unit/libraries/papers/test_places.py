"""The best place of a text is legal, a file, and as published; never of those who pirate."""

from typing import Any

from scops.libraries.papers.licences import licence_url, normal_licence
from scops.libraries.papers.places import best_places
from scops.libraries.papers.record import PaperLocation


def _place(url: str, **said: Any) -> PaperLocation:
    return PaperLocation(url=url, **{"kind": "pdf", "said_by": "openalex", **said})


def test_places_are_in_the_order_in_which_they_are_asked() -> None:
    """JATS, files, then what is published, then what has a free licence; each URL once."""
    jats = _place("https://europepmc.test/1.xml", kind="xml", version="published")
    page = _place("https://journal.test/1", kind="html", version="published", licence="cc-by")
    sent = _place("https://repository.test/1.pdf", version="submitted", licence="cc-by")
    bare = _place("https://journal.test/1.pdf", version="published")
    free = _place("https://other.test/1.pdf", version="published", licence="cc-by-nc-4.0")
    again = _place("https://other.test/1.pdf", version="published", said_by="unpaywall")

    assert [jats, free, bare, sent, page] == best_places([page, sent, again, bare, free, jats])


def test_places_that_are_not_legal_are_none() -> None:
    """Whatever a service says of them; resolvers only lead elsewhere."""
    urls = (
        *("https://sci-hub.se/10.1/x.pdf", "https://www.libgen.rs/x.pdf", "ftp://x.test/1.pdf"),
        *("https://scholar.google.com/x", "https://www.researchgate.net/x.pdf"),
        *("https://doi.org/10.1000/x", "file:///etc/passwd", ""),
        *("http://[bad/x", "http://ex℀mple.com/", "http://[::1/x.pdf", "https://[x]/x.pdf"),
    )

    assert [] == best_places([_place(url) for url in urls])
    assert [] == best_places([_place("https://journal.test/1.pdf", status="closed")])


def test_licences_have_one_form() -> None:
    """As services write them: run together, with spaces, as URLs."""
    forms = {
        "CCBYNCND": "cc-by-nc-nd",
        "cc by": "cc-by",
        "CC BY-NC 4.0": "cc-by-nc-4.0",
        "http://creativecommons.org/licenses/by/4.0/": "cc-by-4.0",
        "https://creativecommons.org/publicdomain/zero/1.0/": "cc0",
        "https://www.elsevier.com/tdm/userlicense/1.0/": (
            "https://www.elsevier.com/tdm/userlicense/1.0/"
        ),
        "other-oa": "other-oa",
    }

    assert forms == {said: normal_licence(said) for said in forms}
    assert "" == normal_licence(None)
    assert "https://creativecommons.org/licenses/by-nc/4.0/" == licence_url("cc-by-nc-4.0")
    assert "" == licence_url("cc-by")
