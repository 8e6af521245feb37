"""One page in ten scopes that are crawled at one moment, again and again, on a real bus."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scops.api.v1alpha1.job_service_pb2 import Job
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

SCOPES = 10
ROUNDS = 20
PAGE = "/notice.html"


@pytest.fixture
def site() -> Iterator[Origin]:
    with running(Origin()) as origin:
        yield origin


def edition(number: int) -> str:
    """Returns the page as it is in a round."""
    text = f"<p>The notice of round {number} holds for {number + 10} days.</p>"
    return f"<html><body><h1>Notice</h1>{text}</body></html>"


def test_a_page_of_many_scopes_is_fetched_for_all_of_them(site: Origin, tmp_path: Path) -> None:
    """Each job ends once with the page's outcome, and each edition is one version."""
    url = f"{site.url}{PAGE}"
    names = [f"scope-{number}" for number in range(SCOPES)]
    outcomes: list[list[int]] = []
    with System(tmp_path / "scops", SCOPS_FETCHER_DELAYS="127.0.0.0/8=0.02") as system:
        site.replace(PAGE, edition(0))
        for name in names:
            system.create_scope(name, seeds=[url])
        for number in range(ROUNDS):
            site.replace(PAGE, edition(number))
            jobs = [system.start_crawl(name, urls=[url]) for name in names]
            ended = [system.wait_job(job, seconds=60) for job in jobs]
            assert {Job.STATE_COMPLETED} == {job.state for job in ended}
            outcomes.append([job.counts.indexed + job.counts.unchanged for job in ended])
        fetches = sum(request.path == PAGE for request in site.requests)
        versions = system.history(url).versions
        letters = system.run("deadletters", "list")

    assert [[1] * SCOPES] * ROUNDS == outcomes
    assert ROUNDS == len(versions)
    assert fetches < ROUNDS * SCOPES
    assert (0, []) == (letters.code, letters.json)
