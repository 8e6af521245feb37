"""Roles in processes of their own, on one nats-server and one data folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scops.api.v1alpha1.job_service_pb2 import Job
from scops.common.contract.service_table import Role
from tests.e2e.system import Ended, System, clean_environment, run_command
from tests.fakes.servers.machine import free_port
from tests.fakes.servers.nats import NatsServer, nats_server
from tests.fakes.servers.origin import Origin

PROCESSES = (
    (Role.FETCHER, Role.EXTRACTOR),
    (Role.CHANGE_DETECTOR, Role.INDEXER),
    (Role.RETRIEVER, Role.EXPLAINER, Role.GATEWAY),
)


class Processes:
    """A system in three processes, provisioned twice."""

    def __init__(self, system: System, provisioned: tuple[Ended, Ended]) -> None:
        self.system = system
        self.provisioned = provisioned


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    folder = tmp_path_factory.mktemp("roles")
    with nats_server(folder / "nats") as server:
        system = System(folder, **server.settings)
        provisioned = (system.run("provision"), system.run("provision"))
        ports = [str(free_port()) for _ in PROCESSES]
        try:
            for roles, port in zip(PROCESSES, ports, strict=True):
                system.spawn("run", *roles, SCOPS_HEALTH_PORT=port)
            for port in ports:
                system.wait_ready(f"http://127.0.0.1:{port}")
            yield Processes(system, provisioned)
        finally:
            system.kill()


def test_every_role_runs_in_one_of_the_processes() -> None:
    """The table above leaves no role out."""
    assert sorted(Role) == sorted(role for roles in PROCESSES for role in roles)


def test_provision_may_be_repeated(processes: Processes) -> None:
    """The first run creates what the second finds."""
    first, second = processes.provisioned

    assert [0, 0] == [first.code, second.code]
    assert first.json["created"]
    assert ([], []) == (second.json["created"], second.json["widened"])
    assert sorted(first.json["created"]) == sorted(second.json["unchanged"])


def test_roles_in_several_processes_answer_a_question(processes: Processes, tarn: Origin) -> None:
    """What `scops up` does in one process, three do over the bus."""
    system = processes.system
    system.create_scope("tarn", seeds=[f"{tarn.url}/"])
    job = system.crawl("tarn")
    answer = system.ask("How much does the River plan cost?", "tarn", explain=True)
    citation = answer.citations[0]
    text = system.archived_text(citation.text_digest)

    assert Job.STATE_COMPLETED == job.state
    # A page that repeats another is joined by this crawl, or by the next.
    assert job.counts.indexed + job.counts.joined == 45
    assert "The River plan costs 14 euros a month." in citation.quote
    assert text[citation.start : citation.end] == citation.quote
    assert answer.explanations


def test_run_needs_a_bus_that_others_reach() -> None:
    """Without an address, `run` says what to set, and what to use instead."""
    ended = run_command("run", "gateway", environment=clean_environment())

    assert (2, "NATS_URL_MISSING") == (ended.code, ended.json["error"]["reason"])
    assert "scops up" in ended.err


def test_run_waits_for_a_bus_that_comes_later(tmp_path: Path) -> None:
    """Nobody listens yet: alive, not ready, with the reason; it starts by itself when they do."""
    server = NatsServer(tmp_path / "nats")
    system = System(tmp_path, **server.settings)
    try:
        system.spawn("run", "extractor")
        system.until(lambda: "SCOPS_NATS_URL" in system.problems().get("bus", ""))
        assert system.is_alive()

        server.start()
        system.until(lambda: "scops provision" in str(system.problems()))
        assert 0 == system.run("provision").code
        system.wait_ready()

        assert [0] == system.stop()
    finally:
        system.kill()
        server.kill()


def test_a_stop_before_the_bus_came_is_clean(tmp_path: Path) -> None:
    """Who waits for the bus can be told to stop waiting."""
    system = System(tmp_path, SCOPS_NATS_URL="nats://127.0.0.1:1")
    try:
        system.spawn("run", "extractor")
        system.until(lambda: "bus" in system.problems())

        assert [0] == system.stop()
    finally:
        system.kill()


def test_a_role_looks_only_at_its_own_settings(tmp_path: Path) -> None:
    """What another role cannot read is none of its business; its own misspelt name is."""
    strange = {"SCOPS_FETCHER_WORKRES": "3", "SCOPS_INDEXER_CONCURRENCY": "many"}
    system = System(tmp_path, SCOPS_NATS_URL="nats://127.0.0.1:1", **strange)
    try:
        system.spawn("run", "extractor")
        system.until(lambda: "bus" in system.problems())
    finally:
        system.kill()

    ended = system.run("run", "fetcher")

    assert (2, "UNKNOWN_SETTING") == (ended.code, ended.json["error"]["reason"])
