"""Users of a Weaviate with roles have what their role of Scops needs, and nothing of others."""

import itertools
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from weaviate import WeaviateAsyncClient
from weaviate.classes.config import DataType, Property
from weaviate.classes.rbac import Permissions
from weaviate.exceptions import WeaviateBaseError

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.contract.organisations import schema_name
from scops.common.contract.service_table import Role
from scops.libraries.index.opening import give_index_rights
from scops.libraries.index.ports import ChunkStore
from scops.libraries.index.upkeep import MaintainedStore
from scops.libraries.index.weaviate.connection import WeaviateConnection
from scops.libraries.index.weaviate.opening import open_store, owner_of, provision
from tests.contract.chunk_store.chunk_objects import (
    DIMENSIONS,
    chunk_object,
    found,
    store_query,
)
from tests.contract.chunk_store.chunk_store_contract import ChunkStoreContract
from tests.contract.chunk_store.upkeep_contract import UpkeepContract
from tests.fakes.servers.weaviate import WeaviateServer
from tests.fakes.servers.weaviate_users import ADMIN, ADMIN_KEY, WITH_USERS, WeaviateUser

USED = (Role.INDEXER, Role.RETRIEVER)
Commons = dict[Role, CommonSettings]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WeaviateServer]:
    """A server with roles, whose administrator's key is known."""
    server = WeaviateServer(tmp_path_factory.mktemp("weaviate-with-users"))
    server.environment = WITH_USERS
    server.start()
    yield server
    server.kill()


async def users_of(server: WeaviateServer, organisation_id: str) -> Commons:
    """Returns the settings of an organisation's roles, after it was provisioned with rights."""
    admin = server.common(organisation_id=organisation_id, weaviate_api_key=SecretStr(ADMIN_KEY))
    await provision(admin, embedder_id="fake", dimensions=DIMENSIONS)
    users = {
        role: WeaviateUser(server, schema_name(organisation_id, role.value), role="")
        for role in USED
    }
    for _ in range(2):
        given = await give_index_rights(admin)
    assert [schema_name(organisation_id, role.value) for role in USED] == given
    return {
        role: admin.model_copy(update={"weaviate_api_key": SecretStr(user.key)})
        for role, user in users.items()
    }


@pytest.fixture
async def commons(server: WeaviateServer) -> Commons:
    """The settings of the roles of a new organisation."""
    return await users_of(server, f"rights-{os.getpid()}-{next(_numbers)}")


@pytest.fixture
async def indexers(commons: Commons) -> AsyncIterator[MaintainedStore]:
    """The store as the indexer opens it."""
    store = open_store(commons[Role.INDEXER], embedder_id="fake", dimensions=DIMENSIONS)
    yield store
    await store.close()


@pytest.fixture
async def retrievers(commons: Commons) -> AsyncIterator[MaintainedStore]:
    """The store as the retriever opens it."""
    store = open_store(commons[Role.RETRIEVER], embedder_id="fake", dimensions=DIMENSIONS)
    yield store
    await store.close()


class TestAsTheIndexer(ChunkStoreContract):
    """With the rights of the indexer everything that it does is done."""

    @pytest.fixture
    def store(self, indexers: MaintainedStore) -> ChunkStore:
        return indexers


class TestUpkeepAsTheIndexer(UpkeepContract):
    """Its upkeep too."""

    @pytest.fixture
    def maintained(self, indexers: MaintainedStore) -> MaintainedStore:
        return indexers


async def test_the_retriever_reads_and_writes_nothing(
    indexers: MaintainedStore, retrievers: MaintainedStore
) -> None:
    """What the indexer wrote is found and counted; a write is refused and changes nothing."""
    held, other = chunk_object("held"), chunk_object("other")
    await indexers.insert([held])
    await indexers.insert_history([held])
    await retrievers.open()

    assert ["held"] == await found(retrievers, store_query())
    assert (1, 1) == await retrievers.count()
    assert [held.object_id] == [one.object_id for one in await retrievers.get([held.object_id])]
    for write in (
        retrievers.insert([other]),
        retrievers.insert_history([other]),
        retrievers.erase([held.object_id]),
        retrievers.check_write(),
    ):
        with pytest.raises(StoreUnavailable, match="SCOPS_WEAVIATE_API_KEY its rights"):
            await write
    assert (1, 1) == await indexers.count()


async def asked(
    common: CommonSettings, work: Callable[[WeaviateAsyncClient], Awaitable[object]]
) -> object:
    """Returns what a user is told; None where it is refused."""
    connection = WeaviateConnection(common)
    try:
        return await connection.query(work)
    except (StoreUnavailable, WeaviateBaseError):
        return None
    finally:
        await connection.close()


@pytest.mark.parametrize("role", USED)
async def test_no_role_makes_changes_or_drops_a_collection_or_gives_rights(
    commons: Commons, role: Role
) -> None:
    """Nor does it see users and roles."""
    owner = owner_of(commons[role], embedder_id="fake", dimensions=DIMENSIONS)
    live = owner.generation(1).live
    for work in (
        lambda client: client.collections.create(owner.generation(2).live),
        lambda client: client.collections.delete(live),
        lambda client: client.collections.get(live).config.add_property(
            Property(name="mine", data_type=DataType.TEXT)
        ),
        lambda client: client.alias.update(
            alias_name=owner.aliases.live, new_target_collection=owner.generation(1).history
        ),
        lambda client: client.alias.delete(alias_name=owner.aliases.live),
        lambda client: client.users.db.create(user_id="mine"),
        lambda client: client.roles.create(
            role_name="mine", permissions=Permissions.data(collection="*", read=True)
        ),
        lambda client: client.users.db.assign_roles(
            user_id=schema_name(commons[role].organisation_id, role.value), role_names="admin"
        ),
    ):
        assert await asked(commons[role], work) in (None, False)
    store = open_store(commons[Role.INDEXER], embedder_id="fake", dimensions=DIMENSIONS)
    assert (0, 0) == await store.count()
    await store.close()


