"""The issuers whose tokens count, as an operator names them."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator

from scops.common.contract.errors import InvalidInput

# Signatures by a key that the issuer alone has; never a secret that it would share.
ALGORITHMS = ("RS256", "PS256", "ES256", "Ed25519", "EdDSA")
LOOPBACK = ("http://127.0.0.1:", "http://localhost:", "http://[::1]:")


class Issuer(BaseModel):
    """One issuer of OpenID Connect tokens.

    Attributes:
        issuer: as `iss` names it, character by character.
        audience: what `aud` must name: this gateway.
        required_claims: that its tokens must have with exactly these values, such as the domain of
            an organisation at an issuer that anybody has an account at.
        jwks_uri: where its keys are; empty asks its discovery document.
        groups_claim: where its tokens name groups; empty takes none.
        groups_prefix: before the names of its groups, so that those of two issuers differ.
        email_trusted: whether an address counts that the issuer does not say it has confirmed.
        client_id: of the public client that `scops login` is; empty offers none.
        client_secret: of that client, where the issuer wants one of clients that cannot keep it,
            as Google does; told to whoever asks, so never that of another client.
        oauth_scopes: that `scops login` asks it for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    issuer: str = Field(min_length=8)
    audience: str = Field(min_length=1)
    required_claims: dict[str, str | bool] = Field(default_factory=dict)
    jwks_uri: str = ""
    algorithms: tuple[str, ...] = ("RS256",)
    groups_claim: str = "groups"
    groups_prefix: str = ""
    email_trusted: bool = False
    client_id: str = ""
    client_secret: str = ""
    oauth_scopes: tuple[str, ...] = ("openid", "email", "profile", "offline_access")

    @field_validator("algorithms")
    @classmethod
    def _are_known(cls, algorithms: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in algorithms if name not in ALGORITHMS]
        if unknown or not algorithms:
            raise ValueError(f"algorithms are some of {', '.join(ALGORITHMS)}, not {unknown}")
        return algorithms

    @field_validator("issuer", "jwks_uri")
    @classmethod
    def _is_private(cls, url: str) -> str:
        if url and not url.startswith(("https://", *LOOPBACK)):
            raise ValueError(f"{url} must begin with https://: keys come by it")
        return url


ISSUERS = TypeAdapter(list[Issuer])


def read_issuers(path: Path | None) -> tuple[Issuer, ...]:
    """Returns the issuers of a JSON file: a list of objects.

    Raises:
        InvalidInput: the file cannot be read, or what stands in it cannot be used.
    """
    if path is None:
        return ()
    try:
        issuers = ISSUERS.validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"The issuers in {path} cannot be used: {error}. SCOPS_GATEWAY_ISSUERS names a JSON "
            'file such as [{"issuer": "https://…", "audience": "scops"}].',
            reason="ISSUERS_INVALID",
        ) from error
    names = [one.issuer for one in issuers]
    if len(set(names)) < len(names):
        raise InvalidInput(
            f"{path} names an issuer twice. Give each its algorithms and audience once.",
            reason="ISSUERS_INVALID",
        )
    return tuple(issuers)
