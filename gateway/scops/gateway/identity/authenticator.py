"""Who calls, by what a call carries: the one place where a credential becomes a principal.

    nothing                         nobody known, who may say who they are and no more
    authorization: Bearer sk_…      an API key
    authorization: Bearer <JWT>     a token of an issuer
    x-api-key: sk_…                 an API key
    a header of a trusted proxy     whom the proxy has checked
    x-hub-signature-256             a signing key, of a method whose body may be signed

A credential that does not count is refused, also where nothing would have been needed: its bearer
believes to be somebody.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from scops.common.access.principal import Principal, anonymous_principal, local_principal
from scops.common.contract.errors import NotAuthenticated
from scops.common.runtime.clock import Clock
from scops.gateway.identity.api_key import ApiKey, read_key
from scops.gateway.identity.caller import Caller, CredentialKind
from scops.gateway.identity.proxy import TrustedProxy
from scops.gateway.identity.recent import RecentIdentity
from scops.gateway.identity.signature import SignedBody, signature_refused
from scops.gateway.identity.tokens import TokenVerifier

AUTHORIZATION, API_KEY = "authorization", "x-api-key"
BEARER = "bearer "


class Authenticator(Protocol):
    """Says who calls."""

    async def caller(self, headers: Mapping[str, str], peer: str) -> Caller:
        """Returns who calls, and by what.

        Args:
            headers: names in lower case.
            peer: the address that the call comes from.

        Raises:
            NotAuthenticated: a credential does not count.
            StoreUnavailable: it cannot be checked now.
        """
        ...

    async def signer(self, body: SignedBody) -> Caller:
        """Returns who signed a body; of a key that is unknown it is not read.

        Raises:
            NotAuthenticated: the signature does not count.
            StoreUnavailable: it cannot be checked now.
        """
        ...


class EverybodyIsLocal:
    """An installation without identity: on loopback, one person."""

    def __init__(self, organisation_id: str) -> None:
        self._caller = Caller(local_principal(organisation_id), CredentialKind.LOCAL)

    async def caller(self, headers: Mapping[str, str], peer: str) -> Caller:
        return self._caller

    async def signer(self, body: SignedBody) -> Caller:
        return self._caller


class ByCredential:
    """An installation whose callers say who they are."""

    def __init__(
        self,
        recent: RecentIdentity,
        *,
        tokens: TokenVerifier,
        proxy: TrustedProxy,
        clock: Clock,
        organisation_id: str,
    ) -> None:
        self._recent = recent
        self._tokens = tokens
        self._proxy = proxy
        self._clock = clock
        self._nobody = Caller(anonymous_principal(organisation_id), CredentialKind.NONE)

    async def caller(self, headers: Mapping[str, str], peer: str) -> Caller:
        credential = _credential(headers)
        if not credential:
            vouched = self._proxy.principal(headers, peer)
            if vouched is None:
                return self._nobody
            return await self._person(vouched, CredentialKind.PROXY)
        presented = read_key(credential)
        if presented is None:
            principal = await self._tokens.principal(credential)
            return await self._person(principal, CredentialKind.TOKEN)
        kept = await self._recent.key(presented.key_id)
        if kept is None or not presented.is_of(kept) or not kept.is_good(self._clock.now()):
            raise _key_refused()
        return await self._used(kept)

    async def signer(self, body: SignedBody) -> Caller:
        kept = await self._recent.key(body.key_id)
        if kept is None or not kept.signing or not kept.is_good(self._clock.now()):
            raise signature_refused()
        if not await body.is_of(kept):
            raise signature_refused()
        return await self._used(kept)

    async def _used(self, kept: ApiKey) -> Caller:
        await self._recent.note_use(kept)
        return Caller(await self._with_membership(_bearer(kept)), CredentialKind.KEY, kept)

    async def _person(self, principal: Principal, kind: CredentialKind) -> Caller:
        await self._recent.note_person(principal)
        return Caller(await self._with_membership(principal), kind)

    async def _with_membership(self, principal: Principal) -> Principal:
        kept = await self._recent.membership(principal)
        return replace(
            principal,
            email=principal.email or kept.email,
            groups=principal.groups | kept.groups,
            roles=kept.roles,
        )


def _bearer(key: ApiKey) -> Principal:
    return Principal(
        principal_id=key.principal_id,
        organisation_id=key.organisation_id,
        limited_to=frozenset(key.scope_ids) or None,
        ceiling=key.role,
    )


def _credential(headers: Mapping[str, str]) -> str:
    """Returns the credential of a call; empty for none.

    Raises:
        NotAuthenticated: there are two, or one in a form that nobody knows.
    """
    named = headers.get(AUTHORIZATION, "").strip()
    key = headers.get(API_KEY, "").strip()
    if named and key:
        raise NotAuthenticated(
            "The call carries authorization and x-api-key; send one of them.",
            reason="CREDENTIALS_TWO",
        )
    if named and not named.lower().startswith(BEARER):
        raise NotAuthenticated(
            "The authorization is none that is known here; send `Bearer` and a key or token.",
            reason="CREDENTIAL_UNKNOWN",
        )
    if key and read_key(key) is None:
        raise _key_refused()
    return key or named[len(BEARER) :].strip()


def _key_refused() -> NotAuthenticated:
    return NotAuthenticated(
        "The key does not count here: it is unknown, revoked or has run out. Make another one "
        "(`scops key create`).",
        reason="KEY_INVALID",
    )
