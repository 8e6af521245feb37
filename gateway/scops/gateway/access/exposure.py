"""Whether a door may be opened to more than this machine."""

from ipaddress import ip_address

from scops.common.contract.errors import InvalidInput
from scops.gateway.settings import GatewaySettings


def check_exposure(settings: GatewaySettings) -> None:
    """Checks that whoever reaches the gateway from elsewhere is known, and that nobody listens.

    Raises:
        InvalidInput: the address is no loopback, and identity or TLS is missing.
    """
    if is_loopback(settings.host):
        return
    missing = []
    if settings.identity == "none":
        missing.append("identity (SCOPS_GATEWAY_IDENTITY=required)")
    if settings.tls == "off":
        missing.append(
            "TLS (SCOPS_GATEWAY_TLS=on with SCOPS_GATEWAY_TLS_CERTIFICATE and "
            "SCOPS_GATEWAY_TLS_KEY, or terminated-upstream where a proxy does it)"
        )
    if missing:
        raise InvalidInput(
            f"The gateway is not opened on {settings.host}: whoever reaches it could read and "
            f"delete everything. It lacks {' and '.join(missing)}. Set them, or keep "
            "SCOPS_GATEWAY_HOST on loopback (127.0.0.1).",
            reason="GATEWAY_EXPOSED",
        )


def is_loopback(host: str) -> bool:
    """Returns whether an address is reached from this machine alone; other names are not asked."""
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
