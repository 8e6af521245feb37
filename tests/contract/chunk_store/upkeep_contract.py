"""What every maintained store promises to reconcile and rebuild; a mixin like the contract's."""

import numpy as np

from scops.libraries.index.upkeep import MaintainedStore, Recall, StoredChunk
from tests.contract.chunk_store.chunk_objects import START, chunk_object, direction, store_query


async def scanned(store: MaintainedStore, *, history: bool) -> dict[str, StoredChunk]:
    """Returns everything on one side, by object id."""
    return {item.object_id: item async for batch in store.scan(history=history) for item in batch}


class UpkeepContract:
    """The rules of the port, one a test."""

    async def test_scan_yields_every_object_once(self, maintained: MaintainedStore) -> None:
        """Each side is scanned whole, over more than one batch, with page, chunk and prefixes."""
        live = [chunk_object(f"c{n}", page=f"page-{n % 7}") for n in range(1100)]
        past = [chunk_object(f"p{n}", day_from=n, day_to=n + 1) for n in range(3)]
        await maintained.insert(live)
        await maintained.insert_history(past)
        found = [item async for batch in maintained.scan(history=False) for item in batch]
        history = await scanned(maintained, history=True)

        expected = {(o.object_id, o.chunk_id, o.page_id, o.url_prefixes) for o in live}
        assert len(live) == len(found)
        assert expected == {(i.object_id, i.chunk_id, i.page_id, i.url_prefixes) for i in found}
        assert {(o.object_id, o.observed_from, o.observed_to) for o in past} == {
            (i.object_id, i.observed_from, i.observed_to) for i in history.values()
        }

    async def test_empty_store_scans_to_nothing(self, maintained: MaintainedStore) -> None:
        """A scan of an empty side ends at once."""
        assert {} == await scanned(maintained, history=False)
        assert {} == await scanned(maintained, history=True)

    async def test_look_up_leaves_out_what_is_absent(self, maintained: MaintainedStore) -> None:
        """Objects are looked up by id on their own side; an open end stays open."""
        live, past = chunk_object("live"), chunk_object("past", day_from=0)
        await maintained.insert([live])
        await maintained.insert_history([past])
        wanted = [live.object_id, past.object_id, chunk_object("absent").object_id]
        (found,) = await maintained.look_up(wanted, history=False)
        (old,) = await maintained.look_up(wanted, history=True)

        assert (live.object_id, None, None) == (
            found.object_id,
            found.observed_from,
            found.observed_to,
        )
        assert (past.object_id, START, None) == (
            old.object_id,
            old.observed_from,
            old.observed_to,
        )

    async def test_remove_takes_one_side_only(self, maintained: MaintainedStore) -> None:
        """An object is removed from the side that is named, and twice is once."""
        item = chunk_object("a", day_from=0, day_to=1)
        await maintained.insert([item])
        await maintained.insert_history([item])
        for _ in range(2):
            await maintained.remove([item.object_id], history=True)
        assert (1, 0) == await maintained.count()
        await maintained.remove([item.object_id], history=False)

        assert (0, 0) == await maintained.count()

    async def test_vectors_of_both_sides_are_told_by_key(self, maintained: MaintainedStore) -> None:
        """Of live and of historical objects; what is absent has none."""
        live = chunk_object("live", vector=direction(1.0, 0.5))
        past = chunk_object("past", day_from=0, day_to=1, vector=direction(0.0, 1.0))
        await maintained.insert([live])
        await maintained.insert_history([past])
        absent = chunk_object("absent")
        found = await maintained.vectors([item.object_id for item in (live, past, absent)])

        assert {live.embedding_key, past.embedding_key} == set(found)
        for item in (live, past):
            assert np.allclose(item.vector, found[item.embedding_key], atol=1e-6)

    async def test_recall_of_a_sound_index_is_whole(self, maintained: MaintainedStore) -> None:
        """On a slice of the pages, whatever lies among the nearest was found."""
        vectors = [direction(1.0, n / 10) for n in range(40)]
        items = [
            chunk_object(f"c{n}", page=f"{n % 4:x}-page", vector=vector)
            for n, vector in enumerate(vectors)
        ]
        await maintained.insert(items)
        found = await maintained.recall(
            store_query(vector=direction(1.0, 0.0), limit=20), slice_key="2abc"
        )

        assert found in (None, Recall(expected=5, found=5))

    async def test_sound_objects_are_findable(self, maintained: MaintainedStore) -> None:
        """What was inserted is found, twins of one vector and texts without words included."""
        vectors = [direction(1.0, n / 10) for n in range(20)]
        objects = [chunk_object(f"c{n}", vector=vector) for n, vector in enumerate(vectors)]
        twins = [chunk_object(f"t{n}", vector=direction(0.0, 0.0, 1.0)) for n in range(30)]
        wordless = chunk_object("w", header="", text="…", vector=direction(0.0, 1.0))
        await maintained.insert([*objects, *twins, wordless])
        stored = await maintained.get([o.object_id for o in (*objects, *twins, wordless)])

        assert 51 == len(stored)
        assert frozenset() == await maintained.unfindable(stored)

    async def test_absent_objects_are_unfindable(self, maintained: MaintainedStore) -> None:
        """What is not there is named, and only that."""
        here, gone = chunk_object("here"), chunk_object("gone", vector=direction(0.0, 1.0))
        await maintained.insert([here])

        assert frozenset({gone.object_id}) == await maintained.unfindable([here, gone])
