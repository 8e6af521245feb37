"""The compose file with its second one, added to what runs: apps are shown by a browser beside."""

import json
from collections.abc import Iterator

import pytest

from tests.compose.api import Api
from tests.compose.project import BROWSER, Project, guide, is_healthy
from tests.compose.test_as_it_stands import CONNECT, DEFAULT_ROUTE, TARGETS

APP = "http://10.213.7.80/app/"
QUESTION = "How much does the Heron tariff cost a month?"


@pytest.fixture(scope="module")
def shown(project: Project, api: Api) -> Iterator[Api]:
    """The API, after the command of the guide has brought a browser up."""
    line = next(each for each in guide() if BROWSER in each)
    project.shell(line)
    yield api
    project.compose("up", "--detach", "--wait", "--remove-orphans")


def test_an_app_is_crawled_and_answered_from(shown: Api) -> None:
    """Its HTML says nothing; the browser was handed its script and its data."""
    job = shown.crawl("app", APP, pages=5)
    answer = shown.answer(QUESTION, "app")

    assert 0 == job.counts.dead + job.counts.blocked, job
    assert any("14 euros" in each.text for each in answer.statements), answer
    assert {"browser"} == {each.captured_by for each in answer.citations}


def test_the_browser_reaches_nobody(shown: Api, project: Project) -> None:
    """Neither stores, nor the web, nor a route; the fetcher reaches it, and no other role."""
    assert shown
    found = project.inside("browser", ["python", "-c", CONNECT, json.dumps(TARGETS)])
    routes = project.inside("browser", ["cat", "/proc/net/route"]).splitlines()[1:]
    to_it = json.dumps({"browser": ("browser", 7400)})
    who = [
        role
        for role in ("fetcher", "extractor", "gateway")
        if json.loads(project.inside(role, ["python", "-c", CONNECT, to_it]))
    ]

    assert [] == json.loads(found)
    assert not [line for line in routes if line.split()[1] == DEFAULT_ROUTE]
    assert ["fetcher"] == who


def test_the_browser_is_confined(shown: Api, project: Project) -> None:
    """Nobody in particular, without a capability, on a root that it cannot write to."""
    assert shown
    (container,) = project.containers("browser")
    probe = "grep CapEff /proc/1/status; id -u; touch /opt/scops/x 2>/dev/null && echo written"
    said = project.inside("browser", ["sh", "-c", f"{probe}; true"]).split()

    assert is_healthy(container)
    assert ["CapEff:", "0" * 16, "10001"] == said
    assert 2 * 2**30 == container.attrs["HostConfig"]["Memory"]
    assert 512 == container.attrs["HostConfig"]["PidsLimit"]
