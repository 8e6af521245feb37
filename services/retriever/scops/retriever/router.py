"""Which questions the retriever answers; it consumes no event."""

from functools import partial

from scops.common.query.ports import RETRIEVE
from scops.common.runtime.service import QueryBinding
from scops.retriever.handlers import retrieve
from scops.retriever.ports import RetrieverPorts


def queries(ports: RetrieverPorts) -> tuple[QueryBinding, ...]:
    """Binds the questions to their handlers."""
    return (QueryBinding(method=RETRIEVE, answer=partial(retrieve, ports=ports)),)
