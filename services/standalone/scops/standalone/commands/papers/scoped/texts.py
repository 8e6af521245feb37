"""Has the texts of papers fetched: as hand-picked pages of the scope, by a job, politely.

The fetcher asks for them as for any page: by robots.txt, at the pauses of their hosts, within the
rules of the scope. Where one place refuses or fails, the next best is asked.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scops.api.v1alpha1 import job_service_pb2 as jobs_pb
from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.client.errors import InvalidRequest
from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.libraries.papers.record import PaperLocation
from scops.standalone.commands.crawl import follow
from scops.standalone.terminal.client import GatewayClient

# Places of one paper that are asked, one after the other.
PLACES_MAX = 3
URLS_OF_A_JOB = 1000
TAKEN = ("indexed", "unchanged", "joined")
REASON = "papers"
NO_OUTCOME = "no outcome is known"


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
            if not places:
                break
            outcomes = self._outcomes(sorted({place.url for place in places.values()}))
            for paper, place in places.items():
                outcome, why = outcomes.get(place.url, (NO_OUTCOME, ""))
                if outcome in TAKEN:
                    texts[paper].place = place
                else:
                    texts[paper].tried.append((place.url, f"{outcome}: {why}" if why else outcome))
        return texts

    def _outcomes(self, urls: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Fetches pages; returns how each ended, and why."""
        found: dict[str, tuple[str, str]] = {}
        asked = [url for url in urls if self._is_picked(url, found)]
        for at in range(0, len(asked), URLS_OF_A_JOB):
            some = asked[at : at + URLS_OF_A_JOB]
            job = jobs_pb.Job(scope=self._name, urls=some)
            request = jobs_pb.CreateJobRequest(job=job, request_id=str(uuid.uuid4()))
            begun = self._client.call(self._client.jobs.CreateJob, request).job
            answer = follow(self._client, begun, timeout_seconds=self._timeout_seconds)
            ended = {one.uri: (one.outcome, one.reason) for one in answer.outcomes}
            for url in some:
                found[url] = ended.get(canonical_url(url), (NO_OUTCOME, ""))
        return found

    def _is_picked(self, url: str, refused: dict[str, tuple[str, str]]) -> bool:
        """Adds a page to the scope, and says whether it may be fetched."""
        try:
            canonical_url(url)
            request = pb.AddPagesRequest(name=self._name, uris=[url], reason=REASON)
            self._client.call(self._client.scopes.AddPages, request)
        except (InvalidInput, InvalidRequest) as error:
            refused[url] = ("refused", error.message)
            return False
        return True
