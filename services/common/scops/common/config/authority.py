"""TLS to the servers that roles reach: whom it trusts, and what was wrong with a certificate.

Every certificate is verified, by authority, time and name; nothing turns that off.
"""

import ssl
from collections.abc import Iterator
from pathlib import Path

from scops.common.config.servers import AuthoritySettings
from scops.common.contract.errors import InvalidInput
from scops.common.observe.log import get_logger

log = get_logger(__name__)
# What OpenSSL finds (X509_verify_cert_error_string(3)); other codes are told in its own words.
EXPIRED, NOT_YET = (10,), (9,)
UNTRUSTED = (2, 18, 19, 20, 21, 24)
OTHER_NAME = (62, 64)
CAUSES_MAX = 16


def server_context(settings: AuthoritySettings) -> ssl.SSLContext:
    """Returns the client's side of TLS to a server.

    With a file of authorities it reads them anew for a connection where they have changed; what
    cannot be read leaves those that it has.

    Raises:
        InvalidInput: the file holds no authorities, or cannot be read.
    """
    if settings.server_ca is None:
        return ssl.create_default_context()
    return _FileContext(settings.server_ca)


def authorities(settings: AuthoritySettings) -> bytes | None:
    """Returns the authorities that are trusted, PEM; None where the system has no file of them.

    Raises:
        InvalidInput: as `server_context`.
    """
    if settings.server_ca is not None:
        return _read(settings.server_ca)
    file = ssl.get_default_verify_paths().cafile
    return Path(file).read_bytes() if file else None


def certificate_problem(error: BaseException | None) -> str | None:
    """Returns what is wrong between us and a server by TLS, and what to do; None for all else."""
    for each in _causes(error):
        if isinstance(each, ssl.SSLCertVerificationError):
            return _problem(each)
        if isinstance(each, ssl.SSLError) and each.reason == "WRONG_VERSION_NUMBER":
            return "what answers does not begin with TLS"
    return None


class _FileContext(ssl.SSLContext):
    """Trusts what a file holds when a connection begins."""

    def __new__(cls, file: Path) -> "_FileContext":
        return super().__new__(cls, ssl.PROTOCOL_TLS_CLIENT)

    def __init__(self, file: Path) -> None:
        self._file = file
        self._held = _read(file)
        self._newest = _trusting(self._held)

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        """Begins a connection; every one of asyncio comes by here."""
        self._refresh()
        return self._newest.wrap_bio(incoming, outgoing, server_side, server_hostname, session)

    def _refresh(self) -> None:
        try:
            found = self._file.read_bytes()
            if found != self._held:
                self._newest = _trusting(found)
                self._held = found
                log.info("authorities_read")
        except (OSError, ValueError) as error:
            log.warning("authorities_not_read", error=repr(error))


def _read(file: Path) -> bytes:
    try:
        found = file.read_bytes()
        _trusting(found)
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"The authorities in {file} cannot be used: {error}. SCOPS_SERVER_CA names a PEM file "
            "of those that signed the certificates of the servers.",
            reason="AUTHORITIES_INVALID",
        ) from error
    return found


def _trusting(authorities: bytes) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=authorities.decode("ascii", "replace"))
    return context


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yields an error and what it came from, the nearest first."""
    for _ in range(CAUSES_MAX):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _problem(error: ssl.SSLCertVerificationError) -> str:
    said = error.verify_message
    if error.verify_code in EXPIRED:
        return "its certificate has expired: renew it, and have the server read it"
    if error.verify_code in NOT_YET:
        return "its certificate is not valid yet: compare the clocks"
    if error.verify_code in OTHER_NAME:
        return f"its certificate is for another host ({said}): name it as its certificate does"
    if error.verify_code in UNTRUSTED:
        return (
            f"its certificate is signed by nobody who is trusted ({said}): SCOPS_SERVER_CA names "
            "the authority"
        )
    return f"its certificate is refused: {said}"
