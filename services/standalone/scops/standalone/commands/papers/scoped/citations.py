"""Citations of papers on record: BibTeX, CSL-JSON and RIS.

Source: https://docs.citationstyles.org/en/stable/specification.html (CSL-JSON), and the fields of
RIS as reference managers read them (https://en.wikipedia.org/wiki/RIS_(file_format)).
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from scops.libraries.papers.licences import licence_url
from scops.libraries.papers.likeness import family_name, folded_words
from scops.libraries.papers.names import ARXIV, DOI, PMCID, PMID
from scops.libraries.papers.record_page import LICENCE, RETRACTED, RecordPage

BIBTEX_KINDS = {
    "article-journal": "article",
    "paper-conference": "inproceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
}
RIS_KINDS = {
    "article-journal": "JOUR",
    "paper-conference": "CPAPER",
    "book": "BOOK",
    "chapter": "CHAP",
    "thesis": "THES",
    "report": "RPRT",
    "dataset": "DATA",
    "entry-encyclopedia": "ENCYC",
}
# What a journal is called there.
VENUES = {"inproceedings": "booktitle", "incollection": "booktitle"}
MARKED = "RETRACTED: "
_KEY = re.compile(r"[^a-z0-9]")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_ESCAPES = str.maketrans(_SPECIAL)
# Their words are escaped where they are made, or are none.
_VERBATIM = ("author", "doi", "url", "eprint")


def as_bibtex(pages: Sequence[RecordPage]) -> str:
    """Returns BibTeX entries, in UTF-8, as biber and current BibTeX read them."""
    entries = zip(citation_keys(pages), pages, strict=True)
    return "\n".join(_bibtex_entry(key, page) for key, page in entries)


def as_csl_json(pages: Sequence[RecordPage]) -> str:
    """Returns a JSON array of CSL items."""
    items = [_csl_item(key, page) for key, page in zip(citation_keys(pages), pages, strict=True)]
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"


def as_ris(pages: Sequence[RecordPage]) -> str:
    """Returns RIS records."""
    return "".join(f"{''.join(_ris_lines(page))}ER  - \r\n\r\n" for page in pages)


FORMATS: dict[str, Callable[[Sequence[RecordPage]], str]] = {
    "bib": as_bibtex,
    "csl": as_csl_json,
    "ris": as_ris,
}


def citation_keys(pages: Sequence[RecordPage]) -> list[str]:
    """Returns a key of each, such as `herger2025high`; of several alike the later have a number."""
    keys: list[str] = []
    seen: dict[str, int] = {}
    for page in pages:
        family = family_name(page.authors[0]) if page.authors else ""
        words = [word for word in folded_words(page.title) if len(word) > 3]
        begin = "".join(folded_words(family)), page.fact("published")[:4], *words[:1]
        key = _KEY.sub("", "".join(begin)) or "paper"
        seen[key] = seen.get(key, 0) + 1
        keys.append(key if seen[key] == 1 else f"{key}-{seen[key]}")
    return keys


def _bibtex_entry(key: str, page: RecordPage) -> str:
    kind = BIBTEX_KINDS.get(page.fact("kind"), "misc")
    published = page.fact("published")
    fields = {
        "title": _titled(page),
        "author": " and ".join(_bibtex_name(page)),
        "year": published[:4],
        "month": published[5:7].lstrip("0"),
        VENUES.get(kind, "journal"): page.fact("venue"),
        "publisher": page.fact("publisher"),
        "volume": page.fact("volume"),
        "number": page.fact("issue"),
        "pages": page.fact("pages").replace("–", "--"),
        "doi": page.ids.get(DOI, ""),
        "eprint": page.ids.get(ARXIV, ""),
        "eprinttype": "arxiv" if ARXIV in page.ids else "",
        "pmid": page.ids.get(PMID, ""),
        "url": _url(page),
        "note": _notes(page),
    }
    lines = (
        f"  {name} = {{{value if name in _VERBATIM else value.translate(_ESCAPES)}}}"
        for name, value in fields.items()
        if value
    )
    return f"@{kind}{{" + ",\n".join((key, *lines)) + "\n}\n"


def _bibtex_name(page: RecordPage) -> Iterator[str]:
    for author in page.authors:
        family, given = author.family.translate(_ESCAPES), author.given.translate(_ESCAPES)
        name = author.name.translate(_ESCAPES)
        if family:
            yield f"{family}, {given}" if given else family
        else:
            # Its own braces keep a name that holds the word from being divided.
            yield f"{{{name}}}" if " and " in name else name


def _csl_item(key: str, page: RecordPage) -> dict[str, Any]:
    date = [int(part) for part in page.fact("published").split("-") if part.isdigit()]
    said: dict[str, Any] = {
        "id": key,
        "type": page.fact("kind") or "document",
        "title": _titled(page),
        "author": [
            {"family": one.family, "given": one.given} if one.family else {"literal": one.name}
            for one in page.authors
        ],
        "issued": {"date-parts": [date]} if date else {},
        "container-title": page.fact("venue"),
        "publisher": page.fact("publisher"),
        "volume": page.fact("volume"),
        "issue": page.fact("issue"),
        "page": page.fact("pages"),
        "language": page.fact("language"),
        "DOI": page.ids.get(DOI, ""),
        "PMID": page.ids.get(PMID, ""),
        "PMCID": page.ids.get(PMCID, ""),
        "URL": _url(page),
        "note": _notes(page),
    }
    return {name: value for name, value in said.items() if value}


def _ris_lines(page: RecordPage) -> Iterator[str]:
    published = page.fact("published")
    first, _, last = page.fact("pages").replace("–", "-").partition("-")
    said = [
        ("TY", RIS_KINDS.get(page.fact("kind"), "GEN")),
        ("TI", _titled(page)),
        *(("AU", _ris_name(one.family, one.given, one.name)) for one in page.authors),
        ("PY", published[:4]),
        ("DA", published.replace("-", "/")),
        ("T2", page.fact("venue")),
        ("PB", page.fact("publisher")),
        ("VL", page.fact("volume")),
        ("IS", page.fact("issue")),
        ("SP", first),
        ("EP", last),
        ("DO", page.ids.get(DOI, "")),
        ("AN", page.ids.get(PMID, "")),
        ("LA", page.fact("language")),
        ("UR", _url(page)),
        ("N1", _notes(page)),
    ]
    for tag, value in said:
        if value:
            yield f"{tag}  - {value}\r\n"


def _ris_name(family: str, given: str, name: str) -> str:
    return f"{family}, {given}" if family and given else family or name


def _titled(page: RecordPage) -> str:
    return f"{MARKED}{page.title}" if RETRACTED in page.lines else page.title


def _url(page: RecordPage) -> str:
    if DOI in page.ids:
        return f"https://doi.org/{page.ids[DOI]}"
    return f"https://arxiv.org/abs/{page.ids[ARXIV]}" if ARXIV in page.ids else ""


def _notes(page: RecordPage) -> str:
    """Returns what style sheets have no field for: retraction and licence."""
    retracted = page.lines.get(RETRACTED, "")
    licence = page.lines.get(LICENCE, "")
    said = [f"Retracted: {retracted}"] if retracted else []
    return "; ".join((*said, *([f"Licence: {licence_url(licence) or licence}"] if licence else ())))
