"""Collections and aliases: which there are for an organisation and an embedder.

`Passage_<organisation>_<generation>` and `PassageHistory_…` hold the objects of one embedder; its
name and dimensions stand in their description. Services reach them through one alias for each
embedder, `Passage_<organisation>_e<hash>`, so that a generation can be replaced under them while
no process ever searches vectors of another embedder.
"""

import json
import re
from dataclasses import asdict, dataclass, replace
from typing import Any

from weaviate import WeaviateAsyncClient
from weaviate.classes.config import (
    Configure,
    DataType,
    Property,
    StopwordsPreset,
    Tokenization,
    VectorDistances,
    VectorFilterStrategy,
)

from scops.common.config.settings import WeaviateSettings
from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.common.contract.ids import content_hash
from scops.libraries.index.other_embedder import REBUILD_COMMAND, other_embedder
from scops.libraries.index.weaviate.objects import LANGUAGE, MENTIONS, MENTIONS_BY, WORDS

FORMAT = 1
BM25_K1 = 1.2
BM25_B = 0.75
HASH_DIGITS = 8
LIVE = "Passage"
HISTORY = "PassageHistory"
PROVISION_COMMAND = "scops provision"


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The live and the history side of an index; aliases or collections."""

    live: str
    history: str

    def of(self, *, history: bool) -> str:
        """Returns one of both."""
        return self.history if history else self.live


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a collection's description says, as JSON.

    Attributes:
        complete: a rebuild that has not ended yet leaves a generation that nobody may use.
    """

    embedder_id: str
    dimensions: int
    complete: bool
    format: int = FORMAT


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose index it is."""

    organisation_id: str
    embedder_id: str
    dimensions: int

    @property
    def aliases(self) -> Names:
        """How services reach it."""
        digest = content_hash(self.embedder_id)[:HASH_DIGITS]
        return self._names(f"e{digest}")

    def generation(self, number: int) -> Names:
        """Returns the collections of one generation."""
        return self._names(str(number))

    @property
    def description(self) -> Description:
        """What the description of a complete collection of ours says."""
        return Description(embedder_id=self.embedder_id, dimensions=self.dimensions, complete=True)

    def has(self, name: str) -> bool:
        """Returns whether a collection or alias is of this organisation, of any embedder."""
        side = LIVE + name.removeprefix(HISTORY) if name.startswith(HISTORY) else name
        last = side.removeprefix(self.prefix)
        return last != side and "_" not in last

    @property
    def prefix(self) -> str:
        """What every live name of the organisation begins with."""
        return prefix_of(self.organisation_id)

    def _names(self, last: str) -> Names:
        live = f"{self.prefix}{last}"
        return Names(live=live, history=HISTORY + live.removeprefix(LIVE))


def prefix_of(organisation_id: str) -> str:
    """Returns what the names of an organisation's live collections and aliases begin with."""
    # A dash becomes two underscores: with single ones around, no two organisations meet.
    return f"{LIVE}_{organisation_id.replace('-', '__')}_"


async def provision(client: WeaviateAsyncClient, owner: Owner, settings: WeaviateSettings) -> None:
    """Creates the first generation of an organisation; where it has an index, that stays.

    An index of an earlier version gets the properties that it lacks, empty on what it holds. One
    of another embedder stays as it is: services say what to do.
    """
    number = await current_generation(client, owner)
    if number is not None:
        await _add_lacking(client, owner.generation(number))
        return
    known = await generations(client, owner)
    mine = [number for number, told in known.items() if told == owner.description]
    if known and not mine:
        return
    number = max(mine, default=1)
    if not mine:
        await create_generation(client, owner, number, settings, complete=True)
    await point_aliases(client, owner, number)


async def _add_lacking(client: WeaviateAsyncClient, names: Names) -> None:
    for name in (names.live, names.history):
        for missing in await _lacking(client, name):
            await client.collections.get(name).config.add_property(missing)


async def _lacking(client: WeaviateAsyncClient, name: str) -> list[Property]:
    """Returns the later properties that a collection does not have."""
    config = await client.collections.get(name).config.get(simple=True)
    held = {one.name for one in config.properties}
    return [one for one in _later_properties() if one.name not in held]


async def create_generation(
    client: WeaviateAsyncClient,
    owner: Owner,
    number: int,
    settings: WeaviateSettings,
    *,
    complete: bool,
) -> Names:
    """Creates the collections of a generation and returns their names."""
    names = owner.generation(number)
    for history in (False, True):
        name = names.of(history=history)
        if not await client.collections.exists(name):
            await _create(client, name, owner, settings, history=history, complete=complete)
    await _add_lacking(client, names)
    return names


async def point_aliases(client: WeaviateAsyncClient, owner: Owner, number: int) -> None:
    """Points the aliases of the owner at a generation."""
    names = owner.generation(number)
    for history in (False, True):
        alias, target = owner.aliases.of(history=history), names.of(history=history)
        if await client.alias.get(alias_name=alias) is None:
            await client.alias.create(alias_name=alias, target_collection=target)
        else:
            await client.alias.update(alias_name=alias, new_target_collection=target)


