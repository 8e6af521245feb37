"""The Weaviate chunk store keeps the port's contract, and leaks nothing by its tokenizer."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from weaviate.classes.data import DataObject

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.libraries.index.ports import ChunkObject, ChunkStore, StoreHit
from scops.libraries.index.upkeep import MaintainedStore
from scops.libraries.index.weaviate import chunk_store, schema, search
from scops.libraries.index.weaviate.chunk_store import WeaviateChunkStore
from scops.libraries.index.weaviate.objects import LANGUAGE, WORDS, data_object, words_of
from scops.libraries.index.weaviate.opening import open_generations, open_store, provision
from scops.libraries.index.words.analysis import folded
from tests.contract.chunk_store.chunk_objects import (
    DIMENSIONS,
    chunk_object,
    clause,
    found,
    store_query,
)
from tests.contract.chunk_store.chunk_store_contract import ChunkStoreContract
from tests.contract.chunk_store.upkeep_contract import UpkeepContract


class TestInWeaviate(ChunkStoreContract):
    """Against a real server."""

    @pytest.fixture
    def store(self, weaviate_store: WeaviateChunkStore) -> ChunkStore:
        return weaviate_store


class TestUpkeep(UpkeepContract):
    """Against a real server."""

    @pytest.fixture
    def maintained(self, weaviate_store: MaintainedStore) -> MaintainedStore:
        return weaviate_store


class TestInNarrowFilters(ChunkStoreContract):
    """With so few values in a filter that wide scopes are asked in several queries."""

    @pytest.fixture
    async def store(
        self, weaviate_common: CommonSettings, monkeypatch: pytest.MonkeyPatch
    ) -> AsyncIterator[ChunkStore]:
        monkeypatch.setattr(search, "FILTER_VALUES_MAX", 10)
        await provision(weaviate_common, embedder_id="fake", dimensions=DIMENSIONS)
        store = open_store(weaviate_common, embedder_id="fake", dimensions=DIMENSIONS)
        yield store
        await store.close()


async def test_words_are_told_before_the_answer(weaviate_store: WeaviateChunkStore) -> None:
    """The hits of BM25 are told once, whole, and are among those returned."""
    await weaviate_store.insert([chunk_object("a", text="quokka"), chunk_object("b", text="river")])
    told: list[StoreHit] = []
    query = replace(store_query(text="quokka"), on_bm25_hits=told.extend)
    hits = await weaviate_store.search(query)

    assert {"a", "b"} == {hit.chunk_id for hit in hits}
    assert ["a"] == [hit.chunk_id for hit in told]


@pytest.mark.parametrize(
    ("token", "others"),
    [
        ("a.example/x", ("a.example/xy", "a.example/x-y", "a.example/X", "a.example/y/x")),
        ("a.example", ("b.a.example", "a.example.org", "example", "a-example")),
        ("team-a", ("team-b", "team", "x/team/a", "Team-A", "team a")),
    ],
)
async def test_tokens_match_whole(
    weaviate_store: WeaviateChunkStore, token: str, others: tuple[str, ...]
) -> None:
    """A prefix admits exactly its own token: no part, no other case, no longer path."""
    objects = [_of_tokens(name, (name,)) for name in (token, *others)]
    await weaviate_store.insert(objects)

    assert [token] == await found(weaviate_store, store_query(clause(token)))
    assert set(others) == set(
        await found(weaviate_store, store_query(clause(token, *others, exclude=(token,))))
    )


async def test_access_contexts_match_whole(weaviate_store: WeaviateChunkStore) -> None:
    """What was fetched with one credential is not seen by the holder of a similar one."""
    for context in ("credential-1", "credential-10", "credential"):
        await weaviate_store.insert([chunk_object(context, access_context=context)])
    holder = clause("*.org", contexts=("credential-1",))

    assert ["credential-1"] == await found(weaviate_store, store_query(holder))


async def test_scope_wider_than_a_filter_is_exact(
    weaviate_common: CommonSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of prefixes over several scopes admit what they name, best first."""
    names = [f"https://h{n}.example.net/page" for n in range(60)]
    monkeypatch.setattr(search, "FILTER_VALUES_MAX", 20)
    await provision(weaviate_common, embedder_id="fake", dimensions=DIMENSIONS)
    store = open_store(weaviate_common, embedder_id="fake", dimensions=DIMENSIONS)
    await store.insert([chunk_object(f"c{n}", url=url) for n, url in enumerate(names)])
    wide = clause(*(f"h{n}.example.net" for n in range(50)), exclude=("h3.example.net",))
    other = clause("h55.example.net")

    expected = {f"c{n}" for n in (*range(50), 55)} - {"c3"}
    assert expected == set(await found(store, store_query(wide, other, limit=100)))
    assert 5 == len(await found(store, store_query(wide, other, limit=5)))
    await store.close()


async def test_organisations_do_not_meet(weaviate_common: CommonSettings) -> None:
    """An organisation whose name ends like a generation has an index of its own."""
    first = weaviate_common
    second = first.model_copy(update={"organisation_id": f"{first.organisation_id}-1"})
    owner = {"embedder_id": "fake", "dimensions": DIMENSIONS}
    stores = []
    for common in (first, second):
        await provision(common, **owner)
        stores.append(open_store(common, **owner))
    await stores[0].insert([chunk_object("mine")])

    assert [(1, 0), (0, 0)] == [await store.count() for store in stores]
    for store in stores:
        await store.close()


