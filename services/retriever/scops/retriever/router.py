"""Which questions the retriever answers; it consumes no event."""

from collections.abc import Mapping
from typing import Any

from scops.common.query.ports import EMBED, RETRIEVE, VECTORS, QueryMethod
from scops.common.runtime.service import Answer
from scops.retriever.handlers import embed, retrieve, vectors

ANSWERS: Mapping[QueryMethod[Any, Any], Answer] = {
    RETRIEVE: retrieve,
    EMBED: embed,
    VECTORS: vectors,
}
