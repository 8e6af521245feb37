"""`scops papers ask`: answers from papers, which are looked for where none here has an answer."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.standalone.commands.answer_view import show_answer
from scops.standalone.commands.keyphrases import keyphrases_of
from scops.standalone.commands.papers.finding import count_in, found_by
from scops.standalone.commands.papers.options import Server, Service, YearRange, years_of
from scops.standalone.commands.papers.telling import services_json, tell_services
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.exits import Exit
from scops.standalone.terminal.output import Output, as_json, diagnostics, print_json

if TYPE_CHECKING:
    from scops.libraries.papers.port import Years
    from scops.standalone.commands.papers.scoped.acquiring import AcquiredPaper
    from scops.standalone.commands.papers.services import PaperServices

PAPERS_MAX, KEYPHRASES_MAX = 50, 10
COVERED, SPENT, NOTHING_LEFT = "covered", "papers", "nothing_left"


@dataclass(slots=True)
class PaperLook:
    """A search for papers, and what was taken of it."""

    words: str
    found: int
    taken: list["AcquiredPaper"] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        papers = [one.as_json() for one in self.taken]
        return {"searched_by": self.words, "found": self.found, "papers": papers}


class PaperLooks:
    """Searches for papers, each of which takes some into a scope.

    Attributes:
        made: in their order.
        gathered: what services said in all of them.
    """

    def __init__(
        self,
        client: GatewayClient,
        services: "PaperServices",
        scope: str,
        *,
        years: "Years",
        timeout_seconds: float,
    ) -> None:
        from scops.libraries.papers.gathering import Gathered

        self.made: list[PaperLook] = []
        self.gathered = Gathered()
        self._client, self._services, self._scope = client, services, scope
        self._years, self._timeout_seconds = years, timeout_seconds

    @property
    def taken(self) -> list["AcquiredPaper"]:
        """The papers of all searches."""
        return [one for look in self.made for one in look.taken]

    def look(self, words: str, *, room: int) -> PaperLook:
        """Searches, and takes as many papers as there is room for that were not taken before."""
        from scops.libraries.papers.merging import merged_papers
        from scops.standalone.commands.files.adding import AddedFiles
        from scops.standalone.commands.papers.scoped.acquiring import PaperAcquisition

        known = {one.paper.name for one in self.taken}
        found = found_by(self._services, words, years=self._years, limit=room + len(known))
        count_in(self.gathered, found)
        merged = merged_papers(record for paper in found.papers for record in paper.records)
        new = [
            paper
            for paper in merged
            if paper.name is not None and paper.name not in known and not paper.retracted
        ]
        look = PaperLook(words, len(merged))
        if new:
            acquisition = PaperAcquisition(
                self._client, self._scope, timeout_seconds=self._timeout_seconds
            )
            look.taken = acquisition.take(new[:room], AddedFiles())
        self.made.append(look)
        return look


def ask_papers(
    question: Annotated[str, typer.Argument(help="What is asked.")],
    *,
    scope: Annotated[
        str, typer.Option(help="The papers that are asked, and where further ones are taken.")
    ],
    papers: Annotated[
        int, typer.Option(help="Papers that may be taken for it.", min=0, max=PAPERS_MAX)
    ] = 5,
    phrases: Annotated[
        int,
        typer.Option(
            "--keyphrases",
            help="Keyphrases of the question that are searched by, then half of them, then one.",
            min=1,
            max=KEYPHRASES_MAX,
        ),
    ] = 4,
    search: Annotated[
        str, typer.Option("--search", help="Searches by these words, not by keyphrases.")
    ] = "",
    years: YearRange = "",
    timeout_seconds: Annotated[
        float, typer.Option(help="Give up waiting for texts after this; the crawl goes on.", min=1)
    ] = 600.0,
    service: Service = None,
    server: Server = None,
) -> None:
    """Answers from papers of a scope; where they have no answer, from such as are looked for.

    Services are searched by the keyphrases of the question, which are shown; what everybody may
    read is taken into the scope, a few papers at a time, until the question is answered or no more
    may be taken. Retracted papers are left out. See docs/papers.md.
    """
    from scops.standalone.commands.papers.scoped.known import ensure_scope
    from scops.standalone.commands.papers.services import PaperServices

    wanted = years_of(years)
    with open_gateway() as client, PaperServices.of_command(service, server) as services:
        ensure_scope(client, scope)
        answer = _answer(client, question, scope)
        looks = PaperLooks(client, services, scope, years=wanted, timeout_seconds=timeout_seconds)
        for words in _searches(question, phrases, search):
            room = papers - len(looks.taken)
            if answer.answered or room <= 0:
                break
            diagnostics.print(f"[dim]searched by:[/dim] {escape(words)}")
            if looks.look(words, room=room).taken:
                answer = _answer(client, question, scope)
    if Output.is_json():
        told = {
            "stop_reason": _stopped(answer, papers - len(looks.taken)),
            "answer": as_json(answer),
            "looks": [look.as_json() for look in looks.made],
        }
        print_json(told | services_json(looks.gathered, services.uses()))
    else:
        for look in looks.made:
            diagnostics.print(f"[dim]{len(look.taken)} of {look.found} papers taken[/dim]")
        show_answer(answer)
        tell_services(looks.gathered, services.uses())
    if not answer.answered:
        raise typer.Exit(Exit.NOT_ANSWERED)


def _searches(question: str, phrases: int, search: str) -> Iterator[str]:
    """Yields what services are searched by: what was said, or ever fewer keyphrases."""
    if search:
        yield search
        return
    found = [one.text for one in keyphrases_of(question, limit=phrases)]
    count = len(found)
    while count:
        yield " ".join(found[:count])
        count //= 2


def _answer(client: GatewayClient, question: str, scope: str) -> pb.AnswerResponse:
    request = pb.AnswerRequest(query=question, scopes=[f"scopes/{scope}"])
    return client.call(client.search.Answer, request)


def _stopped(answer: pb.AnswerResponse, room: int) -> str:
    """Returns why no more papers are looked for."""
    if answer.answered:
        return COVERED
    return SPENT if room <= 0 else NOTHING_LEFT
