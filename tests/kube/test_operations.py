"""What operation does to Scops on a cluster while it is asked and crawls; figures are printed.

Tests stand in the order of the day; each leaves a system that is well.
"""

import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from tests.kube.cluster import until
from tests.kube.installation import ROLES, Installation, nothing_is_lost, report
from tests.kube.releases import BAD, PREVIOUS, THIS, load_previous

# What a rolling update may cost those who ask.
ANSWERED_MIN = 0.999
KILLING_SECONDS = float(os.environ.get("SCOPS_KUBE_KILLING_SECONDS", "120"))
KILL_EVERY_SECONDS = 10.0
AVAILABLE_SECONDS = 300.0


pytestmark = pytest.mark.usefixtures("asked")


def test_an_update_under_load_costs_no_search_and_no_job(
    scops: Installation, urls: list[str]
) -> None:
    """From this image back to that of the commit before, and forward, with a crawl each."""
    load_previous(scops)
    for image in (PREVIOUS, THIS):
        job = scops.crawl(*urls)
        with scops.searches() as searches:
            began = time.monotonic()
            scops.use(image)
            took = time.monotonic() - began
        ended = scops.wait_job(job)
        report(f"update to {image} in {took:.0f} s", searches[0], ended)

        assert searches[0].answered >= ANSWERED_MIN, searches[0].errors
        nothing_is_lost(ended, len(urls))


def test_a_bad_image_stops_its_rollout_and_the_old_one_keeps_serving(scops: Installation) -> None:
    """Whoever asks sees nothing; `rollout undo` ends it."""
    with scops.searches() as searches:
        for role in ("gateway", "retriever"):
            scops.kubectl("set", "image", f"deploy/{role}", f"scops={BAD}")
        stuck = scops.cluster.attempt(
            *("-n", "scops", "rollout", "status", "deploy/gateway", "--timeout=20s")
        )
        for role in ("gateway", "retriever"):
            scops.kubectl("rollout", "undo", f"deploy/{role}")
        scops.rolled("gateway", "retriever")
    report("a bad image", searches[0])

    assert stuck.returncode != 0
    assert searches[0].answered >= ANSWERED_MIN, searches[0].errors


def test_the_provisioner_may_be_run_again(scops: Installation) -> None:
    """As the guide's upgrade does; nothing that runs notices."""
    with scops.searches() as searches:
        scops.kubectl("delete", "job", "provision", "--ignore-not-found")
        scops.cluster.kubectl("apply", "-k", str(scops.folder / "tests/kube/overlay"))
        done = ("wait", "--for=condition=complete", "job/provision", "--timeout=10m")
        scops.kubectl(*done, seconds=610)
        scops.rolled()
    report("provisioned again", searches[0])

    assert searches[0].answered >= ANSWERED_MIN, searches[0].errors


@pytest.mark.parametrize("role", ["fetcher", "indexer"])
def test_a_role_is_scaled_amid_a_crawl(scops: Installation, urls: list[str], role: str) -> None:
    """One, three and one again: the job ends with every page."""
    job = scops.crawl(*urls)
    for count in (3, 1):
        scops.kubectl("scale", f"deploy/{role}", f"--replicas={count}")
        scops.rolled(role)
    ended = scops.wait_job(job)
    report(f"{role} 1 to 3 to 1", None, ended)

    nothing_is_lost(ended, len(urls))


def test_a_drained_node_is_left_without_a_gap(scops: Installation, urls: list[str]) -> None:
    """Budgets let pods go one by one; stores and roles come up on the other node."""
    job = scops.crawl(*urls)
    with scops.searches() as searches:
        began = time.monotonic()
        drain = ("drain", "node2", "--ignore-daemonsets", "--delete-emptydir-data")
        scops.cluster.kubectl(*drain, "--timeout=280s", seconds=300)
        took = time.monotonic() - began
        scops.rolled()
        scops.stores_are_ready()
    scops.cluster.kubectl("uncordon", "node2")
    ended = scops.wait_job(job)
    report(f"drained in {took:.0f} s", searches[0], ended)

    nothing_is_lost(ended, len(urls))


@pytest.mark.parametrize("store", ["nats", "postgres", "weaviate", "bucket"])
def test_a_store_is_restarted_amid_a_crawl(
    scops: Installation, urls: list[str], store: str
) -> None:
    """Searches that need it wait or fail meanwhile; work goes on by itself and loses nothing."""
    job = scops.crawl(*urls)
    with scops.searches() as searches:
        scops.kubectl("delete", "pod", f"{store}-0")
        scops.stores_are_ready()
        took = until("roles", scops.ready, seconds=AVAILABLE_SECONDS)
    ended = scops.wait_job(job)
    report(f"{store} restarted; roles ready after {took:.0f} s", searches[0], ended)

    nothing_is_lost(ended, len(urls))


def test_pods_killed_at_random_lose_no_job(scops: Installation, urls: list[str]) -> None:
    """A role's pod without grace, every ten seconds; SCOPS_KUBE_KILLING_SECONDS says how long."""
    chance, killed = random.Random(20_261), 0
    job = scops.crawl(*urls)
    with scops.searches() as searches:
        deadline = time.monotonic() + KILLING_SECONDS
        while time.monotonic() < deadline:
            victim = chance.choice(scops.pods(chance.choice(ROLES)))
            scops.kubectl("delete", "pod", victim, "--grace-period=0", "--force")
            killed += 1
            time.sleep(KILL_EVERY_SECONDS)
    scops.rolled()
    ended = scops.wait_job(job)
    report(f"{killed} pods killed in {KILLING_SECONDS:.0f} s", searches[0], ended)

    nothing_is_lost(ended, len(urls))


def test_a_full_volume_of_the_archive_is_waited_for(scops: Installation, urls: list[str]) -> None:
    """Fetches wait while nothing can be written, searches are answered, and the job ends."""
    filler = scops.cluster.run / "volumes" / "bucket" / "filler"
    with scops.searches() as searches:
        _fill(filler)
        job = scops.crawl(*urls)
        time.sleep(30)
        waiting = scops.job(job)
        filler.unlink()
        ended = scops.wait_job(job)
    report("a full volume for 30 s", searches[0], ended)

    assert "STATE_RUNNING" == waiting["state"]
    assert searches[0].answered >= ANSWERED_MIN, searches[0].errors
    nothing_is_lost(ended, len(urls))


def _fill(filler: Path) -> None:
    fill = ["dd", "if=/dev/zero", f"of={filler}", "bs=64k"]
    done = subprocess.run(fill, capture_output=True, check=False)
    assert b"No space left" in done.stderr
