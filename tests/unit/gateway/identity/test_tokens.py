"""Tokens of issuers: what counts, and every classic way to make one count that should not."""

import asyncio
import base64
import hashlib
import hmac
import json
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from joserfc import jwt
from joserfc.jwk import ECKey
from pydantic import ValidationError

from scops.common.access.principal import Principal
from scops.common.contract.errors import NotAuthenticated, StoreUnavailable
from scops.gateway.identity.issuer import Issuer
from scops.gateway.identity.signing_keys import SigningKeys
from scops.gateway.identity.tokens import TokenVerifier
from tests.fakes.clock import ManualClock
from tests.fakes.issuer import AUDIENCE, FakeIssuer, rsa_key

OTHER = "https://other.example.org"


class Checking:
    """A verifier of two issuers."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.issuer = FakeIssuer()
        self.other = FakeIssuer(OTHER, {"first": rsa_key("first")})
        by_name = {one.name: one for one in (self.issuer, self.other)}
        self.verifier = TokenVerifier(
            [self.issuer.settings, self.other.settings],
            keys_of=lambda named: SigningKeys(by_name[named.issuer].key_set, self.clock),
            clock=self.clock,
            organisation_id="main",
        )

    def claims(self, **changes: Any) -> dict[str, Any]:
        return self.issuer.claims(self.clock.now(), **changes)

    def token(self, **changes: Any) -> str:
        return self.issuer.token(self.claims(**changes))

    async def read(self, token: str) -> Principal:
        return await self.verifier.principal(token)

    async def refused(self, token: str) -> str:
        """Returns the reason by which a token is refused."""
        with pytest.raises(NotAuthenticated) as caught:
            await self.read(token)
        assert not token or token not in caught.value.message
        return caught.value.reason


@pytest.fixture(scope="module")
def made() -> Checking:
    """Keys take a while to make; nobody changes these."""
    return Checking()


@pytest.fixture
def checking(made: Checking) -> Checking:
    """A verifier that has fetched nothing yet."""
    fresh = Checking.__new__(Checking)
    fresh.clock = ManualClock()
    fresh.issuer = FakeIssuer(made.issuer.name, dict(made.issuer.keys))
    fresh.other = FakeIssuer(made.other.name, dict(made.other.keys))
    by_name = {one.name: one for one in (fresh.issuer, fresh.other)}
    fresh.verifier = TokenVerifier(
        [fresh.issuer.settings, fresh.other.settings],
        keys_of=lambda named: SigningKeys(by_name[named.issuer].key_set, fresh.clock),
        clock=fresh.clock,
        organisation_id="main",
    )
    return fresh


def part(value: object) -> str:
    """Encodes a part of a token."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


async def test_a_token_names_its_bearer(checking: Checking) -> None:
    """The same one for ever; address and groups as the issuer confirms them."""
    first = await checking.read(checking.token())
    again = await checking.read(checking.token(groups=None, email_verified=False))
    elsewhere = await checking.read(checking.other.token(checking.claims(iss=OTHER)))

    assert ("ann@example.org", frozenset({"team"})) == (first.email, first.groups)
    assert ("", frozenset()) == (again.email, again.groups)
    assert first.principal_id == again.principal_id != elsewhere.principal_id
    assert first.principal_id.startswith("user:u-")


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "another"},
        {"aud": None},
        {"aud": ["a", "b"]},
        {"aud": {AUDIENCE: 1}},
        {"iss": "https://nobody.example.org"},
        {"iss": None},
        {"iss": ["https://login.example.org/realms/main"]},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"exp": None},
        {"exp": "2999-01-01"},
        {"exp": True},
        {"exp": 1e300},
        {"nbf": 32503680000},
        {"iat": 32503680000},
        {"nbf": "now"},
    ],
)
async def test_claims_that_do_not_hold_are_refused(
    checking: Checking, changes: dict[str, Any]
) -> None:
    """Signed as they are, by the right key."""
    assert "TOKEN_INVALID" == await checking.refused(checking.token(**changes))


