"""What operation does to the compose file that is up: restarts, scale, down and up again."""

import grpc
import pytest

from tests.compose.api import Api
from tests.compose.project import AT_ONCE, Project, is_healthy, until
from tests.compose.test_as_it_stands import ROLES, STORES

QUESTION = "What does VACUUM do?"


@pytest.mark.parametrize("name", [*STORES, *ROLES])
def test_a_service_that_restarts_is_well_again(project: Project, api: Api, name: str) -> None:
    """And everybody who needs it; the same question is answered."""
    project.compose("restart", "--timeout", "60", name)
    everybody = [*STORES, *ROLES]
    seconds = until(
        lambda: all(is_healthy(each) for one in everybody for each in project.containers(one)),
        f"after a restart of {name} not everybody became healthy",
    )
    more = until(lambda: _answers(api), f"after a restart of {name} no question is answered")
    print(f"{name}: {seconds:.0f} s until all are healthy, {more:.0f} s more until an answer")

    assert len(everybody) == sum(len(project.containers(one)) for one in everybody)


def test_two_fetchers_share_a_crawl(project: Project, api: Api) -> None:
    """Both are healthy, and a job ends with every page."""
    project.compose("up", "--detach", "--wait", "--no-recreate", "--scale", "fetcher=2")
    containers = project.containers("fetcher")
    job = api.crawl("second", "http://10.213.7.80/docs/15/", pages=10)

    assert [True, True] == [is_healthy(each) for each in containers]
    assert (3, 0) == (job.state, job.counts.dead), job


def test_data_outlives_down_and_up(project: Project, api: Api) -> None:
    """Volumes keep scopes, index, and who may come in."""
    project.compose("down", *AT_ONCE)
    assert [] == project.containers("gateway")
    project.compose("up", "--detach", "--wait")

    assert {"scopes/manual", "scopes/second"} == set(api.scopes())
    until(lambda: _answers(api), "what was indexed is not there any more")


def _answers(api: Api) -> bool:
    """Returns whether a question is answered; one that comes amid a restart may be refused."""
    try:
        return bool(api.answer(QUESTION, "manual").answered)
    except grpc.RpcError as error:
        if error.code() is grpc.StatusCode.UNAVAILABLE:
            return False
        raise
