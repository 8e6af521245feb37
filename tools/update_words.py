"""Writes the words that say when a page was updated, by language, from catalogs of tools.

    uv run --with sphinx --with mkdocs-material --with wagtail python tools/update_words.py

Sphinx, Material for MkDocs and Wagtail put "Last updated on …" under pages in some seventy
languages: how each language says it is taken from their catalogs, word by word.
"""

import gettext
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import regex

from scops.change_detector.matching.scripts import WORDS

FILE = Path(__file__).parents[1] / (
    "services/change-detector/scops/change_detector/strategies/salient/update_words.py"
)
SPHINX = ("Last updated on %(last_updated)s.",)
WAGTAIL = ("Edited", "Published", "Last published", "Last published at")
MATERIAL = re.compile(r'"source\.file\.date\.(?:updated|created)": "([^"]+)"')
PLACEHOLDER = re.compile(r"%(?:\(\w+\))?s")
LINE_CHARACTERS = 88
LETTER = regex.compile(r"\p{L}")


def phrases() -> Iterator[tuple[str, str]]:
    """Yields languages and how they say that a page was updated or published."""
    for folder in sorted(Path(str(files("sphinx"))).glob("locale/*/LC_MESSAGES")):
        yield from _translated(folder / "sphinx.mo", folder.parent.name, SPHINX)
    for path in sorted(Path(str(files("wagtail"))).rglob("locale/*/LC_MESSAGES/*.mo")):
        yield from _translated(path, path.parents[1].name, WAGTAIL)
    templates = Path(str(files("material"))) / "templates/partials/languages"
    for path in sorted(templates.glob("*.html")):
        for phrase in MATERIAL.findall(path.read_text(encoding="utf-8")):
            yield path.stem, phrase


def _translated(path: Path, language: str, messages: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if not path.exists():
        return
    with path.open("rb") as file:
        catalog = gettext.GNUTranslations(file)
    for message in messages:
        translated = catalog.gettext(message)
        if translated != message or language == "en":
            yield language, PLACEHOLDER.sub(" ", translated)


def written() -> str:
    """Returns the file."""
    by_language: defaultdict[str, set[str]] = defaultdict(set)
    for language, phrase in [*phrases(), *(("en", phrase) for phrase in (*SPHINX, *WAGTAIL))]:
        primary = re.split(r"[-_@]", language)[0]
        plain = PLACEHOLDER.sub(" ", phrase).casefold()
        by_language[primary] |= {word for word in WORDS.findall(plain) if LETTER.match(word)}
    lines = [
        line
        for language, words in sorted(by_language.items())
        for line in _entry(language, " ".join(sorted(words)))
    ]
    return (
        '"""Words of "last updated on" in some seventy languages, by primary subtag.\n\n'
        "Source: catalogs of Sphinx (BSD), Material for MkDocs (MIT) and Wagtail (BSD);\n"
        'written by tools/update_words.py.\n"""\n\n'
        "UPDATE_WORDS = {\n" + "\n".join(lines) + "\n}\n"
    )


def _entry(language: str, words: str) -> list[str]:
    parts = textwrap.wrap(words, LINE_CHARACTERS)
    if len(parts) == 1:
        return [f'    "{language}": "{words}",']
    return [f'    "{language}": (', *(f'        "{part} "' for part in parts), "    ),"]


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