async def test_a_token_runs_out_with_some_leeway(checking: Checking) -> None:
    """A minute, for clocks; then its bearer is told that much."""
    token = checking.token()
    checking.clock.advance(359.0)
    await checking.read(token)
    checking.clock.advance(2.0)

    assert "TOKEN_EXPIRED" == await checking.refused(token)


FORGED = (
    "none",
    "none_with_signature",
    "unsigned",
    "changed",
    "public_key_as_secret",
    "foreign_key",
    "embedded_key",
    "key_from_elsewhere",
    "certificate_from_elsewhere",
    "critical",
    "other_issuer_s_key",
    "other_algorithm",
    "no_key_id",
    "path_as_key_id",
    "sql_as_key_id",
    "two_subjects",
    "huge",
    "deep",
    "five_parts",
    "garbage",
    "empty",
    "no_object",
)


def forged(checking: Checking) -> dict[str, str]:
    """Returns tokens whose signature should not count."""
    claims = checking.claims()
    genuine = checking.issuer.token(claims)
    header, body, signature = genuine.split(".")
    key = checking.issuer.keys["first"]
    pem = key.public_key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)  # type: ignore[union-attr]
    confused = f"{part({'alg': 'HS256', 'kid': 'first'})}.{body}"
    mac = hmac.new(pem, confused.encode(), hashlib.sha256).digest()
    foreign = rsa_key("first")
    curve = ECKey.generate_key("P-256")
    twice = json.dumps(claims)[:-1].encode() + b', "sub": "x"}'

    def by_foreign(**more: Any) -> str:
        named = {"alg": "RS256", "kid": "first", **more}
        return jwt.encode(named, claims, foreign, algorithms=["RS256"])

    return {
        "none": f"{part({'alg': 'none', 'kid': 'first'})}.{body}.",
        "none_with_signature": f"{part({'alg': 'None', 'kid': 'first'})}.{body}.{signature}",
        "unsigned": f"{header}.{body}.",
        "changed": f"{header}.{part(claims | {'sub': 'admin'})}.{signature}",
        "public_key_as_secret": f"{confused}.{part(mac)}",
        "foreign_key": by_foreign(),
        "embedded_key": by_foreign(jwk=foreign.as_dict(private=False)),
        "key_from_elsewhere": by_foreign(jku="https://evil.example/keys"),
        "certificate_from_elsewhere": by_foreign(x5u="https://evil.example/cert"),
        "critical": f"{part({'alg': 'RS256', 'kid': 'first', 'crit': ['b64']})}.{body}.{signature}",
        "other_issuer_s_key": checking.other.token(claims),
        "other_algorithm": jwt.encode(
            {"alg": "ES256", "kid": "first"}, claims, curve, algorithms=["ES256"]
        ),
        "no_key_id": jwt.encode({"alg": "RS256"}, claims, key, algorithms=["RS256"]),
        "path_as_key_id": jwt.encode(
            {"alg": "RS256", "kid": "../../../../dev/null"}, claims, key, algorithms=["RS256"]
        ),
        "sql_as_key_id": jwt.encode(
            {"alg": "RS256", "kid": "x' UNION SELECT 'a"}, claims, key, algorithms=["RS256"]
        ),
        "two_subjects": f"{header}.{part(twice)}.{signature}",
        "huge": checking.issuer.token(claims | {"more": "a" * 9000}),
        "deep": f"{header}.{part(b'[' * 6000)}.{signature}",
        "five_parts": f"{genuine}.a.b",
        "garbage": "not a token",
        "empty": "",
        "no_object": f"{header}.{part([1])}.{signature}",
    }


