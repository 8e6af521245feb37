"""Joins what services say of the same papers: by ids, then by title and authors."""

from collections.abc import Iterable, Sequence

from scops.libraries.papers.likeness import (
    CONFIDENCE_MIN,
    folded_words,
    joining_confidence,
)
from scops.libraries.papers.paper import BY_ID, BY_TITLE, JoinedRecord, Paper
from scops.libraries.papers.record import PaperRecord

# Titles are compared with those that begin alike: a first word with the same letters.
BEGIN_CHARACTERS = 3
Group = list[JoinedRecord]


def merged_papers(records: Iterable[PaperRecord]) -> list[Paper]:
    """Returns the papers that records are of, in the order of their first records."""
    return [Paper(tuple(group)) for group in _by_title(_by_id(records))]


def _by_id(records: Iterable[PaperRecord]) -> list[Group]:
    groups: list[Group] = []
    places: dict[tuple[str, str], Group] = {}
    for record in records:
        met = [places[id_] for id_ in record.ids.items() if id_ in places]
        group = met[0] if met else []
        if not met:
            groups.append(group)
        group.append(JoinedRecord(record, BY_ID) if met else JoinedRecord(record))
        for other in met[1:]:
            if other is not group and other in groups:
                group += [JoinedRecord(one.record, BY_ID) for one in other]
                groups = [one for one in groups if one is not other]
        for joined in group:
            places.update(dict.fromkeys(joined.record.ids.items(), group))
    return groups


def _by_title(groups: Sequence[Group]) -> list[Group]:
    kept: list[Group] = []
    begins: dict[str, list[Group]] = {}
    for group in groups:
        begin = _begin(group)
        likely = begins.get(begin, []) if begin else []
        best, confidence = None, 0.0
        for other in likely:
            found = _confidence(other, group)
            if found > confidence:
                best, confidence = other, found
        if best is None or confidence < CONFIDENCE_MIN:
            kept.append(group)
            begins.setdefault(begin, []).append(group)
            continue
        best += [JoinedRecord(one.record, BY_TITLE, confidence) for one in group]
    return kept


def _confidence(one: Group, other: Group) -> float:
    """Returns the best confidence of two records; 0 where ids of any two contradict each other."""
    ids = dict(id_ for joined in one for id_ in joined.record.ids.items())
    for joined in other:
        if any(ids.get(kind, value) != value for kind, value in joined.record.ids.items()):
            return 0.0
    return max(joining_confidence(left.record, right.record) for left in one for right in other)


def _begin(group: Group) -> str:
    titles = (joined.record.title for joined in group)
    words = next((found for title in titles if (found := folded_words(title))), [""])
    return words[0][:BEGIN_CHARACTERS]