async def generations(client: WeaviateAsyncClient, owner: Owner) -> dict[int, Description]:
    """Returns the generations of an organisation, of any embedder, by number."""
    pattern = re.compile(re.escape(owner.prefix) + r"(\d+)")
    found = {}
    for name, config in (await client.collections.list_all(simple=True)).items():
        matched = pattern.fullmatch(name)
        if matched is not None:
            found[int(matched.group(1))] = read_description(config.description)
    return dict(sorted(found.items()))


async def current_generation(client: WeaviateAsyncClient, owner: Owner) -> int | None:
    """Returns the generation that the owner's alias points at; None without one."""
    alias = await client.alias.get(alias_name=owner.aliases.live)
    return None if alias is None else int(alias.collection.removeprefix(owner.prefix))


async def check(client: WeaviateAsyncClient, owner: Owner) -> None:
    """Checks that the owner has an index.

    Raises:
        StoreUnavailable: it was not provisioned yet.
        PermanentError: the organisation's index belongs to another embedder, or has a format
            that this version does not read.
    """
    number = await current_generation(client, owner)
    known = await generations(client, owner)
    if number is None:
        raise _no_index(owner, known)
    told = known[number]
    if replace(told, complete=True) != owner.description:
        raise PermanentError(
            f"The index {owner.generation(number).live} is of format {told.format}, for "
            f"{told.embedder_id} with {told.dimensions} dimensions; this process needs format "
            f"{FORMAT}, {owner.embedder_id}, {owner.dimensions}. Run `{REBUILD_COMMAND}`.",
            reason="INDEX_FORMAT_MISMATCH",
        )
    live = owner.generation(number).live
    if await _lacking(client, live):
        raise StoreUnavailable(
            f"The index {live} is of an earlier version and cannot hold all that is known yet. "
            f"Run `{PROVISION_COMMAND}` again; nothing is lost.",
            reason="INDEX_NOT_PROVISIONED",
        )


def read_description(text: str | None) -> Description:
    """Reads a description; one that is not ours belongs to nobody."""
    try:
        return Description(**json.loads(text or ""))
    except (ValueError, TypeError):
        return Description(embedder_id="", dimensions=0, complete=False, format=0)


def as_text(told: Description) -> str:
    """Returns a description as it is written."""
    return json.dumps(asdict(told))


def _no_index(owner: Owner, known: dict[int, Description]) -> PermanentError | StoreUnavailable:
    others = [told for told in known.values() if told.complete]
    if not others:
        return StoreUnavailable(
            f"Weaviate has no index of organisation {owner.organisation_id} yet. "
            f"Run `{PROVISION_COMMAND}` first.",
            reason="INDEX_NOT_PROVISIONED",
        )
    newest = others[-1]
    return other_embedder(
        f"of organisation {owner.organisation_id}",
        stored=newest.embedder_id,
        stored_dimensions=newest.dimensions,
        configured=owner.embedder_id,
        dimensions=owner.dimensions,
    )


async def _create(
    client: WeaviateAsyncClient,
    name: str,
    owner: Owner,
    settings: WeaviateSettings,
    *,
    history: bool,
    complete: bool,
) -> None:
    await client.collections.create(
        name,
        description=as_text(replace(owner.description, complete=complete)),
        properties=_properties(history=history),
        vector_config=Configure.Vectors.self_provided(
            vector_index_config=Configure.VectorIndex.hnsw(
                distance_metric=VectorDistances.COSINE,
                filter_strategy=VectorFilterStrategy.ACORN,
                flat_search_cutoff=settings.weaviate_flat_search_cutoff,
            )
        ),
        inverted_index_config=Configure.inverted_index(
            bm25_k1=BM25_K1,
            bm25_b=BM25_B,
            # Which words tell nothing depends on the language; their frequency says it as well.
            stopwords_preset=StopwordsPreset.NONE,
        ),
        sharding_config=Configure.sharding(desired_count=settings.weaviate_shards),
        replication_config=Configure.replication(factor=settings.weaviate_replicas),
    )


def _properties(*, history: bool) -> list[Property]:
    properties = [
        _token("chunk_id", filterable=False),
        _token("page_id"),
        _token("access_context"),
        _token("url_prefixes", DataType.TEXT_ARRAY),
        _prose("header", searchable=False),
        _prose("text", searchable=False),
        # Terms, which Weaviate's tokenizer leaves as they are.
        _prose(WORDS),
        _token("embedding_key", filterable=False),
        *_later_properties(),
    ]
    return properties + ([_date("observed_from"), _date("observed_to")] if history else [])


def _later_properties() -> list[Property]:
    """Returns what was added to the first format; an index gets it without a rebuild."""
    return [
        _token(LANGUAGE),
        _token(MENTIONS, DataType.TEXT_ARRAY),
        _token(MENTIONS_BY, filterable=False),
    ]


def _token(name: str, data_type: DataType = DataType.TEXT, *, filterable: bool = True) -> Property:
    """Returns a property whose values match whole or not at all: `word` would leak scopes."""
    options: dict[str, Any] = {"index_filterable": filterable, "index_searchable": False}
    return Property(name=name, data_type=data_type, tokenization=Tokenization.FIELD, **options)


def _prose(name: str, *, searchable: bool = True) -> Property:
    return Property(
        name=name,
        data_type=DataType.TEXT,
        tokenization=Tokenization.WORD,
        index_filterable=False,
        index_searchable=searchable,
    )


def _date(name: str) -> Property:
    return Property(
        name=name, data_type=DataType.DATE, index_filterable=True, index_range_filters=True
    )
