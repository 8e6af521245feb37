"""The pause a host is given between two requests."""

from dataclasses import dataclass
from ipaddress import ip_address

from scops.common.contract.errors import InvalidInput
from scops.common.egress.address import Network, parse_networks

LOOPBACK_NAMES = {"localhost": "127.0.0.1"}

SLOW_DELAY_SECONDS_MAX = 30.0
"""However long a host takes, the pause that follows from it is no longer."""


@dataclass(frozen=True, slots=True)
class HostDelays:
    """Delays by host: one for everybody, and others for ranges of literal addresses.

    Args:
        usual_seconds: for every host that no range holds.
        ranges: the first that holds a literal address wins.
        response_factor: a host rests so many times as long as it takes to answer, so that we
            never keep it busy for more than a share of its time; hosts of a range are left out,
            since somebody has said what they bear.
    """

    usual_seconds: float
    ranges: tuple[tuple[Network, float], ...] = ()
    response_factor: float = 0.0

    @property
    def longest_seconds(self) -> float:
        """The longest delay that the settings give any host."""
        return max([self.usual_seconds, *(seconds for _, seconds in self.ranges)])

    def seconds(self, host_key: str) -> float:
        """Returns the delay that the settings give a host."""
        stated = self._stated(host_key)
        return self.usual_seconds if stated is None else stated

    def pause_seconds(
        self, host_key: str, *, asked_seconds: float, response_seconds: float
    ) -> float:
        """Returns the pause after an answer: the longest of what anybody asks for.

        Args:
            asked_seconds: by robots.txt.
            response_seconds: how long the host takes to answer.
        """
        stated = self._stated(host_key)
        if stated is not None:
            return max(stated, asked_seconds)
        slow = min(self.response_factor * response_seconds, SLOW_DELAY_SECONDS_MAX)
        return max(self.usual_seconds, asked_seconds, slow)

    def _stated(self, host_key: str) -> float | None:
        try:
            address = ip_address(LOOPBACK_NAMES.get(host_key, host_key).strip("[]"))
        except ValueError:
            return None
        for network, seconds in self.ranges:
            if network.version == address.version and address in network:
                return seconds
        return None


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
