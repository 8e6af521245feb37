"""The pause a host is given between two requests."""

from dataclasses import dataclass
from ipaddress import ip_address

from scops.common.errors import InvalidInput
from scops.fetcher.address import Network, parse_networks

LOOPBACK_NAMES = {"localhost": "127.0.0.1"}


@dataclass(frozen=True, slots=True)
class HostDelays:
    """Delays by host: one for everybody, and others for ranges of literal addresses.

    Args:
        usual_seconds: for every host that no range holds.
        ranges: the first that holds a literal address wins.
    """

    usual_seconds: float
    ranges: tuple[tuple[Network, float], ...] = ()

    def seconds(self, host_key: str) -> float:
        """Returns the delay of a host; robots.txt may ask for more."""
        try:
            address = ip_address(LOOPBACK_NAMES.get(host_key, host_key).strip("[]"))
        except ValueError:
            return self.usual_seconds
        for network, seconds in self.ranges:
            if network.version == address.version and address in network:
                return seconds
        return self.usual_seconds


def parse_delays(text: str) -> tuple[tuple[Network, float], ...]:
    """Parses the setting `SCOPS_FETCHER_DELAYS`, such as `127.0.0.0/8=0.02`.

    Raises:
        InvalidInput: an entry is not `CIDR=seconds` with seconds >= 0.
    """
    return tuple(_entry(entry.strip()) for entry in text.split(",") if entry.strip())


def _entry(entry: str) -> tuple[Network, float]:
    cidr, _, stated = entry.partition("=")
    networks = parse_networks(cidr)
    try:
        seconds = float(stated)
    except ValueError:
        seconds = -1.0
    if len(networks) != 1 or not 0 <= seconds < float("inf"):
        raise InvalidInput(
            f"The delay {entry!r} cannot be used: write CIDR=seconds, as in 127.0.0.0/8=0.02.",
            reason="INVALID_DELAY",
        )
    return networks[0], seconds
