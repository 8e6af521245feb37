"""Roles in processes of their own, on one nats-server and one data folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scops.api.v1alpha1.job_service_pb2 import Job
from scops.common.contract import Role
from tests.e2e.nats_server import nats_server
from tests.e2e.system import Ended, System, clean_environment, free_port, run_command
from tests.fakes.origin import Origin

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
    with nats_server(folder / "nats") as address:
        system = System(folder, **address)
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
    assert job.counts.indexed >= 45
    assert "The River plan costs 14 euros a month." in citation.quote
    assert text[citation.start : citation.end] == citation.quote
    assert answer.explanations


def test_run_needs_a_bus_that_others_reach() -> None:
    """Without an address, `run` says what to set, and what to use instead."""
    ended = run_command("run", "gateway", environment=clean_environment())

    assert (2, "NATS_URL_MISSING") == (ended.code, ended.json["error"]["reason"])
    assert "scops up" in ended.err


def test_run_without_a_bus_says_where_it_looked(tmp_path: Path) -> None:
    """Nobody listens at the address: exit code 4, and the setting to check."""
    environment = {
        **clean_environment(),
        "SCOPS_NATS_URL": "nats://127.0.0.1:1",
        "SCOPS_DATA_DIR": str(tmp_path),
        "SCOPS_BUS_CONNECT_TIMEOUT_SECONDS": "1",
    }
    ended = run_command("run", "gateway", environment=environment)

    assert (4, "BUS_UNAVAILABLE") == (ended.code, ended.json["error"]["reason"])
    assert "SCOPS_NATS_URL" in ended.err
    assert "Traceback" not in ended.err
