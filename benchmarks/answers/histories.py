"""Citations of documents that change: three later versions by edits whose truth is known."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from pathlib import Path
from urllib.parse import quote

from benchmarks.answers.edits import EditedDocument, first_version, next_version
from benchmarks.answers.sets import BLANK, html_page, read_histories
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.crawling import crawl
from benchmarks.shared.system.html_pages import PREFIX
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.system import System
from scops.api.v1alpha1 import search_service_pb2 as pb

HISTORIES = "histories"
DOCUMENTS = 48
BLOCKS_MIN = 16
BLOCKS_MAX = 60
LATER_VERSIONS = 3
SENTENCES_PER_DOCUMENT = 12
QUESTIONS_PER_DOCUMENT = 2
SEED = 11
STATES = {
    "same": pb.ResolvedCitation.ANCHOR_SAME,
    "moved": pb.ResolvedCitation.ANCHOR_MOVED,
    "superseded": pb.ResolvedCitation.ANCHOR_SUPERSEDED,
}


@dataclass(slots=True)
class ShownDocument:
    """A document on the site, as it stands now."""

    title: str
    edited: EditedDocument

    @property
    def body(self) -> bytes:
        """The page that shows it."""
        return html_page(self.title, [f"<p>{escape(text)}</p>" for text in self.edited.blocks])


@dataclass(slots=True)
class Followed:
    """What became of the citations.

    Attributes:
        cited: by answers to the first versions; to be resolved after the later ones.
        right: for each sentence followed, whether its anchor is what the edits made of it.
        wrong: some that were not, to look at.
    """

    cited: list[pb.Citation] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def history_pages(folder: Path) -> dict[str, ShownDocument]:
    """Returns documents by the path of their page."""
    chance = random.Random(SEED)
    histories = read_histories(folder, versions=1)
    chance.shuffle(histories)
    documents: dict[str, ShownDocument] = {}
    for name, texts in histories:
        blocks = [" ".join(block.split()) for block in BLANK.split(texts[0])]
        blocks = [block for block in blocks if block and not block.startswith("---")]
        if len(blocks) < BLOCKS_MIN or len(documents) >= DOCUMENTS:
            continue
        path = f"{PREFIX}{HISTORIES}/{quote(name, safe='')}.html"
        documents[path] = ShownDocument(name, first_version(blocks[:BLOCKS_MAX]))
    return documents


def follow_histories(
    system: System,
    client: Client,
    origin: Origin,
    documents: Mapping[str, ShownDocument],
    take: Callable[[pb.AnswerResponse], str],
) -> Followed:
    """Cites the first versions, serves three later ones, and looks the citations up again."""
    chance, followed = random.Random(SEED), Followed()
    sentences: list[tuple[str, pb.Citation]] = []
    for path, document in documents.items():
        for text in _sampled(document, chance, QUESTIONS_PER_DOCUMENT):
            answer = client.answer(HISTORIES, text)
            take(answer)
            followed.cited += answer.citations
        for text in _sampled(document, chance, SENTENCES_PER_DOCUMENT):
            citation = _citation(client, origin.url + path, text)
            if citation is not None:
                sentences.append((path, citation))
    for _ in range(LATER_VERSIONS):
        for path, document in documents.items():
            document.edited = next_version(document.edited, document.title, chance)
            origin.edit(path, document.body)
        crawl(system, client, HISTORIES, origin)
    for path, citation in sentences:
        expected = STATES[documents[path].edited.states[citation.quote]]
        resolved = client.resolve([citation])[0]
        followed.right.append(resolved.anchor == expected and resolved.verbatim)
        if resolved.anchor != expected:
            followed.wrong.append(f"{path}: {citation.quote[:80]!r} {expected} {resolved.anchor}")
    return followed


def _sampled(document: ShownDocument, chance: random.Random, count: int) -> list[str]:
    texts = list(document.edited.states)
    return chance.sample(texts, min(count, len(texts)))


def _citation(client: Client, uri: str, text: str) -> pb.Citation | None:
    """Returns the citation of a sentence of a page, where a search for it finds it."""
    for passage in client.search(HISTORIES, text, limit=5):
        place = passage.text.find(text)
        if place < 0 or passage.uri != uri:
            continue
        start = passage.start + place
        return pb.Citation(
            number=1,
            page=passage.page,
            version=passage.version,
            uri=passage.uri,
            start=start,
            end=start + len(text),
            quote=text,
            quote_digest=sha256(text.encode()).hexdigest(),
        )
    return None
