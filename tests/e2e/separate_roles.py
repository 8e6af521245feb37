"""Every role in processes of its own, on a NATS with users, PostgreSQL and Weaviate."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from scops.common.bus.admin.permissions import PROVISIONER
from scops.common.contract.organisations import MAIN, bus_user, schema_name
from scops.common.contract.service_table import Role
from scops.standalone.process.nats_users import authorization
from tests.e2e.index_files import Chunk, Head
from tests.e2e.index_servers import Found, IndexServers
from tests.e2e.system import STOP_SECONDS, Ended, System, metric_of
from tests.fakes.servers.machine import free_port
from tests.fakes.servers.nats import NatsServer
from tests.fakes.servers.postgres import PostgresServer

PORT = "SCOPS_GATEWAY_PORT"
# Two cores carry a dozen processes; systems in one process have the default.
SMALL_MODEL = "onnx-int8"
REFUSED = "permissions violation"
# Roles with a login of the database; the others are told of none.
WITH_LOGIN = (Role.FETCHER, Role.CHANGE_DETECTOR, Role.INDEXER, Role.RETRIEVER, Role.GATEWAY)


@dataclass(frozen=True, slots=True)
class Servers:
    """The stores that several systems share, each with a database and an organisation."""

    postgres: PostgresServer
    weaviate: dict[str, str]


@dataclass(frozen=True, slots=True)
class Installation:
    """The bus, database and archive that several organisations share; who made it ends it.

    Attributes:
        folder: of the archive, and of passwords: one a user, in a folder an organisation.
        database: its address as whoever owns every schema.
        index_keys: of the users that Weaviate knows.
    """

    folder: Path
    nats: NatsServer
    database: str
    index_keys: dict[str, str]

    def passwords(self, organisation_id: str) -> Path:
        """Returns the folder of an organisation's passwords, of bus and database."""
        name = "" if organisation_id == MAIN else organisation_id
        return self.folder / "passwords" / name

    def login(self, organisation_id: str, role: Role) -> str:
        """Returns the address of the database as a role of an organisation has it."""
        password = (self.passwords(organisation_id) / role.value).read_text().strip()
        place = self.database.rpartition("@")[2]
        return f"postgresql://{schema_name(organisation_id, role.value)}:{password}@{place}"


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
        installation: shared with other organisations; each role has a login of the database then.
        replicas: processes of each role.
        python: of the environment that holds Scops; ours where it is not named.
        bus_tls: as `NatsServer` takes it.
    """

    def __init__(
        self,
        folder: Path,
        servers: Servers,
        *,
        organisation_id: str = "",
        installation: Installation | None = None,
        replicas: int = 1,
        python: Path | str = "",
        bus_tls: str = "",
        **settings: str,
    ) -> None:
        organisation = organisation_id or folder.name.replace("_", "-").lower()[:32]
        self._installation = installation
        if installation is None:
            passwords, home = folder / "passwords", folder / "data"
            users = authorization(passwords, create=True)
            self.nats = NatsServer(folder / "nats", authorization=users, tls=bus_tls)
            database = servers.postgres.new_database()
        else:
            passwords, home = installation.passwords(organisation), installation.folder
            self.nats, database = installation.nats, installation.database
        super().__init__(
            folder,
            python=python,
            **self.nats.settings,
            **servers.weaviate,
            SCOPS_DATABASE_URL=database,
            SCOPS_ARCHIVE_URL=f"file://{home / 'archive'}",
            SCOPS_ORGANISATION_ID=organisation,
            **{"SCOPS_EMBEDDER": SMALL_MODEL, **settings},
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
        if self._installation is None:
            self.nats.start()
        self.provision()
        for process in self.processes:
            self.start_process(process)
        try:
            self.wait_ready()
        except AssertionError:
            self.kill()
            raise
        # No role lacks a right that it uses: what it may not hear, it tries again for ever.
        assert REFUSED not in self.log.read_text(), self.log.read_text()[-4000:]
        return self

    def provision(self, *, python: Path | str = "") -> Ended:
        """Provisions, also by another version; returns what it said."""
        logins = []
        if self._installation:
            logins = ["--logins", str(self._passwords), "--index-rights"]
        ended = self.run("provision", *logins, python=python, **self.user(PROVISIONER))
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
            "run",
            process.role.value,
            python=process.python,
            **self._login(process.role),
            **process.settings,
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
        if self._installation is None:
            self.nats.kill()

    def stop(self) -> list[int]:
        """Ends every process gracefully, then the bus; returns the exit codes."""
        codes = super().stop()
        if self._installation is None:
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

    def _login(self, role: Role) -> dict[str, str]:
        if self._installation is None:
            return {}
        has_one = role in WITH_LOGIN
        url = self._installation.login(self.organisation_id, role) if has_one else ""
        key = self._installation.index_keys.get(schema_name(self.organisation_id, role.value), "")
        return {"SCOPS_DATABASE_URL": url, "SCOPS_WEAVIATE_API_KEY": key}

    def user(self, name: str) -> dict[str, str]:
        """Returns the settings of a user of the bus."""
        password = (self._passwords / name).read_text().strip()
        return {"SCOPS_NATS_USER": self._bus_name(name), "SCOPS_NATS_PASSWORD": password}

    def _bus_name(self, name: str) -> str:
        return bus_user(self.organisation_id, name) if self._installation else name
