"""What an issuer offers, and requests to it (OpenID Connect Discovery 1.0, RFC 6749)."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scops.client.errors import InvalidRequest, ScopsError, Unavailable

if TYPE_CHECKING:
    import httpx

DISCOVERY = "/.well-known/openid-configuration"
TIMEOUT_SECONDS = 20.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where an issuer is asked; empty where it does not offer it."""

    token: str
    device: str
    revocation: str


class IssuerError(Exception):
    """What an issuer answers in place of a token (RFC 6749, 5.2)."""

    def __init__(self, code: str, description: str) -> None:
        super().__init__(f"{code}: {description}" if description else code)
        self.code = code


class IssuerClient:
    """Asks one issuer over HTTPS, or over loopback.

    Args:
        ca: PEM file of an authority to trust beside those of the system.
        transport: how requests are sent, in tests.
    """

    def __init__(
        self, issuer: str, *, ca: str = "", transport: "httpx.BaseTransport | None" = None
    ) -> None:
        # It takes longer to import than most commands take.
        import httpx

        self.issuer = _private(issuer, "the issuer")
        context = ssl.create_default_context()
        if ca:
            context.load_verify_locations(ca)
        self._client = httpx.Client(timeout=TIMEOUT_SECONDS, verify=context, transport=transport)
        self._unreachable = (httpx.HTTPError, httpx.InvalidURL)

    def __enter__(self) -> "IssuerClient":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def endpoints(self) -> Endpoints:
        """Returns what the issuer offers.

        Raises:
            ScopsError: it cannot be reached, or its document is another's.
        """
        found = self._send("GET", self.issuer.rstrip("/") + DISCOVERY)
        if found.get("issuer") != self.issuer:
            raise InvalidRequest(
                f"{self.issuer} says that it is {found.get('issuer')!r}. The name in the "
                "gateway's list of issuers must be what the issuer calls itself, character by "
                "character.",
                reason="ISSUER_MISMATCH",
            )
        names = ("token_endpoint", "device_authorization_endpoint", "revocation_endpoint")
        token, device, revocation = (str(found.get(name) or "") for name in names)
        return Endpoints(
            *(_private(url, self.issuer) if url else "" for url in (token, device, revocation))
        )

    def post(self, url: str, form: Mapping[str, str]) -> dict[str, Any]:
        """Returns what the issuer answers to a form.

        Raises:
            IssuerError: it refuses.
            ScopsError: it cannot be reached.
        """
        sent = {name: value for name, value in form.items() if value}
        return self._send("POST", url, sent)

    def _send(self, method: str, url: str, form: Mapping[str, str] | None = None) -> dict[str, Any]:
        try:
            answer = self._client.request(
                method, url, data=form, headers={"accept": "application/json"}
            )
        except self._unreachable as error:
            raise self._failed(url, str(error) or repr(error)) from None
        try:
            found = answer.json()
        except ValueError:
            found = None
        if isinstance(found, dict) and isinstance(found.get("error"), str):
            raise IssuerError(found["error"], str(found.get("error_description") or ""))
        if not answer.is_success or (not isinstance(found, dict) and answer.content):
            raise self._failed(url, f"status {answer.status_code}, no usable answer")
        return found if isinstance(found, dict) else {}

    def _failed(self, url: str, why: str) -> ScopsError:
        return Unavailable(
            f"The issuer {self.issuer} cannot be asked at {url}: {why}. Try again; where it "
            "stays so, ask whoever runs it.",
            reason="ISSUER_UNAVAILABLE",
        )


def _private(url: str, whose: str) -> str:
    """Returns a URL by which secrets may travel.

    Raises:
        ScopsError: it is none.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urlsplit(""), ""
    if host and (parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)):
        return url
    raise InvalidRequest(
        f"The address {url!r} of {whose} cannot be used: tokens travel by https:// alone, and by "
        "http:// at a loopback address.",
        reason="ISSUER_PLAINTEXT",
    )
