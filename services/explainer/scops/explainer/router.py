"""Which questions the explainer answers; it consumes no event."""

from functools import partial

from scops.common.query.ports import ANSWER, EXPLAIN, RESOLVE
from scops.common.runtime.service import QueryBinding
from scops.explainer.citations.resolution import resolve
from scops.explainer.handlers import answer, explain
from scops.explainer.ports import ExplainerPorts


def queries(ports: ExplainerPorts) -> tuple[QueryBinding, ...]:
    """Binds the questions to their handlers."""
    return (
        QueryBinding(method=ANSWER, answer=partial(answer, ports=ports)),
        QueryBinding(method=EXPLAIN, answer=partial(explain, ports=ports)),
        QueryBinding(method=RESOLVE, answer=partial(resolve, ports=ports)),
    )