async def test_a_purge_and_a_rebuild_leave_the_other_organisation_as_it_was(
    weaviate_common: CommonSettings,
) -> None:
    """Objects of the same ids are two; erased, rebuilt and dropped is one's own alone."""
    owner = {"embedder_id": "fake", "dimensions": DIMENSIONS}
    commons = [
        weaviate_common.model_copy(
            update={"organisation_id": f"{weaviate_common.organisation_id}{end}"}
        )
        for end in ("", "-b")
    ]
    shared, stores = chunk_object("the same page"), []
    for common in commons:
        await provision(common, **owner)
        stores.append(open_store(common, **owner))
        await stores[-1].insert([shared])

    await stores[0].erase([shared.object_id])
    rebuilt = open_generations(commons[0], **owner)
    fresh = await rebuilt.create()
    await rebuilt.switch()
    dropped = await rebuilt.drop_old()

    assert dropped
    assert [(0, 0), (1, 0)] == [await store.count() for store in stores]
    assert ["the same page"] == await found(stores[1], store_query())
    for opened in (*stores, fresh, rebuilt):
        await opened.close()


async def test_provision_twice_keeps_the_content(
    weaviate_store: WeaviateChunkStore, weaviate_common: CommonSettings
) -> None:
    """Provisioning an existing index changes nothing."""
    await weaviate_store.insert([chunk_object("a")])
    await provision(weaviate_common, embedder_id="fake", dimensions=DIMENSIONS)

    assert (1, 0) == await weaviate_store.count()


def _as_earlier(item: ChunkObject, *, history: bool) -> DataObject[dict[str, Any], None]:
    """Returns an object as it was written before its words were analysed."""
    row = data_object(item, history=history)
    properties = {name: value for name, value in row.properties.items() if name != LANGUAGE}
    return replace(row, properties=properties | {WORDS: folded(words_of(item))})


async def test_index_of_an_earlier_version_gets_what_it_lacks_by_provisioning(
    weaviate_common: CommonSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Services name the command; what the index held stays, unread, and new objects are read."""
    owner = {"embedder_id": "fake", "dimensions": DIMENSIONS}
    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "_later_properties", list)
        earlier.setattr(chunk_store, "data_object", _as_earlier)
        await provision(weaviate_common, **owner)
        store = open_store(weaviate_common, **owner)
        await store.open()
        await store.insert([chunk_object("old", text="The permits of that town expired.")])
    with pytest.raises(StoreUnavailable, match="scops provision"):
        await store.open()
    await provision(weaviate_common, **owner)
    await store.open()
    await store.insert([chunk_object("new", mentions=("oslo",))])
    told = await store.search(store_query(with_mentions=True))

    assert {"old": None, "new": {"oslo"}} == {hit.chunk_id: hit.mentions for hit in told}
    assert ["new"] == await found(store, store_query(mentioning=("oslo",)))
    by_words = await store.search(store_query(text="expired"))
    assert {"old": True, "new": False} == {one.chunk_id: one.bm25 is not None for one in by_words}
    assert set() == await store.lost(await store.get([one.object_id for one in by_words]))
    await store.close()


async def test_missing_index_names_the_command(weaviate_common: CommonSettings) -> None:
    """A store that was not provisioned is not created by a service."""
    store = open_store(weaviate_common, embedder_id="fake", dimensions=DIMENSIONS)

    with pytest.raises(StoreUnavailable, match="scops provision"):
        await store.insert([chunk_object("a")])
    await store.close()


async def test_store_of_another_embedder_is_refused(
    weaviate_store: WeaviateChunkStore, weaviate_common: CommonSettings
) -> None:
    """Another embedder neither reads nor writes, also when its vectors have the same length."""
    await weaviate_store.insert([chunk_object("a")])
    other = open_store(weaviate_common, embedder_id="another", dimensions=DIMENSIONS)

    for call in (other.count(), other.insert([chunk_object("b")]), other.search(store_query())):
        with pytest.raises(PermanentError, match="scops rebuild") as refused:
            await call
        assert "EMBEDDER_MISMATCH" == refused.value.reason
    assert (1, 0) == await weaviate_store.count()
    await other.close()


def _of_tokens(name: str, tokens: tuple[str, ...]) -> ChunkObject:
    """Builds an object with these tokens instead of a URL's."""
    return replace(chunk_object(name), url_prefixes=tokens)


async def test_erased_objects_leave_every_generation(
    weaviate_store: WeaviateChunkStore, weaviate_common: CommonSettings
) -> None:
    """Also one that is being built."""
    generations = open_generations(weaviate_common, embedder_id="fake", dimensions=DIMENSIONS)
    building = await generations.create()
    gone, stays = chunk_object("gone"), chunk_object("stays")
    for store in (weaviate_store, building):
        await store.insert([gone, stays])
        await store.insert_history([gone])
    await weaviate_store.erase([gone.object_id])

    assert [(1, 0), (1, 0)] == [await one.count() for one in (weaviate_store, building)]
    await generations.close()