@pytest.mark.parametrize("name", FORGED)
async def test_a_signature_that_is_not_the_issuer_s_is_refused(
    name: str, checking: Checking
) -> None:
    """Whatever the token says of itself."""
    assert "TOKEN_INVALID" == await checking.refused(forged(checking)[name])


async def test_a_new_key_counts_and_an_old_one_no_more(checking: Checking) -> None:
    """Within five minutes of the issuer's change; what it has withdrawn within an hour."""
    old = checking.token(exp=32503680000)
    await checking.read(old)
    checking.issuer.keys = {"second": rsa_key("second")}
    checking.clock.advance(301.0)
    new = checking.issuer.token(checking.claims(), key_id="second")

    assert await checking.read(new)
    assert "TOKEN_INVALID" == await checking.refused(old)


async def test_a_flood_of_unknown_key_ids_costs_the_issuer_one_request(checking: Checking) -> None:
    """Whoever sends them decides how many there are, at once and one after the other."""
    await checking.read(checking.token())
    checking.clock.advance(301.0)
    key = checking.issuer.keys["first"]
    tokens = [
        jwt.encode({"alg": "RS256", "kid": f"k{n}"}, checking.claims(), key, algorithms=["RS256"])
        for n in range(50)
    ]
    told = await asyncio.gather(*map(checking.refused, tokens))
    told += [await checking.refused(token) for token in tokens]

    assert {"TOKEN_INVALID"} == set(told)
    assert 2 == checking.issuer.fetches


async def test_an_issuer_that_is_away_stops_nobody_at_once(checking: Checking) -> None:
    """Its keys are kept for a day; then, or before any came, nobody of it comes in."""
    checking.issuer.away = True
    with pytest.raises(StoreUnavailable):
        await checking.read(checking.token())
    checking.issuer.away = False
    checking.clock.advance(31.0)
    await checking.read(checking.token())
    checking.issuer.away = True
    checking.clock.advance(timedelta(hours=23).total_seconds())
    assert await checking.read(checking.token())
    checking.clock.advance(timedelta(hours=2).total_seconds())

    with pytest.raises(StoreUnavailable):
        await checking.read(checking.token())


@pytest.mark.parametrize(
    "wrong",
    [
        {"algorithms": ("HS256",)},
        {"algorithms": ("none",)},
        {"algorithms": ()},
        {"issuer": "http://login.example.org"},
        {"jwks_uri": "http://login.example.org/keys"},
        {"audience": ""},
        {"secret": "x"},
    ],
)
def test_an_issuer_that_would_prove_nothing_cannot_be_named(wrong: dict[str, Any]) -> None:
    """A shared secret, no signature, keys over plain HTTP, tokens for anybody."""
    named = {"issuer": "https://login.example.org", "audience": AUDIENCE}
    with pytest.raises(ValidationError):
        Issuer(**{**named, **wrong})


@pytest.mark.parametrize(
    ("claims", "counts"),
    [
        ({"hd": "example.org", "paid": True}, True),
        ({"hd": "example.org", "paid": "true"}, False),
        ({"hd": "example.org.evil.com", "paid": True}, False),
        ({"hd": ["example.org"], "paid": True}, False),
        ({"paid": True}, False),
    ],
)
async def test_what_an_issuer_must_say_of_somebody_it_says(
    claims: dict[str, Any], counts: bool
) -> None:
    """An issuer that anybody has an account at lets the organisation's own in alone."""
    issuer, clock = FakeIssuer(), ManualClock()
    required = {"hd": "example.org", "paid": True}
    verifier = TokenVerifier(
        [issuer.settings.model_copy(update={"required_claims": required})],
        keys_of=lambda _: SigningKeys(issuer.key_set, clock),
        clock=clock,
        organisation_id="main",
    )
    token = issuer.token(issuer.claims(clock.now(), **claims))
    if counts:
        assert (await verifier.principal(token)).principal_id.startswith("user:u-")
    else:
        with pytest.raises(NotAuthenticated):
            await verifier.principal(token)
