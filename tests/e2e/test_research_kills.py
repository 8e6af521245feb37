"""A research whose gateway is killed in each of its steps, while the other roles go on.

Another gateway, which is the same one again, goes on where the run was.
"""

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from scops.client import Scops
from scops.client.values.researches import Research
from scops.client.values.words import ResearchState
from scops.common.contract.service_table import Role
from tests.e2e.system import STOP_SECONDS, System
from tests.e2e.test_research_site_search import ANSWER, INDEX, OTHER_ANSWER, QUESTION, page, to
from tests.fakes.servers.machine import free_port
from tests.fakes.servers.nats import nats_server
from tests.fakes.servers.origin import Origin, running

# Of a page, so that a kill comes while it is fetched.
FETCH_SECONDS = 1.0
GATEWAY, OTHERS = (Role.GATEWAY,), tuple(role for role in Role if role is not Role.GATEWAY)
Moment = Callable[[Research, "SlowSite"], bool]


class WithGateway(System):
    """A system whose gateway is a process of its own."""

    def __init__(self, folder: Path, **settings: str) -> None:
        super().__init__(folder, **settings)
        self._ports = {roles: str(free_port()) for roles in (OTHERS, GATEWAY)}

    def start_roles(self, roles: tuple[Role, ...]) -> None:
        """Starts a process, and waits until it is ready."""
        port = self._ports[roles]
        self._last = self.spawn("run", *roles, SCOPS_HEALTH_PORT=port)
        self.wait_ready(f"http://127.0.0.1:{port}")

    def kill_gateway(self) -> None:
        """Ends it at once; it was started last."""
        os.killpg(self._last.pid, signal.SIGKILL)
        self._last.wait(STOP_SECONDS)
        self._children.remove(self._last)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WithGateway]:
    folder = tmp_path_factory.mktemp("kills")
    with nats_server(folder / "nats") as server:
        found = WithGateway(folder, **server.settings)
        try:
            assert 0 == found.run("provision").code
            for roles in (OTHERS, GATEWAY):
                found.start_roles(roles)
            yield found
        finally:
            found.kill()


class SlowSite:
    """A site with a search of its own, each of whose pages takes a while.

    Attributes:
        begun: paths of the requests that have begun, but for robots.txt.
    """

    def __init__(self, origin: Origin) -> None:
        self.url = origin.url
        self.begun: list[str] = []
        chapters = [f"chapter{number}.html" for number in range(6)]
        links = [to(path, f"Gauge {number}") for number, path in enumerate(chapters)]
        self._bodies = {f"/{path}": page("Gauge", "It is of iron.") for path in chapters} | {
            "/index.html": page("Harbour", *links),
            "/annex/k7.html": page("Annex K7", ANSWER, root="../"),
            "/annex/k9.html": page("Annex K9", OTHER_ANSWER, root="../"),
            "/searchindex.js": f"Search.setIndex({json.dumps(INDEX)})",
        }
        origin.handle_below("/", self._answer)

    async def _answer(self, request: web.Request) -> web.Response:
        if request.path not in self._bodies:
            return web.Response(status=404)
        self.begun.append(request.path)
        await asyncio.sleep(FETCH_SECONDS)
        is_script = request.path.endswith(".js")
        kind = "text/javascript" if is_script else "text/html"
        return web.Response(text=self._bodies[request.path], content_type=kind)


@pytest.fixture
def site() -> Iterator[SlowSite]:
    with running(Origin()) as origin:
        yield SlowSite(origin)


MOMENTS: dict[str, Moment] = {
    "looks": lambda run, site: True,
    "fetches": lambda run, site: bool(site.begun),
    "weighs": lambda run, site: bool(run.pages and run.pages[0].outcome),
    "searches": lambda run, site: "/searchindex.js" in site.begun,
    "fetches_more": lambda run, site: "/annex/k7.html" in site.begun,
    "answers": lambda run, site: bool(run.steps and run.steps[-1].stop_reason),
    "drops": lambda run, site: run.has_ended,
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_goes_on_where_its_gateway_was_killed(
    system: WithGateway, site: SlowSite, moment: str
) -> None:
    """Nothing is fetched twice, one answer is kept, and the scope that was not wanted is gone."""
    with Scops(system.address) as scops:
        begun = scops.research(QUESTION, uri=f"{site.url}/index.html", keep_days=0, seconds=300)
        is_here = MOMENTS[moment]
        system.until(lambda: is_here(scops.get_research(begun).research, site))
        system.kill_gateway()
    system.start_roles(GATEWAY)
    with Scops(system.address) as scops:
        done = scops.wait_research(begun)
        system.until(lambda: scops.get_research(begun).research.drop_time is not None)
        turns = list(scops.list_chat_turns(done.research.chat))
        scopes = {scope.name for scope in scops.list_scopes()}

    assert (ResearchState.ENDED, "covered") == (done.research.state, done.research.stop_reason)
    assert done.answer is not None
    assert "14 euros" in done.answer.text
    assert [QUESTION] == [turn.query for turn in turns]
    assert {1} == set(Counter(site.begun).values())
    assert {urlsplit(one.uri).path for one in done.research.pages} == set(site.begun)
    assert done.research.scope not in scopes
