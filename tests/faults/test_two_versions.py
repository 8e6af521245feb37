"""An earlier version and this one run side by side while roles are replaced: nothing is lost.

As docs/deploy.md says under "Upgrades", with both versions as wheels in environments of their own,
on a NATS with users, PostgreSQL and Weaviate, amid crawls, edits and questions.
"""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scops.common.bus.admin.permissions import PROVISIONER
from scops.common.contract.service_table import Role
from tests.e2e.separate_roles import Process, SeparateRoles
from tests.e2e.system import System
from tests.e2e.test_separate_roles import SETTINGS
from tests.faults import rounds
from tests.faults.lamps import SCOPE, Lamps, lamps
from tests.faults.releases import pipeline, release, working_tree

# The version before this one; moved to the released commit when a version is released. Those
# before it drop questions when a role is stopped.
PREVIOUS = os.environ.get("PREVIOUS") or "d7bc58f4c66ded7a9eb1027a53d4343827479d13"
PAGES = 20
DELAY_SECONDS = 0.3
REPLICAS = 2
# Connections that the server has ended are back by then.
RECONNECT_SECONDS = 2.0
# The gateway is replaced first: it vouches for scopes in words that only later versions know.
ORDER = (Role.GATEWAY, *(role for role in Role if role is not Role.GATEWAY))


@pytest.fixture
def site() -> Iterator[Lamps]:
    with lamps(PAGES) as site:
        yield site


@pytest.fixture(scope="module")
def before() -> Path:
    return release(PREVIOUS)


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return working_tree(tmp_path_factory.mktemp("after") / "environment")


@pytest.mark.timeout(1800)
def test_an_upgrade_under_load_loses_nothing(
    new_roles: Callable[..., SeparateRoles],
    site: Lamps,
    before: Path,
    after: Path,
    tmp_path: Path,
) -> None:
    """Every job ends with each page once, every question is answered, versions are the same."""
    settings = SETTINGS | {"SCOPS_FETCHER_DELAYS": f"127.0.0.0/8={DELAY_SECONDS}"}
    system = new_roles("rolled", replicas=REPLICAS, python=before, **settings)
    system.write_users(python=before)
    system.start()
    system.create_scope(SCOPE, seeds=[f"{site.origin.url}/"])
    codes: list[int] = []
    with rounds.load(system, site) as given:
        take_users(system, given, "--previous", python=after)
        assert system.provision(python=after).json["unchanged"]
        assert [] == system.provision(python=after).json["created"]
        for role in ORDER:
            codes.append(replace(system, system.of(role)[0], after))
            given.check()
        # Each role in both versions, and what one writes is read by the other.
        given.go_on()
        assert [] == system.provision(python=before).json["created"]
        given.go_on()
        for role in ORDER:
            codes.append(replace(system, system.of(role)[1], after))
            given.check()
        take_users(system, given, python=after)
        given.go_on()

    told = given.told
    assert {0} == set(codes)
    assert [] == told.wrong
    assert told.questions > len(told.rounds)
    extract_alike = pipeline(before) == pipeline(after)
    rounds.assert_every_round_is_whole(told, site, rereads=0 if extract_alike else 1)
    rounds.assert_each_page_is_asked_for_once(told, site)
    rounds.assert_polite(site.origin.requests, DELAY_SECONDS)
    for number in range(PAGES):
        assert site.answer(number) in rounds.answer(system, site, number)
    assert [] == system.run("deadletters", "list", **system.user(PROVISIONER)).json
    rounds.assert_all_found(system)
    versions = rounds.versions(system, site)
    if not extract_alike:
        versions = rounds.texts(versions)
    assert undisturbed(tmp_path, site) == (versions, system.chunks_by_url())
    assert {0} == set(system.stop())


def take_users(system: SeparateRoles, given: rounds.Load, *options: str, python: Path) -> None:
    """Writes the users of the bus anew, whereupon its server ends every connection.

    An answer that is on its way in that moment may be refused; who asked asks again.
    """
    with given.without_questions():
        system.write_users(*options, python=python)
        time.sleep(RECONNECT_SECONDS)
        system.wait_ready()


def replace(system: SeparateRoles, process: Process, python: Path) -> int:
    """Ends a replica as Kubernetes does and starts it in another version; returns its code."""
    code = system.stop_process(process)
    process.python = python
    system.start_process(process)
    system.wait_ready(process.health_url)
    return code


def undisturbed(folder: Path, site: Lamps) -> tuple[rounds.Versions, list[tuple[str, str, str]]]:
    """Returns versions and chunks of the same rounds, crawled by one process of this version."""
    ended, told = site.round, rounds.Told()
    site.begin()
    with System(folder / "undisturbed") as system:
        system.create_scope(SCOPE, seeds=[f"{site.origin.url}/"])
        rounds.crawl_round(system, site, told)
        while site.round < ended:
            site.next_round()
            rounds.crawl_round(system, site, told)
        found = rounds.versions(system, site)
        assert {url: len(found[url]) for url in found} == {
            site.url(number): site.versions(number) for number in range(site.pages)
        }
        return found, system.chunks_by_url()
