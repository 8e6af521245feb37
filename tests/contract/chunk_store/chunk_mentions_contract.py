"""What every chunk store promises of mentions, as a mixin."""

from dataclasses import replace

import pytest

from scops.libraries.index.ports import ChunkStore
from scops.libraries.mentions.port import Mentions
from tests.contract.chunk_store.chunk_objects import (
    chunk_object,
    clause,
    direction,
    found,
    store_query,
)


class ChunkMentionsContract:
    """Mentions are stored with their chunk, and a restriction like any other."""

    async def test_object_keeps_its_mentions_and_who_read_them(self, store: ChunkStore) -> None:
        """In their order; none at all is something else than never read."""
        stored = [
            chunk_object("some", mentions=("ada lovelace", "max_connections", "café")),
            chunk_object("none", mentions=()),
            chunk_object("unread"),
        ]
        await store.insert(stored)
        held = {item.chunk_id: item.mentions for item in await store.get(_ids(stored))}

        assert {item.chunk_id: item.mentions for item in stored} == held

    async def test_hit_carries_mentions_where_they_are_asked_for(self, store: ChunkStore) -> None:
        """Whoever does not walk does not pay for them."""
        await store.insert([chunk_object("a", text="tea", mentions=("oslo", "ada"))])
        await store.insert([chunk_object("b", text="tea", mentions=())])
        await store.insert([chunk_object("c", text="tea")])
        plain = await store.search(store_query(text="tea"))
        told = await store.search(store_query(text="tea", with_mentions=True))

        assert [None] * 3 == [hit.mentions for hit in plain]
        assert {"a": {"oslo", "ada"}, "b": set(), "c": None} == {
            hit.chunk_id: hit.mentions for hit in told
        }

    @pytest.mark.parametrize("text", ["", "text"])
    async def test_mentions_restrict_inside_the_scope(self, store: ChunkStore, text: str) -> None:
        """Whole mentions, any of them, from either side; never what the scope keeps out."""
        await store.insert(
            [
                chunk_object("ada", mentions=("ada lovelace",), vector=direction(1.0, 0.1)),
                chunk_object("oslo", mentions=("x", "oslo"), vector=direction(1.0, 0.2)),
                chunk_object("part", mentions=("ada", "lovelace", "Oslo", "oslo fjord")),
                chunk_object("unread", text="oslo ada lovelace"),
                chunk_object("foreign", mentions=("oslo",), url="https://elsewhere.example.net/x"),
            ]
        )
        both = store_query(clause("*.org"), text=text, mentioning=("oslo", "ada lovelace"))

        assert ["ada", "oslo"] == await found(store, both)
        for asked in (("bergen",), ()):
            assert [] == await found(store, replace(both, mentioning=frozenset(asked)))

    async def test_history_keeps_mentions(self, store: ChunkStore) -> None:
        """A copy is found by them at its time, and a removed object is not."""
        copy = chunk_object("a", mentions=("oslo",), day_from=0, day_to=5)
        await store.insert_history([copy])
        await store.insert([chunk_object("b", mentions=("oslo",))])
        await store.delete([chunk_object("b").object_id])

        assert ["a"] == await found(store, store_query(mentioning=("oslo",), day=3))
        assert [] == await found(store, store_query(mentioning=("oslo",)))

    async def test_object_keeps_the_mentions_that_came_first(self, store: ChunkStore) -> None:
        """As everything of an object but its prefixes: only a rebuild reads anew."""
        first = chunk_object("a", mentions=("oslo",))
        await store.insert([first])
        await store.insert([replace(first, mentions=Mentions(("bergen",), "other/1"))])

        assert [first.mentions] == [one.mentions for one in await store.get([first.object_id])]


def _ids(objects: list) -> list:  # type: ignore[type-arg]
    return [item.object_id for item in objects]
