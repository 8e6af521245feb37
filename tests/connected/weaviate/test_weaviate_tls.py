"""Weaviate by TLS, of its own and behind what ends it: who is trusted, and certificates renewed."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.libraries.index.weaviate import connection
from scops.libraries.index.weaviate.connection import WeaviateConnection
from scops.libraries.index.weaviate.upkeep import MaintainedWeaviateStore
from tests.connected.waiting import until
from tests.fakes.certificates import Authority, shown_from
from tests.fakes.servers.proxy import Network, troubled
from tests.fakes.servers.weaviate import WeaviateServer
from tests.fakes.worlds.index_on_weaviate import CHUNKS_PER_PAGE, WeaviateWorld

HOUR = timedelta(hours=1)
NOTHING_LOST = {"id": 0, "bm25": 0, "vector": 0}


@dataclass
class Door:
    """What ends TLS before one port of Weaviate."""

    folder: Path
    network: Network


@dataclass
class Behind:
    """A Weaviate whose two ports are behind TLS, and who asks it."""

    world: WeaviateWorld
    http: Door
    grpc: Door

    @property
    def store(self) -> MaintainedWeaviateStore:
        return self.world.store

    def show(self, authority: Authority, *, ends: timedelta = HOUR) -> None:
        """Replaces both certificates, and cuts what is open."""
        for door in (self.http, self.grpc):
            authority.write(door.folder, ends=ends)
            door.network.reset()

    async def problem(self) -> str:
        """Returns what a question ends with; empty for an answer."""
        try:
            await self.store.count()
        except StoreUnavailable as error:
            return error.message
        return ""


@pytest.fixture
def authority() -> Authority:
    return Authority()


@pytest.fixture
def ca(authority: Authority, tmp_path: Path) -> Path:
    file = tmp_path / "authority.pem"
    file.write_bytes(authority.pem)
    return file


@pytest.fixture
async def behind(
    server: WeaviateServer,
    authority: Authority,
    ca: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Behind]:
    monkeypatch.setattr(connection, "QUERY_SECONDS", 5.0)
    async with AsyncExitStack() as stack:
        doors = []
        for name in ("SCOPS_WEAVIATE_URL", "SCOPS_WEAVIATE_GRPC"):
            folder = tmp_path / name
            folder.mkdir()
            authority.write(folder)
            port = int(server.settings[name].rpartition(":")[2])
            network = await stack.enter_async_context(
                troubled("127.0.0.1", port, tls=shown_from(folder))
            )
            doors.append(Door(folder, network))
        http, grpc = doors
        server.settings = {
            "SCOPS_WEAVIATE_URL": f"https://127.0.0.1:{http.network.port}",
            "SCOPS_WEAVIATE_GRPC": f"127.0.0.1:{grpc.network.port}",
            "SCOPS_SERVER_CA": str(ca),
        }
        world = await WeaviateWorld.on(server)
        yield Behind(world, http, grpc)
        await world.close()


@pytest.fixture
def private(tmp_path: Path, authority: Authority, ca: Path) -> Iterator[WeaviateServer]:
    """A Weaviate that has TLS itself."""
    folder = tmp_path / "private"
    folder.mkdir()
    files = authority.write(folder)
    server = WeaviateServer(tmp_path / "private", tls=files).start()
    server.settings["SCOPS_SERVER_CA"] = str(ca)
    yield server
    server.kill()


async def test_pages_are_indexed_and_found_by_weaviates_own_tls(private: WeaviateServer) -> None:
    """Over HTTP and over gRPC."""
    world = await WeaviateWorld.on(private)
    await world.index_page(1)
    lost, count = await world.lost(), await world.store.count()
    await world.close()

    assert NOTHING_LOST == lost
    assert (CHUNKS_PER_PAGE, 0) == count


async def test_an_authority_that_is_not_named_is_not_trusted(private: WeaviateServer) -> None:
    """Those of the system are; the error says which setting names another."""
    message = await refusal(private.common(server_ca=None))

    assert "signed by nobody who is trusted" in message
    assert "SCOPS_SERVER_CA" in message


async def test_plain_questions_are_not_answered(private: WeaviateServer) -> None:
    """Where Weaviate has TLS."""
    url = private.settings["SCOPS_WEAVIATE_URL"].replace("https", "http")

    assert "refused" in await refusal(private.common(weaviate_url=url))


@pytest.mark.parametrize(
    ("address", "ends", "says"),
    [("127.0.0.1", -HOUR, "expired"), ("192.0.2.1", HOUR, "for another host")],
)
async def test_a_certificate_that_has_ended_or_is_another_s_is_refused(
    behind: Behind, authority: Authority, address: str, ends: timedelta, says: str
) -> None:
    """Though the authority signed it, and the error says which of both it is."""
    authority.write(behind.http.folder, address=address, ends=ends)

    assert says in await refusal(behind.world.common)


async def test_grpc_is_verified_too(behind: Behind) -> None:
    """Whatever HTTP shows."""
    Authority("another").write(behind.grpc.folder)
    behind.grpc.network.reset()

    assert "signed by nobody who is trusted" in await behind.problem()


async def test_a_renewed_certificate_heals_without_a_restart(
    behind: Behind, authority: Authority
) -> None:
    """Both sides of one that has expired, in the same process."""
    await behind.world.index_page(1)
    behind.show(authority, ends=-HOUR)
    await until(lambda: has(behind, "expired"))
    behind.show(authority)
    await until(lambda: has(behind, ""))

    assert NOTHING_LOST == await behind.world.lost()


async def test_an_authority_that_is_replaced_is_trusted_without_a_restart(
    behind: Behind, ca: Path
) -> None:
    """From the next question on; a file that is being written changes nothing."""
    await behind.world.index_page(1)
    other = Authority("another")
    behind.show(other)
    await until(lambda: has(behind, "is not trusted"))
    ca.write_bytes(b"being written")
    untrusted = await behind.problem()
    ca.write_bytes(other.pem)
    await until(lambda: has(behind, ""))

    assert untrusted
    assert NOTHING_LOST == await behind.world.lost()


async def test_authorities_that_cannot_be_read_are_said_at_the_start(tmp_path: Path) -> None:
    """By the name of the setting, before anything is asked."""
    named = CommonSettings(weaviate_url="https://127.0.0.1:9", server_ca=tmp_path / "none")

    with pytest.raises(InvalidInput, match="SCOPS_SERVER_CA"):
        WeaviateConnection(named)


async def has(behind: Behind, words: str) -> bool:
    """Whether a question ends with an error that says so; without words, whether it is answered."""
    problem = await behind.problem()
    return words in problem if words else not problem


async def refusal(common: CommonSettings) -> str:
    """Returns what a process says that cannot connect."""
    asked = WeaviateConnection(common)
    with pytest.raises(StoreUnavailable) as caught:
        await asked.query(lambda client: client.collections.list_all())
    await asked.close()
    return caught.value.message
