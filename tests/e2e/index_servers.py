"""Reads the index on PostgreSQL and Weaviate from outside: what it holds, and what it finds."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import weaviate
from weaviate.classes.init import Auth
from weaviate.classes.query import BM25Operator, Filter, MetadataQuery

from scops.common.contract.organisations import schema_name
from tests.e2e.index_files import Chunk, Head
from tests.fakes.servers.postgres import PostgresServer

HEADS = """
SELECT canonical_url, closed::int, manifest_digest, version_id FROM {schema}.head
ORDER BY canonical_url
"""
LISTED = """
SELECT chunk.chunk_id, head.canonical_url FROM {schema}.chunk
JOIN {schema}.head ON head.page_id = chunk.page_id
WHERE chunk.state = 'live' AND chunk.unlisted_since IS NULL
"""
TABLES = """
SELECT table_schema, table_name FROM information_schema.tables
WHERE table_schema LIKE 'scops_%' ORDER BY 1, 2
"""
HOLDS = """
SELECT 1 FROM {table} AS held
WHERE held::text ILIKE '%{word}%' OR held::text ILIKE '%{hex}%' LIMIT 1
"""
VECTOR = "default"
HITS = 5
WORDS = 30
CHUNKS_OF_A_PAGE_MAX = 500


@dataclass(frozen=True, slots=True)
class Found:
    """Chunks that heads list, and which of them are missing by each way of finding them."""

    listed: int
    missing_by_id: list[str]
    missing_by_words: list[str]
    missing_by_vector: list[str]


class IndexServers:
    """The index of one organisation.

    Args:
        database: of the organisation's services.
        weaviate: the settings that name the server, with a key that sees every collection where
            it asks for one.
    """

    def __init__(
        self,
        postgres: PostgresServer,
        database: str,
        weaviate: dict[str, str],
        organisation_id: str,
    ) -> None:
        self._postgres = postgres
        self._database = database
        self._weaviate = weaviate
        self._schema = schema_name(organisation_id, "indexer")
        self._collections = f"Passage_{organisation_id.replace('-', '__')}_"
        self._collection = f"{self._collections}1"

    def heads(self) -> list[Head]:
        """Returns every head: URL, closed, manifest, version."""
        return [tuple(row) for row in self._rows(HEADS.format(schema=self._schema))]  # type: ignore[misc]

    def chunk_objects(self) -> list[tuple[str, str]]:
        """Returns every live object of the store with its chunk."""
        with self._passages() as passages:
            return sorted(
                (str(one.uuid), str(one.properties["chunk_id"])) for one in passages.iterator()
            )

    def chunks_by_url(self) -> list[Chunk]:
        """Returns every chunk that a head lists, as URL, header and text."""
        urls = dict(self._rows(LISTED.format(schema=self._schema)))
        with self._passages() as passages:
            told = [one.properties for one in passages.iterator()]
        return sorted(
            (urls[one["chunk_id"]], str(one["header"]), str(one["text"]))
            for one in told
            if one["chunk_id"] in urls
        )

    def find_all(self) -> Found:
        """Looks for every listed chunk by id, by its words and by its vector."""
        listed = set(dict(self._rows(LISTED.format(schema=self._schema))))
        with self._passages() as passages:
            held = {
                str(one.properties["chunk_id"]): one
                for one in passages.iterator(include_vector=True)
            }
            present = [held[chunk] for chunk in sorted(listed & held.keys())]
            return Found(
                len(listed),
                sorted(listed - held.keys()),
                [_chunk(one) for one in present if not _found_by_words(passages, one)],
                [_chunk(one) for one in present if not _found_by_vector(passages, one)],
            )

    def holders(self, word: str) -> list[str]:
        """Returns every table and collection of the system with a word, in text or in bytes."""
        named = {"word": word, "hex": word.encode().hex()}
        every = [f'"{schema}"."{table}"' for schema, table in self._rows(TABLES)]
        tables = [one for one in every if self._rows(HOLDS.format(table=one, **named))]
        with self._client() as client:
            # The server is shared: other systems have collections in it with the same words.
            names = sorted(str(name) for name in client.collections.list_all(simple=True))
            return tables + [
                name
                for name in names
                if name.startswith(self._collections)
                and any(
                    word in str(one.properties).lower()
                    for one in client.collections.get(name).iterator()
                )
            ]

    def _rows(self, statement: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self._postgres.execute(statement, database=self._database)]

    @contextmanager
    def _passages(self) -> Iterator[Any]:
        with self._client() as client:
            yield client.collections.get(self._collection)

    @contextmanager
    def _client(self) -> Iterator[Any]:
        http = urlsplit(self._weaviate["SCOPS_WEAVIATE_URL"])
        grpc_host, _, grpc_port = self._weaviate["SCOPS_WEAVIATE_GRPC"].rpartition(":")
        key = self._weaviate.get("SCOPS_WEAVIATE_API_KEY")
        with weaviate.connect_to_custom(
            auth_credentials=Auth.api_key(key) if key else None,
            http_host=str(http.hostname),
            http_port=int(http.port or 80),
            http_secure=False,
            grpc_host=grpc_host,
            grpc_port=int(grpc_port),
            grpc_secure=False,
        ) as client:
            yield client


def _chunk(found: Any) -> str:
    return str(found.properties["chunk_id"])


def _found_by_words(passages: Any, one: Any) -> bool:
    """Whether every one of its last words leads to it, among all chunks of its page."""
    words = dict.fromkeys(str(one.properties["words"]).split())
    hits = passages.query.bm25(
        query=" ".join(list(words)[-WORDS:]),
        query_properties=["words"],
        operator=BM25Operator.and_(),
        filters=Filter.by_property("page_id").equal(one.properties["page_id"]),
        limit=CHUNKS_OF_A_PAGE_MAX,
    )
    return _chunk(one) in map(_chunk, hits.objects)


def _found_by_vector(passages: Any, one: Any) -> bool:
    hits = passages.query.near_vector(
        near_vector=one.vector[VECTOR],
        limit=HITS,
        return_metadata=MetadataQuery(distance=True),
    )
    return _chunk(one) in map(_chunk, hits.objects)
