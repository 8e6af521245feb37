"""A bad network between every role and one of its servers, amid crawls and questions.

It is slow, loses packets one way or both, falls silent, and resets connections. Nobody is killed
or started again: what comes right comes right by itself. Needs the right to set a firewall's rules;
`make faults`.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import grpc
import pytest

from scops.api.v1alpha1.search_service_pb2 import SearchRequest
from scops.api.v1alpha1.search_service_pb2_grpc import SearchServiceStub
from scops.common.bus.admin.permissions import PROVISIONER
from tests.e2e.separate_roles import SeparateRoles
from tests.e2e.test_separate_roles import SETTINGS
from tests.fakes.servers.firewall import Loss
from tests.fakes.servers.proxy import Trouble
from tests.faults import rounds
from tests.faults.lamps import SCOPE, Lamps, lamps
from tests.faults.networks import Way, ways_before

PAGES = 30
DELAY_SECONDS = 0.3
CALL_SECONDS = 10.0
ASK_PAUSE_SECONDS = 1.0
# Systems send what was lost again after up to 51 s where it was lost for 45; then clients connect.
RETURN_SECONDS_MAX = 90.0
REST_SECONDS_MAX = 120.0
ANSWERED_IN_A_ROW = 5
RESETS = 10
NO_TROUBLE, NO_LOSS = Trouble(), Loss()
# What a caller may hear meanwhile, beside an answer.
CLEAR = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}
SERVERS = {
    "postgres": ("SCOPS_DATABASE_URL",),
    "weaviate": ("SCOPS_WEAVIATE_URL", "SCOPS_WEAVIATE_GRPC"),
    "nats": ("SCOPS_NATS_URL", "SCOPS_NATS_MONITOR_URL"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spell:
    """A time of bad weather."""

    seconds: float
    trouble: Trouble = NO_TROUBLE
    loss: Loss = NO_LOSS
    resets: int = 0


# The silent ones last longer than a message may be in hand without a sign of life, than a
# connection may hear nothing, and than a statement or a call may take.
SPELLS = {
    "slow": Spell(seconds=15, trouble=Trouble(latency_seconds=0.05)),
    "lossy": Spell(seconds=20, loss=Loss(requests=0.2, answers=0.2)),
    "deaf": Spell(seconds=40, loss=Loss(requests=1.0)),
    "mute": Spell(seconds=40, loss=Loss(answers=1.0)),
    "resetting": Spell(seconds=10, resets=RESETS),
    "black hole": Spell(seconds=45, loss=Loss(requests=1.0, answers=1.0)),
}


@pytest.fixture
def site() -> Iterator[Lamps]:
    with lamps(PAGES) as site:
        yield site


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("server", SERVERS)
def test_a_bad_network_loses_and_doubles_nothing(
    new_roles: Callable[..., SeparateRoles], site: Lamps, server: str
) -> None:
    """Every job ends, each version is there once, and all are ready again without help."""
    settings = SETTINGS | {"SCOPS_FETCHER_DELAYS": f"127.0.0.0/8={DELAY_SECONDS}"}
    system = new_roles(f"network_{server}", **settings)
    with behind(system, server) as way:
        system.start()
        system.create_scope(SCOPE, seeds=[f"{site.origin.url}/"])
        before = process_ids(system)
        with rounds.crawls(system, site) as given:
            for name, spell in SPELLS.items():
                told = weather(system, way, spell)
                returned = time.monotonic()
                system.wait_ready()
                seconds = time.monotonic() - returned
                print(f"{server}, {name}: {told}, ready after {seconds:.1f} s")
                assert told <= CLEAR | {grpc.StatusCode.OK}, (name, told)
                assert seconds < RETURN_SECONDS_MAX, name
                assert_answers_again(system, name)
                given.check()
            given.go_on()

        assert before == process_ids(system)
        assert_nothing_is_lost_or_doubled(system, site, given.told)


@contextmanager
def behind(system: SeparateRoles, server: str) -> Iterator[Way]:
    """Lets a system that was not started reach a server by a way that may be troubled."""
    names = SERVERS[server]
    ports = {name: _port(system.environment[name]) for name in names}
    with ways_before(list(ports.values())) as way:
        for name, port in ports.items():
            there = system.environment[name]
            system.environment[name] = there.replace(f":{port}", f":{way.ports[port]}")
        yield way


def _port(address: str) -> int:
    port = urlsplit(address if "//" in address else f"//{address}").port
    assert port, address
    return port


def process_ids(system: SeparateRoles) -> list[int]:
    """Returns the processes of the roles, which nobody replaces."""
    children = [one.child for one in system.processes]
    assert all(child is not None and child.poll() is None for child in children)
    return [child.pid for child in children if child is not None]


def weather(system: SeparateRoles, way: Way, spell: Spell) -> set[grpc.StatusCode]:
    """Lets a spell pass; returns what those were told who asked meanwhile."""
    with ExitStack() as stack, ThreadPoolExecutor(1) as thread:
        stack.enter_context(way.troubled(spell.trouble))
        stack.enter_context(way.losing(spell.loss))
        end = time.monotonic() + spell.seconds
        asking = thread.submit(ask_until, system, end)
        for _ in range(spell.resets):
            way.reset()
            time.sleep(spell.seconds / spell.resets)
        time.sleep(max(0.0, end - time.monotonic()))
    return asking.result()


def ask_until(system: SeparateRoles, end: float) -> set[grpc.StatusCode]:
    """Asks as clients do that wait ten seconds, until an instant."""
    told = set()
    request = SearchRequest(query="How many hours does the lamp burn?", scopes=[f"scopes/{SCOPE}"])
    while time.monotonic() < end:
        try:
            SearchServiceStub(system.channel).Search(request, timeout=CALL_SECONDS)
            told.add(grpc.StatusCode.OK)
        except grpc.RpcError as error:
            told.add(error.code())
        time.sleep(ASK_PAUSE_SECONDS)
    return told


def assert_answers_again(system: SeparateRoles, name: str) -> None:
    """Questions are answered one after the other, once what the network cut is known to be cut."""
    returned, answered = time.monotonic(), 0
    while answered < ANSWERED_IN_A_ROW:
        told = ask_until(system, time.monotonic() + ASK_PAUSE_SECONDS / 2)
        answered = answered + 1 if told == {grpc.StatusCode.OK} else 0
        assert time.monotonic() - returned < RETURN_SECONDS_MAX, (name, told)
    print(f"{name}: answered after {time.monotonic() - returned - answered:.1f} s")


def assert_nothing_is_lost_or_doubled(
    system: SeparateRoles, site: Lamps, told: rounds.Told
) -> None:
    """Each job ended with each page once, and pages have the versions that were served, once."""
    rounds.assert_every_page_has_an_outcome(told, site)
    # What a fetcher could not keep, because its state was away, it asks for again.
    rounds.assert_each_page_is_asked_for_once(told, site, more=RESETS + len(SPELLS))
    rounds.assert_polite(site.origin.requests, DELAY_SECONDS)
    found = rounds.versions(system, site)
    assert {site.url(n): site.versions(n) for n in range(PAGES)} == {
        url: len(versions) for url, versions in found.items()
    }
    assert [] == system.run("deadletters", "list", **system.user(PROVISIONER)).json
    rounds.assert_all_found(system)
    for number in site.edited():
        assert site.answer(number) in rounds.answer(system, site, number)
    assert told.seconds[-1] < REST_SECONDS_MAX
