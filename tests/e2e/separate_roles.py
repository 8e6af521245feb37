"""Every role in processes of its own, on a NATS with users, PostgreSQL and Weaviate."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from scops.common.bus.admin.permissions import PROVISIONER
from scops.common.contract.service_table import Role
from scops.standalone.process.nats_users import authorization
from tests.e2e.index_files import Chunk, Head
from tests.e2e.index_servers import Found, IndexServers
from tests.e2e.system import STOP_SECONDS, Ended, System, metric_of
from tests.fakes.servers.machine import free_port
from tests.fakes.servers.nats import NatsServer
from tests.fakes.servers.postgres import PostgresServer

PORT = "SCOPS_GATEWAY_PORT"


@dataclass(frozen=True, slots=True)
class Servers:
    """The stores that several systems share, each with a database and an organisation."""

    postgres: PostgresServer
    weaviate: dict[str, str]


@dataclass(slots=True)
class Process:
    """A replica of a role.

    Attributes:
        python: of the environment that holds its version; the system's where it is not named.
    """

    role: Role
    settings: dict[str, str]
    health_url: str
    python: Path | str = ""
    child: "subprocess.Popen[bytes] | None" = None


class SeparateRoles(System):
    """A system with a process a role; none of them has a data folder.

    Args:
        organisation_id: whose it is; one that its folder names, where others share the stores.
        replicas: processes of each role.
        python: of the environment that holds Scops; ours where it is not named.
    """

    def __init__(
        self,
        folder: Path,
        servers: Servers,
        *,
        organisation_id: str = "",
        replicas: int = 1,
        python: Path | str = "",
        **settings: str,
    ) -> None:
        organisation = organisation_id or folder.name.replace("_", "-").lower()[:32]
        passwords = folder / "passwords"
        self.nats = NatsServer(folder / "nats", authorization=authorization(passwords, create=True))
        database = servers.postgres.new_database()
        super().__init__(
            folder,
            python=python,
            **self.nats.settings,
            **servers.weaviate,
            SCOPS_DATABASE_URL=database,
            SCOPS_ARCHIVE_URL=f"file://{folder / 'data' / 'archive'}",
            SCOPS_ORGANISATION_ID=organisation,
            **settings,
        )
        self.organisation_id = organisation
        self.nowhere = folder / "nowhere"
        self.index = IndexServers(
            servers.postgres, database.rpartition("/")[2], servers.weaviate, organisation
        )
        self._passwords = passwords
        self.processes = [
            self._process(role, replica) for role in Role for replica in range(replicas)
        ]
        # Calls go to whichever gateway is there.
        ports = [one.settings.get(PORT) for one in self.of(Role.GATEWAY)]
        others = [f"127.0.0.1:{port}" for port in ports if port]
        self.address = "ipv4:" + ",".join([self.address, *others])

    def start(self) -> "SeparateRoles":
        """Starts the bus, provisions, starts every process and waits until all are ready."""
        self.nats.start()
        self.provision()
        for process in self.processes:
            self.start_process(process)
        try:
            self.wait_ready()
        except AssertionError:
            self.kill()
            raise
        return self

    def provision(self, *, python: Path | str = "") -> Ended:
        """Provisions, also by another version; returns what it said."""
        ended = self.run("provision", python=python, **self.user(PROVISIONER))
        assert 0 == ended.code, ended.err
        return ended

    def write_users(self, *options: str, python: Path | str = "") -> None:
        """Writes the users of the bus by `scops nats-config` and gives them to its server."""
        told = self.run("nats-config", "--passwords", str(self._passwords), *options, python=python)
        assert 0 == told.code, told.err
        self.nats.authorize(told.out)

    def of(self, role: Role) -> list[Process]:
        """Returns the replicas of a role."""
        return [process for process in self.processes if process.role is role]

    def start_process(self, process: Process) -> None:
        """Starts a replica that does not run."""
        process.child = self.spawn(
            "run", process.role.value, python=process.python, **process.settings
        )

    def kill_process(self, process: Process) -> None:
        """Ends a replica at once."""
        assert process.child is not None
        os.killpg(process.child.pid, signal.SIGKILL)
        process.child.wait(STOP_SECONDS)
        self._children.remove(process.child)

    def stop_process(self, process: Process) -> int:
        """Asks a replica to end, as Kubernetes does; returns its exit code."""
        assert process.child is not None
        process.child.send_signal(signal.SIGTERM)
        code = process.child.wait(STOP_SECONDS)
        self._children.remove(process.child)
        return code

    def wait_ready(self, health_url: str = "") -> None:
        """Waits until every process, or one, says that it is ready."""
        urls = [health_url] if health_url else [one.health_url for one in self.processes]
        limit = time.monotonic() + self.ready_seconds
        for url in urls:
            super().wait_ready(url)
            assert time.monotonic() < limit, f"not ready:\n{self.log.read_text()[-4000:]}"

    def kill(self) -> None:
        """Ends everything at once, the bus too."""
        super().kill()
        self.nats.kill()

    def stop(self) -> list[int]:
        """Ends every process gracefully, then the bus; returns the exit codes."""
        codes = super().stop()
        self.nats.stop()
        return codes

    def metric(self, name: str, **labels: str) -> float:
        """Returns a metric summed over all processes."""
        return sum(metric_of(one.health_url, name, **labels) for one in self.processes)

    def heads(self) -> list[Head]:
        return self.index.heads()

    def chunk_objects(self) -> list[tuple[str, str]]:
        return self.index.chunk_objects()

    def chunks_by_url(self) -> list[Chunk]:
        return self.index.chunks_by_url()

    def find_all(self) -> Found:
        """Looks for every listed chunk by id, by its words and by its vector."""
        return self.index.find_all()

    def _process(self, role: Role, replica: int) -> Process:
        port = str(free_port())
        settings = {
            **self.user(role.value),
            "SCOPS_HEALTH_PORT": port,
            # A role that needed it would make it.
            "SCOPS_DATA_DIR": str(self.nowhere / f"{role.value}-{replica}"),
        }
        if role is Role.EXPLAINER:
            # Its instances must be able to open what another one has sealed.
            settings["SCOPS_EXPLAINER_BUNDLE_KEY"] = "shared by the explainers of a test"
        if role is Role.GATEWAY and replica:
            settings[PORT] = str(free_port())
        return Process(role, settings, f"http://127.0.0.1:{port}")

    def user(self, name: str) -> dict[str, str]:
        """Returns the settings of a user of the bus."""
        password = (self._passwords / name).read_text().strip()
        return {"SCOPS_NATS_USER": name, "SCOPS_NATS_PASSWORD": password}
