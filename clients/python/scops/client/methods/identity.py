"""Who calls."""

from scops.client.calls import Call, Plan
from scops.client.codec import read
from scops.client.values.callers import Caller


def whoami() -> Plan[Caller]:
    """Says as whom the gateway is asked, and what that may apart from any scope."""
    return read(Caller, (yield Call("IdentityService", "WhoAmI")))
