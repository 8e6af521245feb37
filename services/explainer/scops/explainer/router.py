"""Which questions the explainer answers; it consumes no event."""

from collections.abc import Mapping
from typing import Any

from scops.common.query.ports import ANSWER, EXPLAIN, FIND, RANK_LINKS, RESOLVE, QueryMethod
from scops.common.runtime.service import Answer
from scops.explainer.handlers.answer import answer, find
from scops.explainer.handlers.explain import explain
from scops.explainer.handlers.links import rank_links
from scops.explainer.handlers.resolve import resolve

ANSWERS: Mapping[QueryMethod[Any, Any], Answer] = {
    FIND: find,
    ANSWER: answer,
    EXPLAIN: explain,
    RESOLVE: resolve,
    RANK_LINKS: rank_links,
}
