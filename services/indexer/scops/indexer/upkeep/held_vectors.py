"""Vectors that another generation of the index holds, so that a rebuild embeds nothing again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import EmbeddingKey, ObjectId
from scops.common.observe.log import get_logger
from scops.libraries.index.ports import FloatArray
from scops.libraries.index.upkeep import MaintainedStore

# Vectors are of unit length; one that is not, or has numbers that are none, is damaged.
LENGTH_DIFFERENCE_MAX = 1e-3
log = get_logger("indexer")


@dataclass(slots=True)
class HeldVectors:
    """The vectors of a generation; of one that cannot be read, none.

    Attributes:
        store: the generation; None once it did not answer, or where there is none.
    """

    store: MaintainedStore | None = None

    async def of(self, object_ids: Sequence[ObjectId]) -> Mapping[EmbeddingKey, FloatArray]:
        """Returns the sound vectors of objects, by what was embedded.

        Returns:
            Each of shape (dimensions,), unit length.
        """
        if self.store is None:
            return {}
        try:
            found = await self.store.vectors(object_ids)
        except ScopsError as error:
            # A rebuild is what mends a damaged generation: texts are embedded instead.
            log.warning("vectors_not_taken_over", detail=error.message)
            self.store = None
            return {}
        return {key: vector for key, vector in found.items() if _is_sound(vector)}


def _is_sound(vector: FloatArray) -> bool:
    return bool(abs(np.linalg.norm(vector) - 1.0) <= LENGTH_DIFFERENCE_MAX)
