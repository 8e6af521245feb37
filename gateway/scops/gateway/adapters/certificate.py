"""The certificate that the doors show, as its files hold it at each new connection."""

import ssl
from pathlib import Path

import grpc
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import load_pem_x509_certificates

from scops.common.contract.errors import InvalidInput
from scops.common.observe.log import get_logger

log = get_logger("gateway")


class CertificateFiles:
    """A certificate and its key.

    Whoever renews them may replace the files at any time; a pair that does not fit together, as
    between the writes of two files, is left until it does.

    Raises:
        InvalidInput: what the files hold at the start cannot be used.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self._certificate, self._key = certificate, key
        try:
            self._pair = self._read()
        except (OSError, ValueError, TypeError) as error:
            raise InvalidInput(
                f"The certificate {certificate} with the key {key} cannot be used: {error}. "
                "SCOPS_GATEWAY_TLS_CERTIFICATE and SCOPS_GATEWAY_TLS_KEY name PEM files that "
                "belong together.",
                reason="CERTIFICATE_INVALID",
            ) from error

    def credentials(self) -> grpc.ServerCredentials:
        """Returns what a port is bound with."""
        return grpc.dynamic_ssl_server_credentials(
            _configuration(self._pair),
            # None leaves what there is, which the stubs do not say.
            self._newer,  # type: ignore[arg-type]
            require_client_authentication=False,
        )

    def ssl_context(self) -> ssl.SSLContext:
        """Returns what connections of the HTTP door are taken with."""
        context = _context(self._certificate, self._key)
        newest, shown = context, self._pair

        def choose(connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
            nonlocal newest, shown
            try:
                pair = self._read()
                if pair != shown:
                    newest, shown = _context(self._certificate, self._key), pair
            except (OSError, ValueError, TypeError) as error:
                log.warning("certificate_not_read", error=repr(error))
            connection.context = newest

        # Called for each new connection, before a certificate is shown.
        context.sni_callback = choose
        return context

    def _newer(self) -> grpc.ServerCertificateConfiguration | None:
        """Returns the pair where it has changed; called for each new connection."""
        try:
            pair = self._read()
        except (OSError, ValueError, TypeError) as error:
            log.warning("certificate_not_read", error=repr(error))
            return None
        if pair == self._pair:
            return None
        self._pair = pair
        log.info("certificate_read")
        return _configuration(pair)

    def _read(self) -> tuple[bytes, bytes]:
        """Returns key and chain.

        Raises:
            OSError, ValueError, TypeError: they are absent, none, or of different pairs.
        """
        chain, key = self._certificate.read_bytes(), self._key.read_bytes()
        shown = load_pem_x509_certificates(chain)[0].public_key()
        if load_pem_private_key(key, password=None).public_key() != shown:
            raise ValueError("the key is of another certificate")
        return key, chain


def _context(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key)
    return context


def _configuration(pair: tuple[bytes, bytes]) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration([pair])
