"""Certificates of an authority that is made for a test."""

import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

Pair = tuple[x509.Certificate, ec.EllipticCurvePrivateKey]
DAY = timedelta(days=1)


class Authority:
    """Signs certificates, for 127.0.0.1 unless told otherwise."""

    def __init__(self, name: str = "authority") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._certificate = self._signed(self.name, self._key)

    @property
    def pem(self) -> bytes:
        """What callers trust."""
        return self._certificate.public_bytes(Encoding.PEM)

    def write(
        self,
        folder: Path,
        name: str = "scops",
        *,
        address: str = "127.0.0.1",
        hosts: Sequence[str] = ("localhost",),
        ends: timedelta = DAY,
    ) -> tuple[Path, Path]:
        """Writes a new certificate of a name, and its key.

        Args:
            address: whose it is, beside `hosts`.
            ends: from now; one that has ended is negative.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._signed(subject, key, address=address, hosts=hosts, ends=ends)
        files = folder / "tls.crt", folder / "tls.key"
        files[0].write_bytes(certificate.public_bytes(Encoding.PEM))
        files[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return files

    def _signed(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        *,
        address: str = "",
        hosts: Sequence[str] = (),
        ends: timedelta = DAY,
    ) -> x509.Certificate:
        """Returns a certificate of an address, or of an authority."""
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 2 * DAY)
            .not_valid_after(now + ends)
            .add_extension(x509.BasicConstraints(ca=not address, path_length=None), critical=True)
        )
        if address:
            names = [x509.IPAddress(ip_address(address)), *map(x509.DNSName, hosts)]
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256())


def shown_from(folder: Path) -> ssl.SSLContext:
    """Returns a server's side of TLS, HTTP/2 included, that shows what a folder holds by now."""

    def choose(connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        connection.context = _server_side(folder)

    context = _server_side(folder)
    context.sni_callback = choose
    return context


def _server_side(folder: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context
