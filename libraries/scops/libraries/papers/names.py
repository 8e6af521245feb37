"""Names of papers: DOIs, arXiv ids, PubMed ids and titles, in one normal form each."""

import re
from dataclasses import dataclass
from urllib.parse import unquote

DOI, ARXIV, PMID, PMCID, TITLE = "doi", "arxiv", "pmid", "pmcid", "title"
OPENALEX, SEMANTIC_SCHOLAR, CORE = "openalex", "s2", "core"
# By which of its names a paper is called, the first that it has.
NAME_ORDER = (DOI, ARXIV, PMID, PMCID, OPENALEX, SEMANTIC_SCHOLAR, CORE)
# DOI Handbook, section 2.2: a prefix of 10 and a registrant, a slash, any suffix.
_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,3}/[^\s\"<>]{1,400}")
# A whole one has angle brackets, too, such as of SICI (ANSI/NISO Z39.56), which end in none.
_WHOLE_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,3}/[^\s\"]{1,399}[^\s\"<>]")
# https://info.arxiv.org/help/arxiv_identifier.html: since April 2007, and before.
_ARXIV = re.compile(
    r"(?:[0-9]{4}\.[0-9]{4,5}|[a-z-]{2,20}(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]{1,3})?"
)
_VERSION = re.compile(r"v[0-9]{1,3}$")
_ARXIV_DOI = "10.48550/arxiv."
_ARXIV_PLACES = ("arxiv.org/abs/", "arxiv.org/pdf/", "arxiv.org/html/", "arxiv:")
_PLACES = ("doi.org/", "doi:")
_CLOSING = ".,;:"


@dataclass(frozen=True, slots=True)
class PaperName:
    """What a paper is asked for by.

    Attributes:
        kind: doi, arxiv, pmid, pmcid or title.
        value: in its normal form; a title as it was written.
    """

    kind: str
    value: str

    def __str__(self) -> str:
        return self.value if self.kind == TITLE else f"{self.kind}:{self.value}"


def paper_name(words: str) -> PaperName:
    """Returns what words name: an id by its form, else a title.

    Args:
        words: such as `10.1038/35002501`, `https://doi.org/…`, `arXiv:1605.08386`, `pmid:107062`,
            `PMC12166625` or a title.
    """
    text = " ".join(words.split())
    lower = text.lower()
    if lower.startswith("pmid:") and lower[5:].strip().isdigit():
        return PaperName(PMID, lower[5:].strip())
    pmcid = lower.removeprefix("pmcid:").strip()
    if pmcid.startswith("pmc") and pmcid[3:].isdigit():
        return PaperName(PMCID, pmcid.upper())
    arxiv = arxiv_id(text)
    if arxiv:
        return PaperName(ARXIV, arxiv)
    doi = normal_doi(text)
    return PaperName(DOI, doi) if doi else PaperName(TITLE, text)


def normal_doi(text: str) -> str:
    """Returns a DOI in lower case, without resolver; empty where there is none in the text.

    DOIs are compared without regard to case (DOI Handbook, section 2.4). One that arXiv gives is
    none here: its paper is named by its arXiv id.
    """
    rest = text.strip().lower()
    for place in _PLACES:
        if place in rest:
            rest = rest.partition(place)[2].strip()
            break
    plain = unquote(rest)
    first = plain.split(maxsplit=1)[0].rstrip(_CLOSING) if plain.strip() else ""
    is_closed = first.count("<") == first.count(">")
    found = (_WHOLE_DOI.fullmatch(first) if is_closed else None) or _DOI.match(plain)
    doi = found[0].rstrip(_CLOSING) if found else ""
    return "" if doi.startswith(_ARXIV_DOI) else doi


def arxiv_id(text: str) -> str:
    """Returns an arXiv id without its version; empty where the text is none."""
    return _VERSION.sub("", versioned_arxiv_id(text))


def versioned_arxiv_id(text: str) -> str:
    """Returns an arXiv id with its version, where it names one; empty where the text is none."""
    rest = text.strip().lower()
    for place in (*_ARXIV_PLACES, _ARXIV_DOI):
        if place in rest:
            rest = rest.partition(place)[2].strip()
            break
    rest = rest.removesuffix(".pdf")
    return rest if _ARXIV.fullmatch(rest) else ""


def said_ids(**said: object) -> dict[str, str]:
    """Returns the ids that a service gives, in their normal forms, without those of other forms.

    Args:
        said: by kind; what is no text or number counts as none.
    """
    found: dict[str, str] = {}
    for kind, value in said.items():
        text = str(value).strip() if isinstance(value, str | int) else ""
        normal = _normal(kind, text)
        if normal:
            found.setdefault(normal[0], normal[1])
    return found


def _normal(kind: str, text: str) -> tuple[str, str] | None:
    if kind in (DOI, ARXIV) and (named := arxiv_id(text)):
        return ARXIV, named
    if kind == DOI:
        value = normal_doi(text)
    elif kind == ARXIV:
        value = ""
    elif kind == PMCID:
        digits = text.rstrip("/").rpartition("/")[2].upper().removeprefix("PMC")
        value = f"PMC{digits}" if digits.isdigit() else ""
    elif kind == PMID:
        digits = text.rstrip("/").rpartition("/")[2]
        value = digits if digits.isdigit() else ""
    else:
        value = text.rstrip("/").rpartition("/")[2]
    return (kind, value) if value else None
