"""What every use case knows of the call it serves."""

from dataclasses import dataclass
from datetime import datetime

from scops.gateway.access.principal import Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call from outside.

    Attributes:
        deadline: questions to other services are given the same one.
        request_id: the caller's `x-request-id`, or one of ours; on every log line and error.
    """

    principal: Principal
    deadline: datetime
    request_id: str
