"""Has the texts of papers fetched: as hand-picked pages of the scope, by a job, politely.

The fetcher asks for them as for any page: by robots.txt, at the pauses of their hosts, within the
rules of the scope. Where one place refuses or fails, the next best is asked; where one has moved
out of the scope, the place to which it moved is asked before that. What did not give a text leaves
the scope again.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from scops.api.v1alpha1 import job_service_pb2 as jobs_pb
from scops.client.errors import InvalidRequest
from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.libraries.papers.places import best_places
from scops.libraries.papers.record import PaperLocation
from scops.standalone.commands.crawl import follow
from scops.standalone.commands.papers.scoped.picked import PickedPages
from scops.standalone.terminal.client import GatewayClient

# Places of one paper that are asked, one after the other.
PLACES_MAX = 3
# Of one place, from where it was to where it is.
HOPS_MAX = 3
URLS_OF_A_JOB = 1000
TAKEN = ("indexed", "unchanged", "joined")
# For good, and for now.
LEADING = (("joined", "moved"), ("blocked", "redirected"))
NO_OUTCOME = "no outcome is known"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How a page of a job ended, and where it moved, out of what the job holds."""

    outcome: str = NO_OUTCOME
    reason: str = ""
    moved_to: str = ""

    @property
    def why(self) -> str:
        if self.moved_to:
            return f"moved to {self.moved_to}"
        return f"{self.outcome}: {self.reason}" if self.reason else self.outcome


@dataclass
class FetchedText:
    """What became of a paper's text.

    Attributes:
        place: where it was read; None where it was not.
        tried: places that did not give it, with why.
    """

    place: PaperLocation | None = None
    tried: list[tuple[str, str]] = field(default_factory=list)


class PaperTexts:
    """Fetches texts into a scope."""

    def __init__(self, client: GatewayClient, scope: str, *, timeout_seconds: float) -> None:
        self._client, self._name = client, f"scopes/{scope}"
        self._picked = PickedPages(client, scope)
        self._timeout_seconds = timeout_seconds

    def fetch(self, wanted: Mapping[str, Sequence[PaperLocation]]) -> dict[str, FetchedText]:
        """Fetches a text of each paper.

        Args:
            wanted: by paper, where it may be read, the best first.

        Raises:
            CommandError: the job has not ended in time.
            scops.client.ScopsError: the gateway refuses.
        """
        texts = {paper: FetchedText() for paper in wanted}
        for turn in range(PLACES_MAX):
            places = {
                paper: some[turn]
                for paper, some in wanted.items()
                if texts[paper].place is None and turn < len(some)
            }
            for _ in range(1 + HOPS_MAX):
                places = self._asked(places, texts)
        given = {one.place.url for one in texts.values() if one.place is not None}
        tried = {url for one in texts.values() for url, _ in one.tried}
        self._picked.drop(tried - given)
        return texts

    def _asked(
        self, places: Mapping[str, PaperLocation], texts: Mapping[str, FetchedText]
    ) -> dict[str, PaperLocation]:
        """Asks a place of each paper; returns those to which places have moved."""
        if not places:
            return {}
        outcomes = self._outcomes(sorted({place.url for place in places.values()}))
        moved = {}
        for paper, place in places.items():
            ended = outcomes.get(place.url, _Outcome())
            if ended.outcome in TAKEN and not ended.moved_to:
                texts[paper].place = place
                continue
            texts[paper].tried.append((place.url, ended.why))
            there = replace(place, url=ended.moved_to)
            # Those that are refused as places are none either where another leads to them.
            if ended.moved_to and best_places([there]):
                moved[paper] = there
        return moved

    def _outcomes(self, urls: Sequence[str]) -> dict[str, _Outcome]:
        """Fetches pages; returns how each ended."""
        found: dict[str, _Outcome] = {}
        asked = [url for url in urls if self._is_picked(url, found)]
        for at in range(0, len(asked), URLS_OF_A_JOB):
            some = asked[at : at + URLS_OF_A_JOB]
            job = jobs_pb.Job(scope=self._name, urls=some)
            request = jobs_pb.CreateJobRequest(job=job, request_id=str(uuid.uuid4()))
            begun = self._client.call(self._client.jobs.CreateJob, request).job
            answer = follow(self._client, begun, timeout_seconds=self._timeout_seconds)
            ended = {one.uri: one for one in answer.outcomes}
            found |= {url: _ended(ended, canonical_url(url)) for url in some}
        return found

    def _is_picked(self, url: str, refused: dict[str, _Outcome]) -> bool:
        """Adds a page to the scope, and says whether it may be fetched."""
        try:
            self._picked.add(url)
        except (InvalidInput, InvalidRequest) as error:
            refused[url] = _Outcome("refused", error.message)
            return False
        return True


def _ended(outcomes: Mapping[str, jobs_pb.PageOutcome], url: str) -> _Outcome:
    """Returns how a page ended: where it leads elsewhere, how the job fared with that."""
    one = outcomes.get(url)
    if one is None:
        return _Outcome()
    if (one.outcome, one.reason) not in LEADING or not one.joined_uri:
        return _Outcome(one.outcome, one.reason)
    there = outcomes.get(one.joined_uri)
    if there is not None:
        return _Outcome(there.outcome, there.reason)
    return _Outcome(one.outcome, one.reason, moved_to=one.joined_uri)
