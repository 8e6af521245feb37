"""Which languages an index in Weaviate holds, so that queries are analysed for them."""

import math
from collections import Counter

from weaviate import WeaviateAsyncClient
from weaviate.classes.aggregate import GroupByAggregate

from scops.common.contract.ids import monotonic_seconds
from scops.libraries.index.weaviate.objects import LANGUAGE
from scops.libraries.index.words.language import main_languages

# A language that is new to an index is found by its words as they are until then.
KNOWN_SECONDS = 60.0
GROUPS_MAX = 100


class HeldLanguages:
    """The languages of the live passages, counted again after a while."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._known_until = -math.inf

    def note(self, language: str) -> None:
        """Counts a passage that this process has just written."""
        self._counts[language] += 1

    async def main(self, client: WeaviateAsyncClient, collection: str) -> tuple[str, ...]:
        """Returns the languages that a query is analysed for; of all scopes together."""
        if monotonic_seconds() >= self._known_until:
            groups = await client.collections.get(collection).aggregate.over_all(
                group_by=GroupByAggregate(prop=LANGUAGE, limit=GROUPS_MAX)
            )
            self._counts = Counter(
                {str(one.grouped_by.value): one.total_count or 0 for one in groups.groups}
            )
            self._known_until = monotonic_seconds() + KNOWN_SECONDS
        return main_languages(self._counts)
