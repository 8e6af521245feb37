"""Who calls, signed by the gateway and checked by who answers."""

import base64
import json
from datetime import timedelta

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, OKPKey

from scops.common.access.assertion import KEY_BYTES, IdentitySigner, principal_of
from scops.common.access.principal import InstallationRole, Principal, local_principal
from scops.common.contract.errors import NotPermitted, NotYetKnown
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import ScopeRole
from tests.fakes.clock import START

SIGNER = IdentitySigner(b"k" * KEY_BYTES)
OTHER = IdentitySigner(b"o" * KEY_BYTES)
UNTIL = START + timedelta(seconds=10)
CALLER = Principal(
    principal_id="user:u-1",
    organisation_id="main",
    email="ann@example.org",
    groups=frozenset({"a", "ü"}),
    roles=frozenset({InstallationRole.OPERATOR}),
    limited_to=frozenset({ScopeId("docs")}),
    ceiling=ScopeRole.EDITOR,
)


def read(assertion: str) -> Principal:
    """Reads an assertion at the start."""
    return principal_of(assertion, keys=SIGNER.public_keys, now=START)


def part(value: object) -> str:
    """Encodes a part of a JWT."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize("caller", [CALLER, local_principal("main")])
def test_what_was_signed_is_read(caller: Principal) -> None:
    """Everything that permissions look at."""
    assert caller == read(SIGNER.assertion(caller, until=UNTIL))


def test_the_key_is_the_same_for_every_gateway() -> None:
    """What one signs the keys of another verify."""
    again = IdentitySigner(b"k" * KEY_BYTES)

    assert again.public_keys == SIGNER.public_keys
    assert CALLER == read(again.assertion(CALLER, until=UNTIL))


def test_nothing_is_read_before_a_key_has_arrived() -> None:
    """Whoever asks comes again."""
    with pytest.raises(NotYetKnown):
        principal_of(SIGNER.assertion(CALLER, until=UNTIL), keys={}, now=START)


def test_an_assertion_runs_out() -> None:
    """With some leeway for clocks, and no more."""
    assertion = SIGNER.assertion(CALLER, until=UNTIL)
    keys = SIGNER.public_keys

    assert CALLER == principal_of(assertion, keys=keys, now=UNTIL + timedelta(seconds=9))
    with pytest.raises(NotPermitted):
        principal_of(assertion, keys=keys, now=UNTIL + timedelta(seconds=11))


def forged() -> dict[str, str]:
    """Returns what nobody who lacks the key may get through with."""
    genuine = SIGNER.assertion(CALLER, until=UNTIL)
    header, body, signature = genuine.split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    more = part(claims | {"sub": "user:u-2"})
    public = SIGNER.public_keys[SIGNER.key_id]
    stolen = OctKey.import_key(public.encode())
    foreign = OKPKey.generate_key("Ed25519")
    own = {"alg": "Ed25519", "kid": SIGNER.key_id}
    return {
        "empty": "",
        "garbage": "x.y.z",
        "claims": f"{header}.{more}.{signature}",
        "none": f"{part({'alg': 'none', 'kid': SIGNER.key_id})}.{more}.",
        "unsigned": f"{header}.{more}.",
        "other_key": jwt.encode(own, claims, foreign, algorithms=["Ed25519"]),
        "unknown_kid": OTHER.assertion(CALLER, until=UNTIL),
        "public_as_secret": jwt.encode(
            {"alg": "HS256", "kid": SIGNER.key_id}, claims, stolen, algorithms=["HS256"]
        ),
        "embedded_key": jwt.encode(
            own | {"jwk": foreign.as_dict(private=False)}, claims, foreign, algorithms=["Ed25519"]
        ),
        "huge": "a" * 100_000,
    }


@pytest.mark.parametrize("name", forged())
def test_what_the_gateway_did_not_sign_is_refused(name: str) -> None:
    """Other keys, other algorithms, other claims, nothing at all."""
    with pytest.raises(NotPermitted):
        read(forged()[name])


@pytest.mark.parametrize("missing", ["sub", "organisation", "limited_to", "ceiling", "until"])
def test_a_claim_that_is_missing_gives_nothing(missing: str) -> None:
    """A gateway of another version, whose words mean something else."""
    genuine = SIGNER.assertion(CALLER, until=UNTIL).split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(genuine + "=="))
    del claims[missing]
    header = {"alg": "Ed25519", "kid": SIGNER.key_id}
    signed = jwt.encode(header, claims, SIGNER._key, algorithms=["Ed25519"])

    with pytest.raises(NotPermitted):
        read(signed)
