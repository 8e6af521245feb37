"""Which addresses may be connected to."""

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.egress.address import AddressPolicy, parse_allowed_ranges, parse_networks


def reason(address: str, port: int = 443, *, allowed: str = "", denied: str = "") -> str | None:
    policy = AddressPolicy(allowed=parse_allowed_ranges(allowed), denied=parse_networks(denied))
    refusal = policy.refusal(address, port)
    return refusal.reason if refusal else None


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "168.63.129.16",
        "192.0.0.8",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "240.0.0.1",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "64:ff9b:2::1",
        "4000::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff0e::1",
    ],
)
def test_address_that_is_not_public_unicast_is_denied(address: str) -> None:
    """operations.md section 2: what is_global misses in Python 3.11 is on the list."""
    assert "ADDRESS_DENIED" == reason(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8"])
@pytest.mark.parametrize("port", [80, 443, 8080, 8443])
def test_public_address_on_a_web_port_is_allowed(address: str, port: int) -> None:
    """The web is reachable."""
    assert reason(address, port) is None


def test_public_address_on_another_port_is_denied() -> None:
    """A crawler has no business with mail or databases."""
    assert "PORT_DENIED" == reason("93.184.216.34", 25)


@pytest.mark.parametrize(
    ("allowed", "address", "port", "expected"),
    [
        ("127.0.0.0/8:*", "127.9.9.9", 31337, None),
        ("127.0.0.0/8:*", "::ffff:127.0.0.1", 31337, None),
        ("127.0.0.0/8:*", "::1", 31337, "ADDRESS_DENIED"),
        ("127.0.0.0/8", "127.0.0.1", 8080, None),
        ("127.0.0.0/8", "127.0.0.1", 31337, "ADDRESS_DENIED"),
        ("10.0.0.0/8:9000, ::1/128:9001", "10.0.0.1", 9000, None),
        ("10.0.0.0/8:9000, ::1/128:9001", "::1", 9001, None),
        ("10.0.0.0/8:9000, ::1/128:9001", "10.0.0.1", 9001, "ADDRESS_DENIED"),
        ("93.184.216.34/32:25", "93.184.216.34", 25, None),
    ],
)
def test_allowed_range_opens_its_addresses_and_ports(
    allowed: str, address: str, port: int, expected: str | None
) -> None:
    """CIDR takes the web ports, CIDR:port that one, CIDR:* all."""
    assert expected == reason(address, port, allowed=allowed)


def test_denied_range_beats_an_allowed_one() -> None:
    """The cluster's own ranges stay closed whatever else is opened."""
    assert "ADDRESS_DENIED" == reason("10.0.0.1", allowed="10.0.0.0/8:*", denied="10.0.0.0/16")


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "127.0.0.1/8", "localhost/8", "10.0.0.0/8:", "10.0.0.0/8:0", "::1/128:x"]
)
def test_range_of_another_form_is_an_invalid_setting(text: str) -> None:
    """A typing error opens nothing, and is told at the start."""
    with pytest.raises(InvalidInput, match="cannot be used"):
        parse_allowed_ranges(text)
