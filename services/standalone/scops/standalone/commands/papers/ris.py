"""Names of papers in RIS, as reference managers and publishers write it.

Read are the tags that name a paper alone. Source: https://en.wikipedia.org/wiki/RIS_(file_format).
"""

import re
from collections.abc import Iterator

from scops.standalone.commands.papers.bibliography import Bibliography

# Two characters, two spaces, a dash; some write one space or none behind it.
_TAG = re.compile(r"([A-Z][A-Z0-9])  ?-(.*)")
# Numbers of databases (AN) are those of any: as PubMed's they would name other papers.
_FIELDS = {"DO": "doi", "UR": "url", "L2": "url", "TI": "title", "T1": "title"}
_BEGIN, _END, _KEY = "TY", "ER", "ID"


def is_ris(text: str) -> bool:
    """Says whether a text begins as RIS does."""
    found = _TAG.match(text.lstrip())
    return found is not None and found[1] == _BEGIN


def read_ris(text: str) -> Bibliography:
    """Reads RIS; a record without a name is told by the line on which it begins."""
    found = Bibliography()
    for line, fields in _records(text):
        found.add(fields.pop(_KEY, f"line {line}"), fields)
    return found


def _records(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    begin, fields = 0, dict[str, str]()
    for number, line in enumerate(text.splitlines(), start=1):
        tag = _TAG.match(line)
        if tag is None:
            continue
        name, value = tag[1], tag[2].strip()
        if name == _BEGIN:
            # One that has no end ends here.
            if begin:
                yield begin, fields
            begin, fields = number, {}
        elif name == _END and begin:
            yield begin, fields
            begin, fields = 0, {}
        elif begin and value and (name in _FIELDS or name == _KEY):
            fields.setdefault(_FIELDS.get(name, name), value)
    if begin:
        yield begin, fields
