"""Which gateway is asked and how: its address, and whether the way to it is private.

127.0.0.1:7300              plain: nobody is in between
scops.example.org:7300      TLS
https://scops.example.org   TLS, port 443
http://gateway:7300         plain because it is said; takes no credential
"""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from scops.client.errors import InvalidRequest

PREFIX = "SCOPS_COMMAND_"
ADDRESS, CA = f"{PREFIX}ADDRESS", f"{PREFIX}CA"
DEFAULT_ADDRESS = "127.0.0.1:7300"
DEFAULT_PORT, HTTPS_PORT = 7300, 443
# Where systems keep the certificates that they trust, as one file.
BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


@dataclass(frozen=True, slots=True)
class GatewayTarget:
    """A gateway.

    Attributes:
        address: host:port; saved logins go by it.
        ca: PEM file of the authority to trust in place of the system's; empty for those.
    """

    address: str
    is_tls: bool
    is_loopback: bool
    ca: str = ""

    def check_private(self) -> None:
        """Checks that a credential may be sent.

        Raises:
            ScopsError: it would be readable on its way.
        """
        if not self.is_tls and not self.is_loopback:
            raise InvalidRequest(
                f"No credential is sent to {self.address} without TLS: whoever is in between "
                "would read it. Name the gateway by https://, or reach it at a loopback address.",
                reason="PLAINTEXT_CREDENTIAL",
            )

    def roots(self) -> bytes | None:
        """Returns the certificates to trust, PEM; None leaves it to gRPC, which brings some.

        Raises:
            ScopsError: the file that was named cannot be read.
        """
        if self.ca:
            return _certificates(self.ca)
        named = os.environ.get("SSL_CERT_FILE", "")
        if named:
            return _certificates(named)
        found = next((path for path in BUNDLES if Path(path).is_file()), "")
        return _certificates(found) if found else None


def gateway_target(environ: Mapping[str, str], *, server: str = "", ca: str = "") -> GatewayTarget:
    """Returns the gateway that is named, or that variables name.

    Args:
        server: goes before `SCOPS_COMMAND_ADDRESS`.
        ca: goes before `SCOPS_COMMAND_CA`.

    Raises:
        ScopsError: the address is none.
    """
    named = server or environ.get(ADDRESS) or DEFAULT_ADDRESS
    return read_target(named, ca=ca or environ.get(CA, ""))


def read_target(address: str, *, ca: str = "") -> GatewayTarget:
    """Reads the address of a gateway.

    Raises:
        ScopsError: it is none.
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        scheme, rest = "", address
    try:
        parts = urlsplit(f"//{rest}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    extra = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
    if not host or extra or scheme not in ("", "http", "https"):
        raise InvalidRequest(
            f"{address!r} is no address of a gateway; write host:port or https://host.",
            reason="INVALID_ADDRESS",
        )
    loopback = _is_loopback(host)
    default = HTTPS_PORT if scheme == "https" else DEFAULT_PORT
    shown = f"[{host}]" if ":" in host else host
    return GatewayTarget(
        address=f"{shown}:{default if port is None else port}",
        is_tls=scheme == "https" or (not scheme and (bool(ca) or not loopback)),
        is_loopback=loopback,
        ca=ca,
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _certificates(path: str) -> bytes:
    try:
        found = Path(path).expanduser().read_bytes()
    except OSError as error:
        why = error.strerror or repr(error)
    else:
        if b"-----BEGIN CERTIFICATE-----" in found:
            return found
        why = "it holds no certificate in PEM"
    raise InvalidRequest(
        f"The certificates in {path} cannot be used: {why}. Name the PEM file of the authority "
        "that signed the gateway's certificate (--ca, or ca=).",
        reason="CERTIFICATES_INVALID",
    )
