"""What may be sent as a credential, and as which headers."""

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.crawl import SecretKind
from scops.fetcher.credentials.secret import Secret, begins_session, check_secret, headers_of


def secret(kind: SecretKind, **fields: str) -> Secret:
    return Secret(kind=kind, fields=fields)


def oauth(**fields: str) -> Secret:
    """A client of OAuth, with some fields of another value."""
    usual = {"client_id": "c", "client_secret": "s", "token_scope": "read"}
    usual["token_url"] = "https://login.example/token"
    return Secret(kind=SecretKind.OAUTH_CLIENT, fields=usual | fields)


def form(**fields: str) -> Secret:
    """A login by form, with some fields of another value."""
    usual = {"url": "https://docs.example/login", "password": "p", "shows": ""}
    return Secret(kind=SecretKind.FORM, fields=usual | {"input:user": "ann"} | fields)


@pytest.mark.parametrize("given", [oauth(), form(), form(shows="Sign out"), oauth(token_scope="")])
def test_what_begins_a_session_is_taken(given: Secret) -> None:
    """It is sent to nobody as it is."""
    check_secret(given)

    assert begins_session(given.kind)
    assert not begins_session(SecretKind.BEARER)


@pytest.mark.parametrize(
    ("given", "headers"),
    [
        (
            secret(SecretKind.HEADER, name="X-Api-Key", value="k 1"),
            (("X-Api-Key", "k 1"),),
        ),
        # RFC 7617 section 2, and its section 2.1 with UTF-8.
        (
            secret(SecretKind.BASIC, username="Aladdin", password="open sesame"),
            (("Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),),
        ),
        (
            secret(SecretKind.BASIC, username="test", password="123\u00a3"),
            (("Authorization", "Basic dGVzdDoxMjPCow=="),),
        ),
        # RFC 6750 section 2.1.
        (
            secret(SecretKind.BEARER, token="mF_9.B5f-4.1JqM"),
            (("Authorization", "Bearer mF_9.B5f-4.1JqM"),),
        ),
        # RFC 6265 section 4.2.1.
        (
            secret(SecretKind.COOKIES, SID="31d4d96e407aad42", lang="en-US"),
            (("Cookie", "SID=31d4d96e407aad42; lang=en-US"),),
        ),
    ],
    ids=["header", "basic", "basic-utf8", "bearer", "cookies"],
)
def test_a_secret_is_sent_as_its_standard_says(
    given: Secret, headers: tuple[tuple[str, str], ...]
) -> None:
    """The examples are those of the RFCs."""
    check_secret(given)

    assert headers == headers_of(given)


@pytest.mark.parametrize(
    "given",
    [
        secret(SecretKind.UNSPECIFIED),
        secret(SecretKind.HEADER, name="X-Key"),
        secret(SecretKind.BEARER, token="t", more="t"),
        secret(SecretKind.HEADER, name="X-Key", value="secret\r\nX-Other: 1"),
        secret(SecretKind.HEADER, name="X Key", value="secret"),
        secret(SecretKind.HEADER, name="HOST", value="secret"),
        secret(SecretKind.HEADER, name="If-None-Match", value="secret"),
        secret(SecretKind.HEADER, name="X-Key", value=""),
        secret(SecretKind.HEADER, name="X-Key", value="secret" * 2000),
        secret(SecretKind.BASIC, username="a:b", password="secret"),
        secret(SecretKind.BASIC, username="", password="secret"),
        secret(SecretKind.BEARER, token="secret secret"),
        secret(SecretKind.COOKIES),
        oauth(token_url="secret"),
        oauth(token_url="ftp://login.example/secret"),
        oauth(client_id=""),
        oauth(client_secret="secret\n"),
        oauth(token_scope='a"secret'),
        form(url="https://docs.example/secret#there"),
        form(password=""),
        form(**{"input:": "secret"}),
        form(other="secret"),
        form(**{f"input:{number}": "secret" for number in range(51)}),
        secret(SecretKind.COOKIES, a="secret; b=1"),
        secret(SecretKind.COOKIES, **{f"c{number}": "secret" for number in range(51)}),
    ],
)
def test_what_is_no_credential_is_refused_without_saying_it(given: Secret) -> None:
    """No line ends, nothing that requests are made of, no empty or endless values."""
    with pytest.raises(InvalidInput) as refused:
        check_secret(given)

    assert "CREDENTIAL_MALFORMED" == refused.value.reason
    assert "secret" not in refused.value.message
    assert "secret" not in repr(given)
