"""A site of small pages that tests of faults crawl: each has one passage that a question finds."""

from collections.abc import Iterator
from contextlib import contextmanager

from scops.api.v1alpha1.job_service_pb2 import Job
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running


@contextmanager
def lamps(pages: int) -> Iterator[Origin]:
    """Serves a list of lamps, and a page for each."""
    with running(Origin()) as origin:
        links = "".join(f'<a href="/{n}.html">Lamp {n}</a> ' for n in range(pages))
        origin.replace("/", f"<html><body><h1>Lamps</h1><p>{links}</p></body></html>")
        for n in range(pages):
            text = f"<p>Lamp number {n} burns for {n + 100} hours before its oil is used up.</p>"
            origin.replace(f"/{n}.html", f"<html><body><h1>Lamp {n}</h1>{text}</body></html>")
        yield origin


def assert_all_came_in(system: System, job: Job, *, pages: int) -> None:
    """Every page of the lamps is indexed, nothing is buried, and the last one is found."""
    others = {one for one in system.outcomes(job).values() if one[0] != "indexed"}
    assert Job.STATE_COMPLETED == job.state
    assert not others, others
    assert pages + 1 == job.counts.indexed
    answer = system.ask(f"How many hours does lamp number {pages - 1} burn?", "lamps")
    assert f"{pages + 99} hours" in answer.citations[0].quote
    letters = system.run("deadletters", "list")
    assert (0, []) == (letters.code, letters.json), letters
