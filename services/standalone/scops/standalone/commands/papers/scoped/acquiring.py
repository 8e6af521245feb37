"""Takes papers into a scope: their texts by a crawl, their records as pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scops.libraries.papers.paper import Paper
from scops.libraries.papers.places import best_places
from scops.libraries.papers.record import PaperLocation
from scops.libraries.papers.record_page import (
    COLLECTION,
    MEDIA_TYPE,
    NO_TEXT,
    TEXT,
    licence_of,
    record_html,
    same_facts,
    stated_lines,
)
from scops.standalone.commands.files.adding import AddedFiles, Adding
from scops.standalone.commands.files.documents import FileDocument
from scops.standalone.commands.papers.scoped.known import KnownRecords
from scops.standalone.commands.papers.scoped.moved import stated_first
from scops.standalone.commands.papers.scoped.texts import FetchedText, PaperTexts
from scops.standalone.terminal.client import GatewayClient

RETRACTED = "it is retracted; --retracted takes it all the same"
CLOSED = "no service knows a place where everybody may read it"
FAILED = "no place gave it"


@dataclass
class AcquiredPaper:
    """What became of a paper.

    Attributes:
        record_uri: of the page of its record.
        text: where its text was read; None where it was not.
        why: there is no text; empty where there is.
        tried: places that did not give it, with why.
        unchanged: its record stood as it is.
    """

    paper: Paper
    record_uri: str
    text: PaperLocation | None = None
    why: str = ""
    tried: list[tuple[str, str]] = field(default_factory=list)
    unchanged: bool = False

    def as_json(self) -> dict[str, Any]:
        """Returns it for programs."""
        place = self.text
        said: dict[str, Any] = {
            "name": str(self.paper.name or ""),
            "title": self.paper.fact("title"),
            "record": self.record_uri,
            "unchanged": self.unchanged,
            "retracted": self.paper.retracted,
            "licence": licence_of(self.paper, place),
            "text": place.url if place is not None else "",
            "why": self.why,
            "tried": [{"url": url, "why": why} for url, why in self.tried],
        }
        if place is not None:
            said |= {"said_by": place.said_by, "status": place.status, "version": place.version}
        return said


class PaperAcquisition:
    """Takes papers into a scope.

    Args:
        retracted: whether texts of retracted papers are taken, too.
        timeout_seconds: of a job, and until records are indexed.
    """

    def __init__(
        self,
        client: GatewayClient,
        scope: str,
        *,
        retracted: bool = False,
        timeout_seconds: float = 600.0,
    ) -> None:
        self._client, self._scope = client, scope
        self._retracted, self._timeout_seconds = retracted, timeout_seconds
        self._known = KnownRecords(client, scope)

    def take(self, papers: Sequence[Paper], tally: AddedFiles) -> list[AcquiredPaper]:
        """Takes papers, each once; what is here as it is said is left as it is.

        Args:
            papers: with ids.
            tally: of their records.

        Raises:
            CommandError: a job has not ended in time.
            scops.client.ScopsError: the gateway refuses.
        """
        acquired = {self._known.uri_of(one): one for one in papers}
        found = [AcquiredPaper(paper, uri) for uri, paper in acquired.items()]
        wanted = {one.record_uri: self._places(one) for one in found}
        texts = PaperTexts(self._client, self._scope, timeout_seconds=self._timeout_seconds).fetch(
            {uri: places for uri, places in wanted.items() if places}
        )
        for one in found:
            self._note(one, texts)
        self._record(found, tally)
        return found

    def _places(self, one: AcquiredPaper) -> list[PaperLocation]:
        if one.paper.retracted and not self._retracted:
            one.why = RETRACTED
            return []
        places = best_places(one.paper.locations)
        one.why = FAILED if places else CLOSED
        # What gave the text once is asked first: a page of the scope is no other by a new order.
        known = self._known.find(one.record_uri)
        said = known.lines.get(TEXT, NO_TEXT) if known is not None else NO_TEXT
        if said == NO_TEXT:
            return places
        return stated_first(places, said)

    def _note(self, one: AcquiredPaper, texts: Mapping[str, FetchedText]) -> None:
        found = texts.get(one.record_uri)
        if found is None:
            return
        one.text, one.tried = found.place, found.tried
        if found.place is not None:
            one.why = ""

    def _record(self, found: Sequence[AcquiredPaper], tally: AddedFiles) -> None:
        """Sends the records that say something else than before, and waits for them."""
        documents = []
        for one in found:
            known = self._known.find(one.record_uri)
            if known is not None and same_facts(stated_lines(one.paper, one.text), known):
                one.unchanged = True
                tally.unchanged += 1
                continue
            documents.append(
                FileDocument(
                    uri=one.record_uri,
                    content=record_html(one.paper, one.text),
                    media_type=MEDIA_TYPE,
                    charset="utf-8",
                )
            )
        if not documents:
            return
        adding = Adding(self._client, self._scope, COLLECTION)
        adding.add_documents(documents, tally)
        for _ in adding.wait(tally, seconds=self._timeout_seconds):
            pass
