"""Which network addresses may be connected to.

Public unicast addresses on web ports are; everything else is refused unless a setting allows its
range and port. The list stands beside `ipaddress.is_global`, which in Python 3.11 calls NAT64,
6to4, multicast and other ranges global although they reach, or may reach, private networks
(measured; operations.md section 2).
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from scops.common.contract.errors import InvalidInput
from scops.common.scope.hosts import EVERY_HOST, HostLists
from scops.common.scope.hosts import REASON as HOST_DENIED

WEB_PORTS = frozenset({80, 443, 8080, 8443})
_DEFAULT_PORTS = {"http": 80, "https": 443}

_DENIED = tuple(
    ip_network(text)
    for text in (
        "100.64.0.0/10",  # Shared address space, RFC 6598.
        "168.63.129.16/32",  # Azure's own, where its machines read their secrets.
        "192.0.0.0/24",  # Protocol assignments, RFC 6890.
        "192.88.99.0/24",  # 6to4 relays, RFC 7526.
        "198.18.0.0/15",  # Benchmarking, RFC 2544.
        "240.0.0.0/4",  # Reserved, RFC 1112.
        "2001::/32",  # Teredo, RFC 4380.
        "2002::/16",  # 6to4, RFC 3056.
        "3fff::/20",  # Documentation, RFC 9637.
    )
)

# All that IANA gives out. Outside lie IPv4-compatible addresses (::127.0.0.1), translated ones
# (::ffff:0:127.0.0.1, RFC 2765), NAT64 (64:ff9b::7f00:1, RFC 6052 and 8215), SRv6 SIDs (RFC 9602)
# and site-local ones (RFC 3879).
_GLOBAL_UNICAST = IPv6Network("2000::/3")

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class AllowedRange:
    """A range that may be reached although it is not public.

    Args:
        network: the range.
        ports: the ports that may be reached in it; None means every port.
    """

    network: Network
    ports: frozenset[int] | None

    def holds(self, address: Address, port: int) -> bool:
        """Says whether the address and port are in it."""
        same_version = address.version == self.network.version
        return (
            same_version and address in self.network and (self.ports is None or port in self.ports)
        )


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is asked; `reason` is ADDRESS_DENIED, PORT_DENIED or HOST_DENIED."""

    reason: str
    detail: str


class AddressDenied(OSError):
    """A connection that the policy refuses; an OSError, as connectors expect of a socket."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressPolicy:
    """Decides about addresses.

    Args:
        allowed: ranges reachable although not public.
        denied: ranges never reachable, whatever else says so: the cluster's and nodes' own.
        hosts: that an operator lets be reached.
        setting: that allows more, as refusals name it.
    """

    allowed: tuple[AllowedRange, ...] = ()
    denied: tuple[Network, ...] = ()
    hosts: HostLists = EVERY_HOST
    setting: str = "SCOPS_FETCHER_ALLOWED_PRIVATE"

    def check_url(self, url: str) -> None:
        """Lets a canonical URL pass whose host may be crawled, and is no address out of reach.

        Raises:
            AddressDenied: it may not, or is.
        """
        if (denied := self.hosts.refusal(url)) is not None:
            raise AddressDenied(Refusal(HOST_DENIED, denied))
        parts = urlsplit(url)
        host = parts.hostname or ""
        try:
            ip_address(host)
        except ValueError:
            return
        self.check(host, parts.port or _DEFAULT_PORTS[parts.scheme])

    def check(self, host: str, port: int) -> None:
        """Lets a literal address pass that may be connected to.

        Raises:
            AddressDenied: it may not.
            ValueError: `host` is not an address.
        """
        if refusal := self.refusal(host, port):
            raise AddressDenied(refusal)

    def refusal(self, host: str, port: int) -> Refusal | None:
        """Returns why a literal address may not be connected to, or None where it may.

        Raises:
            ValueError: `host` is not an address.
        """
        address = _unwrapped(ip_address(host.strip("[]").partition("%")[0]))
        if any(_in(address, network) for network in self.denied):
            return self._address_refusal(address)
        if any(allowed.holds(address, port) for allowed in self.allowed):
            return None
        if not is_public(address):
            return self._address_refusal(address)
        if port not in WEB_PORTS:
            ports = ", ".join(str(port) for port in sorted(WEB_PORTS))
            return Refusal(
                "PORT_DENIED",
                f"Port {port} is not connected to; use one of {ports}, or allow the address with "
                f"its port in {self.setting}.",
            )
        return None

    def _address_refusal(self, address: Address) -> Refusal:
        return Refusal(
            "ADDRESS_DENIED",
            f"The address {address} is not public, so it is not connected to; where it is meant "
            f"to be, allow its range in {self.setting}.",
        )


def is_public(address: Address) -> bool:
    """Says whether an address is a public unicast one."""
    return (
        address.is_global
        and not address.is_multicast
        and (address.version == 4 or _in(address, _GLOBAL_UNICAST))
        and not any(_in(address, network) for network in _DENIED)
    )


def parse_allowed_ranges(text: str) -> tuple[AllowedRange, ...]:
    """Parses a setting of allowed ranges, such as `SCOPS_FETCHER_ALLOWED_PRIVATE`.

    It is a comma-separated list of `CIDR`, `CIDR:port` or `CIDR:*`, such as
    `127.0.0.0/8:*,10.1.0.0/16:8080,::1/128:80`; without a port the web ports are meant.

    Raises:
        InvalidInput: an entry has another form.
    """
    return tuple(_allowed_range(entry.strip()) for entry in text.split(",") if entry.strip())


def parse_networks(text: str) -> tuple[Network, ...]:
    """Parses a comma-separated list of CIDR ranges.

    Raises:
        InvalidInput: an entry is not a range.
    """
    return tuple(_network(entry.strip()) for entry in text.split(",") if entry.strip())


def _allowed_range(entry: str) -> AllowedRange:
    # The port follows the prefix length, so that the colons of IPv6 are not mistaken for it.
    base, slash, rest = entry.partition("/")
    if not slash:
        raise _invalid(entry, "it lacks the prefix length, as in 127.0.0.0/8:*")
    length, colon, port = rest.partition(":")
    network = _network(f"{base}/{length}")
    if not colon:
        return AllowedRange(network, WEB_PORTS)
    if port == "*":
        return AllowedRange(network, None)
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise _invalid(entry, "after the last colon stands a port from 1 to 65535, or *")
    return AllowedRange(network, frozenset({int(port)}))


def _network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise _invalid(text, f"it is not a CIDR range ({error})") from error


def _unwrapped(address: Address) -> Address:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _in(address: Address, network: Network) -> bool:
    return address.version == network.version and address in network


def _invalid(entry: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"The address range {entry!r} cannot be used: {why}.", reason="INVALID_ADDRESS_RANGE"
    )
