"""The image with Chromium, built and run: the browser's pod shows an app to a system outside."""

import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from scops.client import Boundary, Scops
from tests.deploy.manifests import COMPONENTS, PRODUCTION, Document, composed, named, pod
from tests.e2e.system import System
from tests.e2e.test_browser import QUESTION, WAIT_SECONDS, Aviary
from tests.fakes.servers.origin import Origin, running
from tests.image import containers
from tests.image.containers import Container, podman
from tests.kube.cluster import until

PORT = 7400
TOKEN = "8c1f2b7d90a34e65f1d2"
(COMPONENT,) = (each for each in COMPONENTS if each.name == "browser")
# Of every process: whose it is, what it may do, whether a filter of calls holds it, and whether it
# has ended and nobody asked for its end.
PROCESSES = "grep -hsE '^(Name|State|Uid|CapEff|NoNewPrivs|Seccomp):' /proc/[0-9]*/status || true"
DEFAULT_ROUTE = "00000000"
CONNECT = "import socket; socket.create_connection(('1.1.1.1', 443), timeout=3)"


@pytest.fixture(scope="module")
def image() -> str:
    """The one with Chromium."""
    return containers.build("scops-browser:0.1.0")


@pytest.fixture(scope="module")
def spec() -> Document:
    """The browser's pod."""
    return pod(named(composed(PRODUCTION, COMPONENT), "Deployment", "browser"))


@pytest.fixture(scope="module")
def browser(
    image: str, spec: Document, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Container]:
    """The pod's container, which serves."""
    token = tmp_path_factory.mktemp("token") / "token"
    token.write_text(TOKEN)
    token.chmod(0o644)
    with containers.running(spec, image, mounted={"/token/token": token}) as container:
        until("the browser", lambda: _serves(container))
        yield container


def _serves(container: Container) -> bool:
    """Asks what its probes ask, from where fetchers do.

    Raises:
        AssertionError: it has ended; with what it said.
    """
    assert container.is_running, container.logs()
    try:
        with urllib.request.urlopen(f"http://{container.address}:{PORT}/", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def test_the_smaller_image_has_no_browser(image: str) -> None:
    """Whoever needs none carries neither Chromium nor its client."""
    smaller = containers.build("scops:0.1.0")
    holds = "command -v chromium; python -c 'import playwright' 2>/dev/null && echo client; true"
    found = {
        each: podman("run", "--rm", "--network=none", "--entrypoint=sh", each, "-c", holds).split()
        for each in (smaller, image)
    }
    sizes = {each: containers.size_bytes(each) for each in (smaller, image)}
    print(f"FIGURE images: {sizes}")

    assert {smaller: [], image: ["/usr/bin/chromium", "client"]} == found
    assert sizes[smaller] < sizes[image]


def test_it_is_held_by_everything_that_its_pod_says(browser: Container) -> None:
    """Every process, Chromium's too: nobody, no capability, a filter of system calls."""
    lines = [line.split() for line in browser.inside(PROCESSES).splitlines()]
    held: dict[str, set[str]] = {}
    for name, *rest in lines:
        held.setdefault(name, set()).add(rest[0])
    written = browser.inside("touch /opt/scops/x /x 2>/dev/null || echo refused; id -u")

    assert {"chromium"} <= held["Name:"], held
    assert {"10001"} == held["Uid:"]
    assert {"0" * 16} == held["CapEff:"]
    assert {"1"} == held["NoNewPrivs:"]
    assert {"2"} == held["Seccomp:"]
    assert ["refused", "10001"] == written.split()


def test_no_way_leads_out_of_it(browser: Container) -> None:
    """No route but to the wire that fetchers reach it by."""
    lines = browser.inside("cat /proc/net/route").splitlines()[1:]

    assert lines
    assert not [line for line in lines if line.split()[1] == DEFAULT_ROUTE]
    with pytest.raises(AssertionError, match="Network is unreachable"):
        podman("exec", browser.name, "python", "-c", CONNECT)


def test_a_system_outside_has_apps_shown_by_it(browser: Container, tmp_path: Path) -> None:
    """They are crawled, followed and answered from; its container did nothing but show them."""
    settings = {
        "SCOPS_FETCHER_DELAYS": "127.0.0.0/8=0.1",
        "SCOPS_FETCHER_BROWSER": f"ws://{browser.address}:{PORT}/{TOKEN}",
    }
    with running(Origin()) as origin, System(tmp_path, **settings) as system:
        aviary = Aviary(origin)
        with Scops(system.address) as scops:
            scops.create_scope("aviary", seeds=[f"{origin.url}/"], boundary=Boundary.HOST)
            scops.wait_job(scops.crawl("aviary"), seconds=WAIT_SECONDS)
            status = {page.uri: page.status for page in scops.list_pages("aviary")}
            answer = scops.answer(QUESTION, "aviary")
        rendered = system.metric("scops_fetcher_rendered_pages_total", result="shown")
    (first, *_) = answer.citations

    assert {f"{origin.url}{path}": "fetched" for path in ("/", "/tariffs", "/tariffs/heron")} == (
        status
    )
    assert "14 euros" in answer.text
    assert "browser" == first.captured_by
    assert 3 <= rendered
    assert aviary.asked("/app.js") == 1


def test_a_browser_that_dies_in_it_is_replaced_and_leaves_nothing(browser: Container) -> None:
    """By the same container; what has ended does not stay among its processes."""
    killed = _chromium(browser)
    assert killed
    browser.inside(f"kill -9 {' '.join(killed)}")
    until("another browser", lambda: _is_new(browser, killed))
    lines = browser.inside(PROCESSES).splitlines()
    states = {line.split()[1] for line in lines if line.startswith("State:")}

    assert browser.is_running
    assert "Z" not in states, lines


def _is_new(browser: Container, killed: set[str]) -> bool:
    return bool(_chromium(browser) - killed) and _serves(browser)


def _chromium(browser: Container) -> set[str]:
    """Returns the processes of the browser."""
    listed = browser.inside("grep -l '^chromium$' /proc/[0-9]*/comm || true")
    return {path.split("/")[2] for path in listed.split()}