@pytest.mark.parametrize("end", ["-b", "b", "-1"])
async def test_no_role_has_anything_of_another_organisation(
    server: WeaviateServer, commons: Commons, end: str
) -> None:
    """Neither chunks nor names nor the time that it has any, both ways, however alike the names."""
    first = commons[Role.INDEXER].organisation_id
    others = await users_of(server, f"{first}{end}")
    stores = {}
    for side, text in ((commons, "mine"), (others, "theirs")):
        organisation = side[Role.INDEXER].organisation_id
        stores[organisation] = open_store(
            side[Role.INDEXER], embedder_id="fake", dimensions=DIMENSIONS
        )
        await stores[organisation].insert([chunk_object(text)])

    for mine, foreign in ((commons, others), (others, commons)):
        owner = owner_of(foreign[Role.INDEXER], embedder_id="fake", dimensions=DIMENSIONS)
        for role in USED:
            key = mine[role].weaviate_api_key
            store = open_store(
                foreign[role].model_copy(update={"weaviate_api_key": key}),
                embedder_id="fake",
                dimensions=DIMENSIONS,
            )
            for call in (store.open(), store.count(), store.search(store_query())):
                with pytest.raises(StoreUnavailable):
                    await call
            with pytest.raises(StoreUnavailable):
                await store.insert([chunk_object("smuggled")])
            await store.close()
            for name in (owner.generation(1).live, owner.aliases.history):
                for work in (
                    lambda client, name=name: client.collections.get(name).query.fetch_objects(),
                    lambda client, name=name: client.collections.get(name).aggregate.over_all(),
                    lambda client, name=name: client.collections.get(name).config.get(),
                ):
                    assert await asked(mine[role], work) is None
            listed = await asked(mine[role], lambda client: client.collections.list_all())
            aliases = await asked(mine[role], lambda client: client.alias.list_all())
            for names in (listed, aliases):
                assert isinstance(names, dict)
                assert names
                assert not any(owner.has(one) for one in names)
    assert [(1, 0), (1, 0)] == [await store.count() for store in stores.values()]
    for store in stores.values():
        await store.close()


async def test_rights_that_a_role_has_beside_are_taken_back(
    server: WeaviateServer, commons: Commons, retrievers: MaintainedStore
) -> None:
    """What an administrator, or an earlier version, gave the role of the retriever."""
    organisation = commons[Role.RETRIEVER].organisation_id
    admin = server.common(organisation_id=organisation, weaviate_api_key=SecretStr(ADMIN_KEY))
    name = schema_name(organisation, Role.RETRIEVER.value)
    live = owner_of(admin, embedder_id="fake", dimensions=DIMENSIONS).prefix + "[0-9a-z]+"
    more = Permissions.data(collection=live, create=True, update=True)
    await asked(
        admin, lambda client: client.roles.add_permissions(role_name=name, permissions=more)
    )
    await retrievers.open()
    await retrievers.insert([chunk_object("while it may")])

    await give_index_rights(admin)

    with pytest.raises(StoreUnavailable):
        await retrievers.insert([chunk_object("no more")])
    assert (1, 0) == await retrievers.count()


async def test_users_that_the_server_names_itself_are_given_rights(tmp_path: Path) -> None:
    """As deployed: by its environment, with keys that are drawn; one that it lacks is told."""
    server = WeaviateServer(tmp_path / "weaviate")
    names = [ADMIN, "scops_acme_indexer", "scops_acme_retriever"]
    keys = [ADMIN_KEY, "key-of-the-indexer", "key-of-the-retriever"]
    server.environment = WITH_USERS | {
        "AUTHENTICATION_DB_USERS_ENABLED": "false",
        "AUTHENTICATION_APIKEY_USERS": ",".join(names),
        "AUTHENTICATION_APIKEY_ALLOWED_KEYS": ",".join(keys),
    }
    server.start()
    try:
        admin = server.common(organisation_id="acme", weaviate_api_key=SecretStr(ADMIN_KEY))
        await provision(admin, embedder_id="fake", dimensions=DIMENSIONS)
        assert names[1:] == list(await give_index_rights(admin))
        store = open_store(
            admin.model_copy(update={"weaviate_api_key": SecretStr(keys[1])}),
            embedder_id="fake",
            dimensions=DIMENSIONS,
        )
        await store.insert([chunk_object("a")])
        assert (1, 0) == await store.count()
        await store.close()
        with pytest.raises(InvalidInput, match="scops_indexer") as refused:
            await give_index_rights(admin.model_copy(update={"organisation_id": "main"}))
        assert "INDEX_USER_UNKNOWN" == refused.value.reason
        by_the_indexer = admin.model_copy(update={"weaviate_api_key": SecretStr(keys[1])})
        with pytest.raises(StoreUnavailable, match="SCOPS_WEAVIATE_API_KEY"):
            await give_index_rights(by_the_indexer)
    finally:
        server.kill()


async def test_a_server_without_roles_says_so(
    weaviate_common: CommonSettings, tmp_path: Path
) -> None:
    """And so does an index that is a file."""
    with pytest.raises(InvalidInput, match="AUTHORIZATION_RBAC_ENABLED"):
        await give_index_rights(weaviate_common)
    with pytest.raises(InvalidInput, match="SCOPS_WEAVIATE_URL"):
        await give_index_rights(CommonSettings(data_dir=tmp_path))
