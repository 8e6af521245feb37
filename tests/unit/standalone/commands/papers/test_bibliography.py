"""Papers are named by the entries of a file of references, whatever is damaged in it."""

from pathlib import Path

import pytest

from scops.common.contract.errors import InvalidInput
from scops.libraries.papers.names import PaperName
from scops.standalone.commands.papers.reference_files import read_references

FILE = r"""
@article{one, title = {G{\"o}del's {G}auges}, DOI = {https://doi.org/10.1000/One}}
@misc{two, title = "Two", eprint = {2401.00001v2}, archivePrefix = {arXiv}}
@article{again, doi = "10.1000/one"}
@article{three, pmid = 10706275}
@inproceedings{four, title = {G{\"o}del's {G}auges
   of the Moon}, url = {https://gauges.test/4}}
@misc{five, note = {nothing}}
@article{broken, title = {No end
@article{after, doi = {10.1000/after}}
"""


def test_entries_name_papers_by_their_surest_field(tmp_path: Path) -> None:
    """DOI, arXiv id, PubMed id, title in Unicode; each once, the damaged ones told."""
    file = tmp_path / "field.bib"
    file.write_text(FILE, encoding="utf-8")
    found = read_references(file)

    assert [
        PaperName("doi", "10.1000/one"),
        PaperName("arxiv", "2401.00001"),
        PaperName("pmid", "10706275"),
        PaperName("title", "Gödel's Gauges of the Moon"),
        PaperName("doi", "10.1000/after"),
    ] == found.names
    assert "five" in found.unread
    assert 2 == len(found.unread)


@pytest.mark.parametrize(
    ("field", "value", "name"),
    [
        ("doi", "10.1000/foo%28bar%29", PaperName("doi", "10.1000/foo(bar)")),
        ("doi", r"10.1000/foo\%28bar\%29", PaperName("doi", "10.1000/foo(bar)")),
        ("doi", "10.1000/a--b~c''d", PaperName("doi", "10.1000/a--b~c''d")),
        ("doi", r"10.1000/a\_b{\_}c\&d\#e", PaperName("doi", "10.1000/a_b_c&d#e")),
        ("url", "https://doi.org/10.1016%2Fj.cell.2019", PaperName("doi", "10.1016/j.cell.2019")),
        ("url", r"\url{https://doi.org/10.1000/one}", PaperName("doi", "10.1000/one")),
        (
            "title",
            r"50\% of {G}auges -- and na{\"i}ve keepers",
            "50% of Gauges – and naïve keepers",
        ),
    ],
)
def test_latex_is_decoded_in_titles_alone(
    tmp_path: Path, field: str, value: str, name: PaperName | str
) -> None:
    """Ids and URLs are no text: in them only what has to be escaped is."""
    file = tmp_path / "field.bib"
    file.write_text(f"@article{{one, {field} = {{{value}}}}}", encoding="utf-8")
    wanted = PaperName("title", name) if isinstance(name, str) else name

    assert [wanted] == read_references(file).names


def test_file_that_is_none_is_refused(tmp_path: Path) -> None:
    """By words that name it."""
    with pytest.raises(InvalidInput, match=r"none\.bib"):
        read_references(tmp_path / "none.bib")


CSL = """[
 {"id": "one", "type": "article-journal", "title": "One", "DOI": "https://doi.org/10.1000/One"},
 {"id": 2, "title": "Two", "DOI": "10.48550/arXiv.2401.00001"},
 {"id": "three", "title": "Three", "note": "PMCID: PMC12166625\\nread in March"},
 {"id": "four", "title": "Gauges of the Moon", "author": "damaged"},
 {"id": "five", "title": {"damaged": 5}}, 7, null
]"""
RIS = """TY  - JOUR
ID  - one
TI  - One
AU  - Heron, Ada
DO  - 10.1000/One
ER  -
TY  - RPRT
T1  - Gauges of the Moon
AN  - 10706275
UR  - https://gauges.test/4
TY  - GEN
N1  - nothing
ER  -
TY  - GEN
L2  - https://arxiv.org/abs/2401.00001v2
"""
NAMES = {
    "one": PaperName("doi", "10.1000/one"),
    "two": PaperName("arxiv", "2401.00001"),
    "three": PaperName("pmcid", "PMC12166625"),
    "four": PaperName("title", "Gauges of the Moon"),
}


def test_csl_json_names_papers(tmp_path: Path) -> None:
    """By its fields and the lines of its notes; a list, or an object that has one."""
    file = tmp_path / "library.json"
    for text in (CSL, f'{{"items": {CSL}}}'):
        file.write_text(text, encoding="utf-8")
        found = read_references(file)

        assert list(NAMES.values()) == found.names
        assert ["five", "item 6", "item 7"] == list(found.unread)


def test_ris_names_papers(tmp_path: Path) -> None:
    """Numbers of databases name none, and a record without an end is read, too."""
    file = tmp_path / "library.ris"
    file.write_text(RIS, encoding="utf-8-sig")
    found = read_references(file)

    assert [NAMES["one"], NAMES["four"], NAMES["two"]] == found.names
    assert ["line 11"] == list(found.unread)


@pytest.mark.parametrize("text", ['{"items": 7}', "[{", "[" * 100_000])
def test_json_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    """With the file's name."""
    file = tmp_path / "damaged.json"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(InvalidInput, match=r"damaged\.json is no CSL-JSON"):
        read_references(file)
