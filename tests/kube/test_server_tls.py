"""Servers that show certificates on the cluster; those that have ended are replaced as it runs."""

from datetime import timedelta

import pytest

from tests.kube.certifier import Certifier
from tests.kube.cluster import until
from tests.kube.installation import Installation, nothing_is_lost, report

pytestmark = pytest.mark.usefixtures("asked")

SERVERS = ("nats", "postgres", "weaviate")
# A kubelet looks every minute, the container beside a server too.
TAKEN_UP_SECONDS = 300.0


@pytest.fixture(scope="module")
def certifier(scops: Installation, tmp_path_factory: pytest.TempPathFactory) -> Certifier:
    """Scops with the component `servers-tls`, every certificate good."""
    made = Certifier(scops, tmp_path_factory.mktemp("pair"))
    scops.kubectl("delete", "job", "provision", "--ignore-not-found")
    scops.cluster.kubectl("apply", "-k", str(scops.folder / "tests/kube/overlay-tls"))
    made.sign()
    scops.stores_are_ready()
    scops.kubectl("wait", "--for=condition=complete", "job/provision", "--timeout=10m", seconds=610)
    scops.rolled()
    return made


def test_roles_reach_every_server_by_tls(
    scops: Installation, certifier: Certifier, urls: list[str]
) -> None:
    """A crawl ends with every page, and who asks is answered."""
    with scops.searches() as searches:
        ended = scops.wait_job(scops.crawl(*urls))
    report("servers by TLS", searches[0], ended)

    assert not searches[0].errors
    nothing_is_lost(ended, len(urls))


def test_certificates_that_have_ended_are_replaced_amid_a_crawl(
    scops: Installation, certifier: Certifier, urls: list[str]
) -> None:
    """Roles say what is wrong and wait; once all are renewed the crawl goes on by itself."""
    before = scops.pods()
    job = scops.crawl(*urls)
    with scops.searches() as searches:
        certifier.sign(ends=timedelta(hours=-1))
        scops.kubectl("delete", "pod", *(f"{name}-0" for name in SERVERS))
        until("what is wrong", lambda: "expired" in scops.problems("indexer"), seconds=120)
        certifier.sign()
        took = until("ready roles", scops.ready, seconds=TAKEN_UP_SECONDS)
    ended = scops.wait_job(job)
    report(f"certificates replaced; roles ready after {took:.0f} s", searches[0], ended)

    assert sorted(before) == sorted(scops.pods())
    nothing_is_lost(ended, len(urls))
