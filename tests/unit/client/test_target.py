"""Which gateway is asked and how: TLS beyond loopback, and no credential without it."""

from pathlib import Path

import pytest

from scops.client.errors import ScopsError
from scops.client.target import read_target


@pytest.mark.parametrize(
    ("written", "address", "is_tls", "is_loopback"),
    [
        ("127.0.0.1:7300", "127.0.0.1:7300", False, True),
        ("localhost", "localhost:7300", False, True),
        ("[::1]:7301", "[::1]:7301", False, True),
        ("scops.example.org", "scops.example.org:7300", True, False),
        ("scops.example.org:443", "scops.example.org:443", True, False),
        ("https://scops.example.org", "scops.example.org:443", True, False),
        ("https://127.0.0.1:7300/", "127.0.0.1:7300", True, True),
        ("http://gateway", "gateway:7300", False, False),
    ],
)
def test_an_address_says_how_it_is_asked(
    written: str, address: str, is_tls: bool, is_loopback: bool
) -> None:
    """What is not this machine is asked by TLS, unless somebody says otherwise."""
    target = read_target(written)

    assert (address, is_tls, is_loopback) == (target.address, target.is_tls, target.is_loopback)


def test_an_authority_of_ones_own_is_for_tls() -> None:
    """On loopback too."""
    assert read_target("127.0.0.1:7300", ca="ca.pem").is_tls


@pytest.mark.parametrize(
    "written",
    ["", ":7300", "ftp://host", "host:port", "host:70000", "https://host/path", "a@host", "//x"],
)
def test_what_is_no_address_is_refused(written: str) -> None:
    """With how one is written."""
    with pytest.raises(ScopsError, match="host:port"):
        read_target(written)


def test_no_credential_goes_where_others_read_it() -> None:
    """On loopback and by TLS alone."""
    for written in ("127.0.0.1:7300", "https://host", "host"):
        read_target(written).check_private()
    with pytest.raises(ScopsError, match="without TLS"):
        read_target("http://host").check_private()


def test_certificates_that_are_none_are_named(tmp_path: Path) -> None:
    """The file, and the option that names it."""
    file = tmp_path / "ca.pem"
    with pytest.raises(ScopsError, match="--ca"):
        read_target("host", ca=str(file)).roots()
    file.write_text("certificate")
    with pytest.raises(ScopsError, match="no certificate in PEM"):
        read_target("host", ca=str(file)).roots()
    file.write_text("-----BEGIN CERTIFICATE-----\n")
    assert file.read_bytes() == read_target("host", ca=str(file)).roots()
