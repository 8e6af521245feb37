"""What every chunk store promises of historical objects; part of `ChunkStoreContract`."""

from scops.libraries.index.ports import ChunkStore
from tests.contract.chunk_store.chunk_objects import chunk_object, found, store_query


class ChunkHistoryContract:
    """The rules of the port for the history, one a test."""

    async def test_history_answers_only_for_its_interval(self, store: ChunkStore) -> None:
        """A historical object is found with an instant from its beginning up to its end."""
        await store.insert_history([chunk_object("old", text="quokka", day_from=2, day_to=5)])
        by_day = {day: await found(store, store_query(text="quokka", day=day)) for day in range(7)}

        assert [] == await found(store, store_query(text="quokka"))
        assert [2, 3, 4] == [day for day, names in by_day.items() if names == ["old"]]
        assert (0, 1) == await store.count()

    async def test_open_interval_has_no_end(self, store: ChunkStore) -> None:
        """A historical object without an end is found with any later instant."""
        await store.insert_history([chunk_object("old", day_from=2)])

        assert [] == await found(store, store_query(day=1))
        assert ["old"] == await found(store, store_query(day=4000))

    async def test_instant_searches_live_objects_too(self, store: ChunkStore) -> None:
        """Live objects have no interval: the manifest of the page decides."""
        await store.insert([chunk_object("live")])
        await store.insert_history([chunk_object("old", day_from=0, day_to=9)])

        assert {"live", "old"} == set(await found(store, store_query(day=3)))

    async def test_chunk_in_live_and_history_comes_once(self, store: ChunkStore) -> None:
        """A chunk that both hold is one hit, and leaves room for others."""
        objects = [chunk_object(name, day_from=0, day_to=9) for name in ("a", "b")]
        await store.insert(objects)
        await store.insert_history(objects)
        await store.insert_history([chunk_object("a", incarnation=2, day_from=0, day_to=9)])

        hits = await store.search(store_query(text="text", day=3, limit=2))

        assert ["a", "b"] == sorted(str(hit.chunk_id) for hit in hits)
        assert all(hit.bm25 is not None for hit in hits)

    async def test_history_interval_only_grows(self, store: ChunkStore) -> None:
        """Inserting a historical object again widens its interval and changes nothing else."""
        await store.insert_history([chunk_object("old", text="first", day_from=3, day_to=5)])
        await store.search(store_query(day=3))
        await store.insert_history([chunk_object("old", text="second", day_from=4, day_to=8)])
        await store.insert_history([chunk_object("old", text="third", day_from=1, day_to=2)])
        by_day = {day: await store.search(store_query(day=day)) for day in range(10)}

        assert [1, 2, 3, 4, 5, 6, 7] == [day for day, hits in by_day.items() if hits]
        assert {"first"} == {hit.text for hits in by_day.values() for hit in hits}

    async def test_open_end_is_not_closed_again(self, store: ChunkStore) -> None:
        """An interval that has grown without end stays so."""
        await store.insert_history([chunk_object("old", day_from=1)])
        await store.insert_history([chunk_object("old", day_from=1, day_to=2)])

        assert ["old"] == await found(store, store_query(day=9))

    async def test_delete_and_get_mean_live_objects(self, store: ChunkStore) -> None:
        """The history is neither deleted from nor read by object id."""
        item = chunk_object("a", day_from=0, day_to=9)
        await store.insert_history([item])
        await store.delete([item.object_id])

        assert (0, 1) == await store.count()
        assert [] == await store.get([item.object_id])
