"""Which questions the explainer answers; it consumes no event."""

from collections.abc import Mapping
from typing import Any

from scops.common.query.ports import ANSWER, EXPLAIN, RESOLVE, QueryMethod
from scops.common.runtime.service import Answer
from scops.explainer.citations.resolution import resolve
from scops.explainer.handlers import answer, explain

ANSWERS: Mapping[QueryMethod[Any, Any], Answer] = {
    ANSWER: answer,
    EXPLAIN: explain,
    RESOLVE: resolve,
}
