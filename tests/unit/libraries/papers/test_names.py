"""Papers are named by ids in one form each."""

import pytest

from scops.libraries.papers.names import (
    PaperName,
    arxiv_id,
    normal_doi,
    paper_name,
    said_ids,
)

SICI = "10.1002/(sici)1-4(199806)49:8<693::aid-asi4>3.0.co;2-o"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("10.1038/35002501", PaperName("doi", "10.1038/35002501")),
        (
            "https://doi.org/10.1016/J.XGEN.2025.100814",
            PaperName("doi", "10.1016/j.xgen.2025.100814"),
        ),
        ("doi: 10.1023/A:1007154515475.", PaperName("doi", "10.1023/a:1007154515475")),
        ("10.1016%2Fj.xgen.2025.100814", PaperName("doi", "10.1016/j.xgen.2025.100814")),
        ("https://doi.org/10.48550/arXiv.2312.07559", PaperName("arxiv", "2312.07559")),
        ("arXiv:1605.08386v2", PaperName("arxiv", "1605.08386")),
        ("https://arxiv.org/pdf/quant-ph/0201082v1.pdf", PaperName("arxiv", "quant-ph/0201082")),
        ("pmid:10706275", PaperName("pmid", "10706275")),
        ("PMC12166625", PaperName("pmcid", "PMC12166625")),
        ("Gauges of  the moon", PaperName("title", "Gauges of the moon")),
        ("10.1 ways to read a gauge", PaperName("title", "10.1 ways to read a gauge")),
    ],
)
def test_words_name_a_paper_by_their_form(words: str, expected: PaperName) -> None:
    """An id by its form, however it is written; anything else is a title."""
    assert expected == paper_name(words)


def test_ids_of_services_have_one_form() -> None:
    """URLs, prefixes and numbers are the same id; what is none is left out."""
    found = said_ids(
        doi="https://doi.org/10.1/no",
        openalex="https://openalex.org/W2162348455",
        pmid="https://pubmed.ncbi.nlm.nih.gov/10706275",
        pmcid="12166625",
        arxiv=["2312.07559"],
    )

    assert {"openalex": "W2162348455", "pmid": "10706275", "pmcid": "PMC12166625"} == found


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("10.1002/(SICI)1-4(199806)49:8<693::AID-ASI4>3.0.CO;2-O", SICI),
        ("https://doi.org/10.1002/(sici)1-4(199806)49:8%3C693::aid-asi4%3E3.0.co;2-o", SICI),
        ("doi:10.1002/(SICI)1-4(199806)49:8<693::AID-ASI4>3.0.CO;2-O.", SICI),
        ("10.1002/(SICI)1-4(199806)49:8<693::AID-ASI4>3.0.CO;2-O of 1998", SICI),
        ("<https://doi.org/10.1000/gauge>", "10.1000/gauge"),
        ("(see <https://doi.org/10.1000/gauge>).", "10.1000/gauge"),
        ("<https://doi.org/10.1000/gauge>.", "10.1000/gauge"),
        ('<a href="https://doi.org/10.1000/gauge">here</a>', "10.1000/gauge"),
        ("10.1000/gauge</a>", "10.1000/gauge"),
        ("10.1000/gauge and more", "10.1000/gauge"),
        ("doi: ", ""),
        ("", ""),
    ],
)
def test_angle_brackets_are_of_a_doi_and_not_around_it(said: str, expected: str) -> None:
    """What stands between them tells papers of an issue apart."""
    assert expected == normal_doi(said)


def test_doi_of_arxiv_names_the_arxiv_paper() -> None:
    """arXiv's own DOIs are no second name of a paper."""
    assert {"arxiv": "2312.07559"} == said_ids(doi="10.48550/arXiv.2312.07559")
    assert "" == normal_doi("10.48550/arxiv.2312.07559")
    assert "" == arxiv_id("2312.075")
