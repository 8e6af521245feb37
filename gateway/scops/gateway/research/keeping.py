"""How long a scope is kept that research runs made for themselves."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from scops.common.contract.ids import ScopeId

# A scope is not dropped so long after a run asked for it, beside its days: until that run is kept.
HELD = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeKeeping:
    """A scope that is deleted once no run has used it for so many days.

    Scopes that are kept for good have none.

    Attributes:
        principal_id: whose it is.
        keep_days: the longest wish of the runs that share it.
        due_time: when it is deleted, where no run goes on then.
        is_dropping: whether that has begun.
    """

    organisation_id: str
    scope_id: ScopeId
    principal_id: str
    keep_days: int
    due_time: datetime
    is_dropping: bool = False
