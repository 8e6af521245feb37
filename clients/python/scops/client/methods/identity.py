"""Who calls, and how much they may."""

from scops.client.calls import Call, Plan
from scops.client.codec import read
from scops.client.values.callers import Caller, Quota

SERVICE = "IdentityService"


def whoami() -> Plan[Caller]:
    """Says as whom the gateway is asked, and what that may apart from any scope."""
    return read(Caller, (yield Call(SERVICE, "WhoAmI")))


def get_quotas(principal: str = "") -> Plan[tuple[Quota, ...]]:
    """Says what a principal holds and has spent today, and how much they may.

    Args:
        principal: `user:…` or `service:…`, for operators and administrators; empty is the caller.
    """
    response = yield Call(SERVICE, "GetQuotas", {"principal": principal})
    return tuple(read(Quota, one) for one in response.quotas)
