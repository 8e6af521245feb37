"""What every chunk store promises, as a mixin: subclass it and yield an empty store.

A subclass gives the fixture `store`, an empty store of `DIMENSIONS` dimensions.
"""

import asyncio
import itertools
from dataclasses import replace

import numpy as np
import pytest

from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.common.contract.ids import PageId
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.urls import url_prefixes
from scops.libraries.index.ports import ChunkStore
from tests.contract.chunk_store.chunk_history_contract import ChunkHistoryContract
from tests.contract.chunk_store.chunk_mentions_contract import ChunkMentionsContract
from tests.contract.chunk_store.chunk_objects import (
    DIMENSIONS,
    chunk_object,
    clause,
    direction,
    found,
    store_query,
)


class ChunkStoreContract(ChunkMentionsContract, ChunkHistoryContract):
    """The rules of the port, one a test."""

    async def test_empty_store_finds_nothing(self, store: ChunkStore) -> None:
        """An empty store answers with no hits and no error."""
        assert [] == await store.search(store_query(text="anything"))
        assert (0, 0) == await store.count()

    async def test_hit_carries_what_was_stored(self, store: ChunkStore) -> None:
        """A hit names its object and carries its texts and its similarity."""
        item = chunk_object("a", vector=direction(3.0, 4.0), header="Title > Part", text="Tea")
        await store.insert([item])

        (hit,) = await store.search(store_query(text="tea"))

        assert (item.object_id, item.chunk_id, item.page_id) == (
            hit.object_id,
            hit.chunk_id,
            hit.page_id,
        )
        assert ("Title > Part", "Tea") == (hit.header, hit.text)
        assert pytest.approx(0.6, abs=1e-5) == hit.similarity
        assert hit.bm25 is not None

    async def test_id_that_begins_with_zeros_comes_back_whole(self, store: ChunkStore) -> None:
        """An object is named in full whatever its first bytes are; one in 256 begins with 0."""
        names = (f"chunk-{number}" for number in itertools.count())
        item = next(one for one in map(chunk_object, names) if str(one.object_id).startswith("00"))
        await store.insert([item])

        (hit,) = await store.search(store_query(text=item.text))

        assert item.object_id == hit.object_id

    async def test_hits_come_by_falling_similarity(self, store: ChunkStore) -> None:
        """The most similar chunk comes first."""
        await store.insert(
            [
                chunk_object("far", vector=direction(0.0, 1.0)),
                chunk_object("near", vector=direction(1.0, 0.1)),
                chunk_object("middle", vector=direction(1.0, 1.0)),
            ]
        )

        assert ["near", "middle", "far"] == await found(store, store_query())

    async def test_vector_that_is_still_being_made_is_waited_for(self, store: ChunkStore) -> None:
        """A search that begins before its vector is there finds the same."""
        await store.insert([chunk_object("a", text="tea"), chunk_object("b", text="cocoa")])
        query = store_query(text="cocoa", vector=direction(1.0, 0.5))
        embedding = asyncio.get_running_loop().create_future()

        searching = asyncio.create_task(store.search(replace(query, vector=embedding)))
        await asyncio.sleep(0)
        embedding.set_result(query.vector)

        assert await store.search(query) == await searching

    async def test_vector_that_cannot_be_made_is_the_error_of_the_search(
        self, store: ChunkStore
    ) -> None:
        """What went wrong with the embedding reaches whoever asked."""
        embedding = asyncio.get_running_loop().create_future()
        embedding.set_exception(StoreUnavailable("No embedder."))

        with pytest.raises(StoreUnavailable, match="No embedder"):
            await store.search(replace(store_query(text="tea"), vector=embedding))

    async def test_limit_holds_for_each_side(self, store: ChunkStore) -> None:
        """The result is the union of the best by vector and the best by BM25."""
        await store.insert(
            [
                chunk_object("near", vector=direction(1.0)),
                chunk_object("second", vector=direction(1.0, 0.5)),
                chunk_object("worded", vector=direction(0.0, 1.0), text="zeppelin zeppelin"),
                chunk_object("less-worded", vector=direction(0.0, 1.0), text="a zeppelin once"),
            ]
        )

        hits = await store.search(store_query(text="zeppelin", limit=1))

        assert ["near", "worded"] == [str(hit.chunk_id) for hit in hits]
        assert hits[0].bm25 is None
        assert hits[1].bm25 is not None
        assert pytest.approx(0.0, abs=1e-5) == hits[1].similarity

    async def test_bm25_reads_the_header(self, store: ChunkStore) -> None:
        """A term of the header finds the chunk."""
        await store.insert([chunk_object("a", header="Zeppelin"), chunk_object("b")])

        hits = await store.search(store_query(text="zeppelin"))

        assert {"a": True, "b": False} == {hit.chunk_id: hit.bm25 is not None for hit in hits}

    async def test_rarer_term_scores_higher(self, store: ChunkStore) -> None:
        """BM25 is higher for the better match."""
        texts = {"rare": "quokka", "common": "river", "other": "river", "third": "river"}
        await store.insert([chunk_object(name, text=text) for name, text in texts.items()])

        hits = await store.search(store_query(text="quokka river"))
        scores = {str(hit.chunk_id): hit.bm25 or 0.0 for hit in hits}

        assert scores["rare"] > scores["common"]

    @pytest.mark.parametrize(
        "text",
        [
            'quokka AND "river',
            "quokka NOT river",
            "header:quokka",
            "quok* NEAR(quokka river, 2)",
            "(quokka",
            "^quokka -river +x",
            "quokka'; DROP TABLE passage; --",
            "\x00 quokka \\",
        ],
    )
    async def test_operators_in_a_query_mean_nothing(self, store: ChunkStore, text: str) -> None:
        """What is an operator of the store's language is text like any other."""
        await store.insert([chunk_object("a", text="the quokka swims"), chunk_object("b")])

        hits = await store.search(store_query(text=text))

        assert [True] == [hit.bm25 is not None for hit in hits if hit.chunk_id == "a"]

    @pytest.mark.parametrize("text", ["", "   ", "?!… —", '"', "*"])
    async def test_query_without_words_still_searches_by_vector(
        self, store: ChunkStore, text: str
    ) -> None:
        """A query of nothing but signs has no BM25 side."""
        await store.insert([chunk_object("a")])

        assert ["a"] == await found(store, store_query(text=text))

    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("Die Größe der Bücher", "BÜCHER"),
            ("Москва слезам не верит", "москва"),
            ("café au lait", "cafe"),
            ("naïve 🦉 emoji\u200b text", "🦉 naïve"),
            ("東京 タワー", "東京"),
        ],
    )
    async def test_unicode_is_kept_and_found(
        self, store: ChunkStore, text: str, query: str
    ) -> None:
        """Texts of any script come back as they were and are found by their words."""
        await store.insert([chunk_object("a", text=text)])

        (hit,) = await store.search(store_query(text=query))

        assert text == hit.text
        assert hit.bm25 is not None

    @pytest.mark.parametrize(
        ("text", "query"),
        [
            (
                "Die Verwaltung hat die Gebühren für alle Wohnungen im Herbst deutlich gesenkt.",
                "Gebühr",
            ),
            ("Администрация снизила сборы за все квартиры в этом городе осенью.", "квартира"),
            ("市政府今年秋天大幅降低了所有住宅的费用。", "住宅费用"),
            ("เทศบาลลดค่าธรรมเนียมสำหรับบ้านทุกหลังในฤดูใบไม้ร่วงนี้", "ค่าธรรมเนียม"),
            ("नगर पालिका ने इस शरद ऋतु में सभी घरों के शुल्क कम कर दिए हैं।", "शुल्क"),
        ],
    )
    async def test_other_form_of_a_word_is_found_in_its_language(
        self, store: ChunkStore, text: str, query: str
    ) -> None:
        """Inflected words and words without spaces around are found, beside another language."""
        english = "The council lowered the fees of every flat in the town this autumn."
        await store.insert([chunk_object("a", text=text), chunk_object("b", text=english)])

        hits = await store.search(store_query(text=query))

        assert {"a": True, "b": False} == {hit.chunk_id: hit.bm25 is not None for hit in hits}

    async def test_query_is_analysed_for_every_language_that_is_held(
        self, store: ChunkStore
    ) -> None:
        """A scope of two languages is asked in both at once."""
        german = "Alle Wohnungen der Stadt wurden im Herbst von der Verwaltung renoviert."
        english = "The council renovated all flats in the town this autumn, and the gardens."
        await store.insert([chunk_object("a", text=german), chunk_object("b", text=english)])

        hits = await store.search(store_query(text="Wohnung garden"))

        assert {"a", "b"} == {hit.chunk_id for hit in hits if hit.bm25 is not None}

    async def test_prefix_ends_at_a_segment(self, store: ChunkStore) -> None:
        """The prefix `docs` does not match `docs-old`."""
        await store.insert(
            [
                chunk_object("in", url="https://example.org/docs/a"),
                chunk_object("self", url="https://example.org/docs"),
                chunk_object("out", url="https://example.org/docs-old/a"),
                chunk_object("host", url="https://example.org.evil.net/docs/a"),
            ]
        )

        assert {"in", "self"} == set(
            await found(store, store_query(clause("example.org/docs"), text="text"))
        )

    async def test_exclude_wins_within_its_clause_only(self, store: ChunkStore) -> None:
        """A clause's exclude keeps out what its include let in; another clause may admit it."""
        await store.insert(
            [
                chunk_object("public", url="https://example.org/docs/a"),
                chunk_object("private", url="https://example.org/docs/private/b"),
            ]
        )
        narrow = clause("example.org/docs", exclude=("example.org/docs/private",))

        assert ["public"] == await found(store, store_query(narrow, text="text"))
        assert {"public", "private"} == set(
            await found(store, store_query(narrow, clause("example.org/docs/private")))
        )

    async def test_access_context_belongs_to_its_clause(self, store: ChunkStore) -> None:
        """What was fetched with a credential is seen only by a scope that holds it."""
        await store.insert(
            [
                chunk_object("open", url="https://a.org/x"),
                chunk_object("secret", url="https://a.org/y", access_context="credential-1"),
                chunk_object("other", url="https://b.org/z", access_context="credential-1"),
            ]
        )
        holder = clause("a.org", contexts=(PUBLIC, "credential-1"))

        assert ["open"] == await found(store, store_query(clause("a.org"), text="text"))
        assert {"open", "secret"} == set(
            await found(store, store_query(holder, clause("b.org"), text="text"))
        )

    async def test_filter_comes_before_the_ranking(self, store: ChunkStore) -> None:
        """A chunk of the scope is found however many better ones lie outside."""
        better = [
            chunk_object(f"better-{number}", url="https://a.org/x", text="owl owl owl")
            for number in range(40)
        ]
        wanted = chunk_object(
            "wanted", url="https://b.org/y", text="an owl among", vector=direction(0.0, 1.0)
        )
        await store.insert([*better, wanted])

        (hit,) = await store.search(store_query(clause("b.org"), text="owl", limit=2))

        assert "wanted" == hit.chunk_id
        assert hit.bm25 is not None

    async def test_filter_agrees_with_its_definition(self, store: ChunkStore) -> None:
        """The store admits exactly what `ScopeFilter.admits` does."""
        hosts = ("a.org", "b.a.org", "c.net")
        paths = ("/", "/x", "/x/", "/x/y?q=1", "/x-y/z", "/é/ß")
        objects = [
            chunk_object(f"{host}{path}", url=f"https://{host}{path}", access_context=context)
            for host in hosts
            for path in paths
            for context in (PUBLIC,)
        ]
        await store.insert(objects)
        tokens = sorted({token for item in objects for token in item.url_prefixes})
        clauses = [clause(token, exclude=(other,)) for token in tokens for other in tokens[::5]]

        for one, other in zip(clauses, reversed(clauses), strict=True):
            query = store_query(one, other, limit=100)
            expected = {
                item.chunk_id
                for item in objects
                if query.scope_filter.admits(item.url_prefixes, item.access_context)
            }

            assert expected == set(await found(store, query))

    async def test_page_restriction_narrows_the_filter(self, store: ChunkStore) -> None:
        """Only chunks of the named pages are found, and only inside the scope."""
        await store.insert(
            [
                chunk_object("one", page="page-1"),
                chunk_object("two", page="page-2"),
                chunk_object("outside", page="page-2", url="https://else.net/"),
            ]
        )

        assert ["two"] == await found(store, store_query(pages=("page-2", "page-9"), text="text"))
        assert [] == await found(store, store_query(pages=(), text="text"))

    async def test_insert_repeats_without_effect(self, store: ChunkStore) -> None:
        """An object_id that is there changes nothing."""
        first = chunk_object("a", text="first")
        await store.insert([first, first])
        await store.insert([chunk_object("a", text="second"), chunk_object("b")])

        assert (2, 0) == await store.count()
        assert ["first"] == [item.text for item in await store.get([first.object_id])]

    async def test_delete_removes_from_both_sides(self, store: ChunkStore) -> None:
        """A deleted object is found neither by vector nor by BM25; deleting again is nothing."""
        gone, stays = chunk_object("gone", text="quokka"), chunk_object("stays", text="quokka")
        await store.insert([gone, stays])
        assert {"gone", "stays"} == set(await found(store, store_query(text="quokka")))

        await store.delete([gone.object_id, gone.object_id])
        await store.delete([gone.object_id])

        assert ["stays"] == await found(store, store_query(text="quokka"))
        assert [] == await store.get([gone.object_id])
        assert (1, 0) == await store.count()

    async def test_deleted_object_can_be_inserted_again(self, store: ChunkStore) -> None:
        """Delete and insert of one object_id leave it there once, with its new content."""
        await store.insert([chunk_object("a", text="old")])
        await store.search(store_query())
        await store.delete([chunk_object("a").object_id])
        await store.insert([chunk_object("a", text="fresh", vector=direction(0.0, 1.0))])

        (hit,) = await store.search(store_query(text="fresh old", vector=direction(0.0, 1.0)))

        assert "fresh" == hit.text
        assert pytest.approx(1.0, abs=1e-5) == hit.similarity

    async def test_delete_of_one_incarnation_spares_the_next(self, store: ChunkStore) -> None:
        """Incarnations are objects of their own; a chunk with two of them is found once."""
        await store.insert([chunk_object("a"), chunk_object("a", incarnation=2)])
        assert ["a"] == await found(store, store_query(text="text"))

        await store.delete([chunk_object("a").object_id])

        assert ["a"] == await found(store, store_query(text="text"))
        assert (1, 0) == await store.count()

    async def test_get_returns_whole_objects(self, store: ChunkStore) -> None:
        """What `get` returns can be inserted elsewhere: nothing is lost."""
        item = chunk_object(
            "a", vector=direction(1.0, 2.0), access_context="credential-1", text="tea ☕"
        )
        await store.insert([item])

        (read,) = await store.get([item.object_id, chunk_object("absent").object_id])

        assert np.array_equal(item.vector, read.vector)
        assert (item.url_prefixes, item.header, item.text, item.embedding_key) == (
            read.url_prefixes,
            read.header,
            read.text,
            read.embedding_key,
        )
        assert ("credential-1", item.page_id) == (read.access_context, read.page_id)

    async def test_set_prefixes_moves_live_and_history(self, store: ChunkStore) -> None:
        """A page's objects are found under the new URL only; other pages stay; twice is once."""
        await store.insert(
            [
                chunk_object("live", url="https://old.org/a"),
                chunk_object("secret", url="https://old.org/a", access_context="credential-1"),
                chunk_object("other", url="https://old.org/b", page="page-2"),
            ]
        )
        await store.insert_history([chunk_object("past", url="https://old.org/a", day_from=0)])
        await store.search(store_query())
        for _ in range(2):
            await store.set_prefixes(PageId("page-1"), url_prefixes("https://new.org/c"))

        old, new = clause("old.org"), clause("new.org")
        assert ["other"] == await found(store, store_query(old, day=1, text="text"))
        assert {"live", "past"} == set(await found(store, store_query(new, day=1, text="text")))

    async def test_wrong_dimension_is_refused(self, store: ChunkStore) -> None:
        """A vector of another embedder is refused as a whole, stored or asked."""
        wrong = np.ones(DIMENSIONS + 1, dtype=np.float32)
        objects = [chunk_object("good"), chunk_object("bad", vector=wrong)]

        with pytest.raises(PermanentError):
            await store.insert(objects)
        with pytest.raises(PermanentError):
            await store.insert_history(objects)
        with pytest.raises(PermanentError):
            await store.search(store_query(vector=wrong))
        assert (0, 0) == await store.count()

    async def test_many_objects_stay_exact(self, store: ChunkStore) -> None:
        """Through growth and many deletions, the vector side equals an exhaustive ranking."""
        generator = np.random.default_rng(7)
        vectors = generator.standard_normal((3000, DIMENSIONS)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        objects = [chunk_object(f"c{n}", vector=vector) for n, vector in enumerate(vectors)]
        for start in range(0, len(objects), 600):
            await store.insert(objects[start : start + 600])
            await store.search(store_query())
        await store.delete([item.object_id for item in objects[:2000]])
        question = direction(1.0, -1.0, 0.5)

        scores = {f"c{n}": float(vectors[n] @ question) for n in range(2000, 3000)}
        expected = sorted(scores, key=lambda name: -scores[name])[:20]

        assert expected == await found(store, store_query(vector=question, limit=20))

    async def test_erased_objects_leave_both_sides(self, store: ChunkStore) -> None:
        """Live and historical ones go, others stay; erasing again changes nothing."""
        gone, stays = chunk_object("gone", text="quokka"), chunk_object("stays", text="quokka")
        await store.insert([gone, stays])
        await store.insert_history([chunk_object("gone", text="quokka", day_from=1, day_to=2)])
        wanted = [gone.object_id, chunk_object("absent").object_id]
        keys = await store.embedding_keys(wanted)
        for _ in range(2):
            await store.erase(wanted)
        await store.scrub()

        assert {"key-gone"} == keys
        assert (1, 0) == await store.count()
        assert ["stays"] == await found(store, store_query(text="quokka"))
        assert frozenset() == await store.embedding_keys(wanted)
