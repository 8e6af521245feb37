"""Who a trusted proxy says that calls: after TLS with a certificate of the client, or a login.

Only addresses that an operator names are believed; from anywhere else the headers are no more than
what any caller may write.
"""

from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from scops.common.access.principal import Principal
from scops.common.contract.errors import InvalidInput
from scops.gateway.identity.tokens import GROUP_CHARACTERS_MAX, GROUPS_MAX, principal_id

# In the place of an issuer, so that nobody else's subject has the same id.
PROXY = "proxy"
NAME_CHARACTERS_MAX = 320
Network = IPv4Network | IPv6Network


class TrustedProxy:
    """Reads what a proxy says of its caller.

    Args:
        addresses: of the proxy, or networks that it is in; none trusts nobody.
        header: that names the caller; empty reads none.
        groups_header: that names groups, with commas; empty reads none.

    Raises:
        InvalidInput: an address is none, or one of header and addresses is missing.
    """

    def __init__(
        self,
        *,
        addresses: tuple[str, ...],
        header: str,
        groups_header: str,
        organisation_id: str,
    ) -> None:
        if bool(addresses) != bool(header):
            raise InvalidInput(
                "SCOPS_GATEWAY_PROXY_HEADER and SCOPS_GATEWAY_PROXY_ADDRESSES belong together: "
                "the header counts from these addresses alone.",
                reason="PROXY_INVALID",
            )
        self._networks = tuple(map(_network, addresses))
        self._header = header.lower()
        self._groups_header = groups_header.lower()
        self._organisation_id = organisation_id

    def principal(self, headers: Mapping[str, str], peer: str) -> Principal | None:
        """Returns whom the proxy names; None where it names nobody, or is none."""
        name = headers.get(self._header, "").strip() if self._header else ""
        if not 0 < len(name) <= NAME_CHARACTERS_MAX or not self._is_trusted(peer):
            return None
        listed = headers.get(self._groups_header, "") if self._groups_header else ""
        groups = [one.strip() for one in listed.split(",")][:GROUPS_MAX]
        return Principal(
            principal_id=principal_id(PROXY, name),
            organisation_id=self._organisation_id,
            email=name.lower() if "@" in name else "",
            groups=frozenset(one for one in groups if 0 < len(one) <= GROUP_CHARACTERS_MAX),
        )

    def _is_trusted(self, peer: str) -> bool:
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None) or address
        return any(mapped in network for network in self._networks)


def _network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise InvalidInput(
            f"The address {text!r} in SCOPS_GATEWAY_PROXY_ADDRESSES is none: {error}.",
            reason="PROXY_INVALID",
        ) from error
