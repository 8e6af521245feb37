"""`kill -9` again and again amid crawls: of each role, of the bus, of everything at once.

Seeds say how long a process lives before it is killed; a failure names the seed.
"""

import random
import time
from collections.abc import Callable, Iterator

import pytest

from scops.common.bus.admin.permissions import PROVISIONER
from scops.common.contract.service_table import Role
from tests.e2e.separate_roles import SeparateRoles
from tests.e2e.test_separate_roles import SETTINGS
from tests.fakes.servers.weaviate import WeaviateServer
from tests.faults import rounds
from tests.faults.lamps import SCOPE, Lamps, lamps

PAGES = 30
DELAY_SECONDS = 0.3
KILLS_OF_A_ROLE = 5
KILLS_OF_THE_BUS = 10
KILLS_OF_EVERYTHING = 10
LIFE_SECONDS_MAX = 3.0
# The others are killed while they start.
READY_SHARE = 0.6
# After the last fault: twice what a message waits for its acknowledgement, and a minute.
REST_SECONDS_MAX = 120.0


@pytest.fixture
def site() -> Iterator[Lamps]:
    with lamps(PAGES) as site:
        yield site


@pytest.fixture
def system(new_roles: Callable[..., SeparateRoles], site: Lamps) -> SeparateRoles:
    settings = SETTINGS | {"SCOPS_FETCHER_DELAYS": f"127.0.0.0/8={DELAY_SECONDS}"}
    system = new_roles("killed", **settings).start()
    system.create_scope(SCOPE, seeds=[f"{site.origin.url}/"])
    return system


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", [1])
def test_kill_9_of_each_role_again_and_again(system: SeparateRoles, site: Lamps, seed: int) -> None:
    """Roles die in random order amid crawls, some before they are ready: nothing is missing."""
    chance = random.Random(seed)
    order = [role for role in Role for _ in range(KILLS_OF_A_ROLE)]
    chance.shuffle(order)
    with rounds.crawls(system, site) as given:
        for role in order:
            (process,) = system.of(role)
            system.kill_process(process)
            system.start_process(process)
            if chance.random() < READY_SHARE:
                system.wait_ready(process.health_url)
            time.sleep(chance.uniform(0, LIFE_SECONDS_MAX))
            given.check()
        system.wait_ready()
        given.go_on()

    assert_nothing_is_missing(system, site, given.told, kills=len(order))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [1])
def test_kill_9_of_the_bus_again_and_again(system: SeparateRoles, site: Lamps, seed: int) -> None:
    """No confirmed message is lost, and every role finds back by itself."""
    chance = random.Random(seed)
    with rounds.crawls(system, site) as given:
        for _ in range(KILLS_OF_THE_BUS):
            time.sleep(chance.uniform(0, LIFE_SECONDS_MAX))
            system.nats.kill()
            system.nats.start()
            given.check()
        system.wait_ready()
        given.go_on()

    rounds.assert_every_round_is_whole(given.told, site)
    assert_nothing_is_missing(system, site, given.told, kills=KILLS_OF_THE_BUS)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", [1])
def test_kill_9_of_everything_at_once_again_and_again(
    system: SeparateRoles, site: Lamps, weaviate: WeaviateServer, seed: int
) -> None:
    """Roles, nats-server and Weaviate end at one moment: what was accepted ends, once."""
    chance = random.Random(seed)
    with rounds.crawls(system, site) as given:
        for _ in range(KILLS_OF_EVERYTHING):
            time.sleep(chance.uniform(0, LIFE_SECONDS_MAX))
            weaviate.kill()
            system.nats.kill()
            for process in system.processes:
                system.kill_process(process)
            weaviate.start()
            system.nats.start()
            for process in system.processes:
                system.start_process(process)
            system.wait_ready()
            given.check()
        given.go_on()
    reconciled = system.run("reconcile")
    assert 0 == reconciled.code, reconciled.err

    assert_nothing_is_missing(system, site, given.told, kills=KILLS_OF_EVERYTHING)


def assert_nothing_is_missing(
    system: SeparateRoles, site: Lamps, told: rounds.Told, *, kills: int
) -> None:
    """Each job ended with each page once, and pages have the versions that were served."""
    rounds.assert_every_page_has_an_outcome(told, site)
    # Each kill costs at most the request that its fetcher was at.
    rounds.assert_each_page_is_asked_for_once(told, site, more=kills)
    rounds.assert_polite(site.origin.requests, DELAY_SECONDS)
    found = rounds.versions(system, site)
    assert {site.url(n): site.versions(n) for n in range(PAGES)} == {
        url: len(versions) for url, versions in found.items()
    }
    assert [] == system.run("deadletters", "list", **system.user(PROVISIONER)).json
    rounds.assert_all_found(system)
    for number in site.edited():
        assert site.answer(number) in rounds.answer(system, site, number)
    # The crawls after the last fault went at the pace of the site.
    assert told.seconds[-1] < REST_SECONDS_MAX
