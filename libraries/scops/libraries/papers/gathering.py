"""Asks several services at once, each at its own pace, and joins what they say."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from scops.libraries.papers.likeness import title_likeness
from scops.libraries.papers.merging import merged_papers
from scops.libraries.papers.names import (
    ARXIV,
    DOI,
    PMCID,
    PMID,
    TITLE,
    PaperName,
)
from scops.libraries.papers.paper import Paper
from scops.libraries.papers.port import (
    FoundPapers,
    NotOffered,
    PaperSource,
    SkippedPaper,
    Years,
)
from scops.libraries.papers.record import PaperRecord

# A title that was typed or printed elsewhere differs by little.
TITLE_LIKENESS_MIN = 0.9
# Under which a service may know a paper that another has under a further id.
FURTHER = (DOI, ARXIV, PMID, PMCID)
Asking = Callable[[PaperSource], FoundPapers]


@dataclass
class Gathered:
    """What services said.

    Attributes:
        papers: joined, the best first.
        skipped: records that could not be read.
        faults: of services that did not answer, by service.
        not_offered: what services do not answer, by service.
    """

    papers: list[Paper] = field(default_factory=list)
    skipped: list[SkippedPaper] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    not_offered: dict[str, str] = field(default_factory=dict)


class PaperGathering:
    """Services that are asked together, in a thread each.

    Not for several threads at once: a service would have several requests under way.
    """

    def __init__(self, sources: Sequence[PaperSource]) -> None:
        self._sources = sources

    def search(self, words: str, *, years: Years, limit: int) -> Gathered:
        """Returns papers about words: those that several services place high come first."""
        gathered = Gathered()
        found = self._asked(lambda one: one.search(words, years=years, limit=limit), gathered)
        papers = merged_papers(record for part in found for record in part.records)
        ranks = {
            id(record): place
            for part in found
            for place, record in enumerate(part.records, start=1)
        }
        inside = [paper for paper in papers if _is_within(paper, years)]
        inside.sort(key=lambda paper: _score(paper, ranks), reverse=True)
        gathered.papers = inside[:limit]
        return gathered

    def look_up(self, name: PaperName) -> Gathered:
        """Returns the paper of a name, or none; then by its other ids, of those who know them."""
        gathered = Gathered()
        records = self._records(name, self._sources, gathered)
        gathered.papers = merged_papers(self._further(records, name, gathered))[:1]
        return gathered

    def completed(self, paper: Paper) -> Gathered:
        """Returns a paper with what services say of it that have not said anything yet."""
        gathered = Gathered()
        records = self._further(list(paper.records), None, gathered)
        gathered.papers = merged_papers(records)[:1]
        return gathered

    def _further(
        self, records: list[PaperRecord], name: PaperName | None, gathered: Gathered
    ) -> list[PaperRecord]:
        """Asks those who said nothing, by ids that others told."""
        asked = {(name.kind, name.value)} if name is not None else set()
        for _ in FURTHER:
            silent = [one for one in self._sources if not _has_said(one, records)]
            ids = [
                (kind, value)
                for record in records
                for kind, value in record.ids.items()
                if kind in FURTHER and (kind, value) not in asked
            ]
            if not silent or not ids:
                break
            asked.add(ids[0])
            records += self._records(PaperName(*ids[0]), silent, gathered)
        return records

    def related(self, paper: Paper, *, citations: bool, limit: int) -> Gathered:
        """Returns papers that a paper cites, or that cite it."""
        gathered = Gathered()
        own = {record.service: record for record in paper.records}

        def asking(source: PaperSource) -> FoundPapers:
            if source.service not in own:
                raise NotOffered("it does not know the paper")
            ask = source.citations if citations else source.references
            return ask(own[source.service], limit=limit)

        found = self._asked(asking, gathered)
        papers = merged_papers(record for part in found for record in part.records)
        gathered.papers = papers[:limit]
        return gathered

    def _records(
        self, name: PaperName, sources: Sequence[PaperSource], gathered: Gathered
    ) -> list[PaperRecord]:
        found = self._asked(lambda one: one.look_up(name), gathered, sources)
        records = [record for part in found for record in part.records]
        if name.kind != TITLE:
            return [one for one in records if one.ids.get(name.kind, name.value) == name.value]
        return [one for one in records if _is_titled(one.title, name.value)]

    def _asked(
        self, asking: Asking, gathered: Gathered, sources: Sequence[PaperSource] | None = None
    ) -> list[FoundPapers]:
        some = self._sources if sources is None else sources
        if not some:
            return []

        def told(source: PaperSource) -> FoundPapers | NotOffered | OSError:
            try:
                return asking(source)
            except (NotOffered, OSError) as error:
                return error

        with ThreadPoolExecutor(max_workers=len(some)) as pool:
            answers = list(pool.map(told, some))
        found = []
        for source, answer in zip(some, answers, strict=True):
            if isinstance(answer, NotOffered):
                gathered.not_offered[source.service] = str(answer)
            elif isinstance(answer, OSError):
                gathered.faults[source.service] = str(answer)
            else:
                gathered.skipped += answer.skipped
                found.append(answer)
        return found


def _has_said(source: PaperSource, records: Sequence[PaperRecord]) -> bool:
    return any(record.service == source.service for record in records)


def _is_titled(title: str, asked: str) -> bool:
    """Says whether a paper has a title, with or without its subtitle."""
    heads = (title, title.partition(": ")[0])
    return any(title_likeness(head, asked) >= TITLE_LIKENESS_MIN for head in heads)


def _is_within(paper: Paper, years: Years) -> bool:
    """Says whether a paper is of some years; one whose year nobody says is."""
    year = paper.year
    if year is None:
        return True
    return (years.first or year) <= year <= (years.last or year)


# Reciprocal rank fusion (Cormack et al., SIGIR 2009), with its constant.
_RANK_CONSTANT = 60


def _score(paper: Paper, ranks: dict[int, int]) -> float:
    return sum(1 / (_RANK_CONSTANT + ranks[id(record)]) for record in paper.records)


def skipped_json(skipped: Sequence[SkippedPaper]) -> Iterator[dict[str, Any]]:
    """Yields skipped records for programs."""
    for one in skipped:
        yield {"service": one.service, "what": one.what, "why": one.why}
