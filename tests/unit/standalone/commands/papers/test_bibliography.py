"""Papers are named by the entries of a BibTeX file, whatever is damaged in it."""

from pathlib import Path

import pytest

from scops.common.contract.errors import InvalidInput
from scops.libraries.papers.names import PaperName
from scops.standalone.commands.papers.bibliography import read_bibliography

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
    found = read_bibliography(file)

    assert [
        PaperName("doi", "10.1000/one"),
        PaperName("arxiv", "2401.00001"),
        PaperName("pmid", "10706275"),
        PaperName("title", "Gödel's Gauges of the Moon"),
        PaperName("doi", "10.1000/after"),
    ] == found.names
    assert "five" in found.unread
    assert 2 == len(found.unread)


def test_file_that_is_none_is_refused(tmp_path: Path) -> None:
    """By words that name it."""
    with pytest.raises(InvalidInput, match=r"none\.bib"):
        read_bibliography(tmp_path / "none.bib")
