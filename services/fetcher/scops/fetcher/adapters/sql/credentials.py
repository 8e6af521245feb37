"""Credentials in SQL, sealed: the database knows whose they are and where, never what."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.crawl import KeptCredential, SecretKind
from scops.common.db.database import Database
from scops.fetcher.adapters.sql.tables import credential
from scops.fetcher.credentials.sealing import (
    CredentialPlace,
    CredentialSeal,
    CredentialUnreadable,
)
from scops.fetcher.credentials.secret import Secret
from scops.fetcher.ports.credentials import (
    CredentialUnusable,
    OpenedCredential,
    ResealedCount,
)


class SqlCredentials:
    """A `Credentials`; see there for the contract."""

    def __init__(self, database: Database, seal: CredentialSeal) -> None:
        self._database = database
        self._seal = seal

    async def put(
        self,
        secret: Secret,
        place: CredentialPlace,
        *,
        put_by: str,
        expire_time: datetime | None,
        now: datetime,
    ) -> None:
        values = {
            "access_context": place.access_context,
            "organisation_id": place.organisation_id,
            "scope_id": place.scope_id,
            "origin": place.origin,
            "kind": secret.kind.value,
            "sealed": self._seal.seal(secret, place),
            "put_by": put_by,
            "put_time": now,
            "expire_time": expire_time,
        }
        async with self._database.transaction() as connection:
            await connection.execute(
                delete(credential).where(
                    _is_for(place.organisation_id, place.scope_id, place.origin)
                )
            )
            await connection.execute(insert(credential).values(values))

    async def drop(self, organisation_id: str, scope_id: ScopeId, origin: str) -> bool:
        async with self._database.transaction() as connection:
            dropped = await connection.execute(
                delete(credential)
                .where(_is_for(organisation_id, scope_id, origin))
                .returning(credential.c.access_context)
            )
            return dropped.first() is not None

    async def of_scope(self, organisation_id: str, scope_id: ScopeId) -> Sequence[KeptCredential]:
        async with self._database.reading() as connection:
            rows = await connection.execute(
                select(credential)
                .where(
                    credential.c.organisation_id == organisation_id,
                    credential.c.scope_id == scope_id,
                )
                .order_by(credential.c.origin)
            )
        return tuple(
            KeptCredential(
                origin=row.origin,
                access_context=row.access_context,
                kind=SecretKind(row.kind),
                put_by=row.put_by,
                put_time=row.put_time,
                expire_time=row.expire_time,
            )
            for row in rows
        )

    async def opened(self, access_context: str, *, now: datetime) -> OpenedCredential:
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(credential).where(credential.c.access_context == access_context)
            )
            row = found.first()
        if row is None:
            raise CredentialUnusable(
                "The credential that the page is fetched with is not kept here. Put it again, or "
                "delete it, by `scops credential`."
            )
        if row.expire_time is not None and row.expire_time <= now:
            raise CredentialUnusable(
                f"The credential for {row.origin} has expired at "
                f"{row.expire_time:%Y-%m-%dT%H:%MZ}. Put a newer one, by `scops credential put`.",
                reason="CREDENTIAL_EXPIRED",
            )
        return OpenedCredential(
            access_context=access_context,
            origin=row.origin,
            secret=self._seal.open(row.sealed, _place(row)),
            put_time=row.put_time,
        )

    async def seal_anew(self) -> ResealedCount:
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(credential))).all()
        resealed = unreadable = 0
        for row in rows:
            try:
                sealed = self._seal.resealed(row.sealed, _place(row))
            except CredentialUnreadable:
                unreadable += 1
                continue
            if sealed is not None:
                resealed += await self._replace(row, sealed)
        return ResealedCount(resealed=resealed, unreadable=unreadable)

    async def _replace(self, row: Any, sealed: bytes) -> int:
        """Stores a secret sealed anew, unless somebody has put another one meanwhile."""
        is_it = (credential.c.access_context == row.access_context) & (
            credential.c.sealed == row.sealed
        )
        async with self._database.transaction() as connection:
            done = await connection.execute(
                update(credential)
                .where(is_it)
                .values(sealed=sealed)
                .returning(credential.c.access_context)
            )
            return int(done.first() is not None)


def _place(row: Any) -> CredentialPlace:
    return CredentialPlace(
        organisation_id=row.organisation_id,
        scope_id=row.scope_id,
        access_context=row.access_context,
        origin=row.origin,
    )


def _is_for(organisation_id: str, scope_id: str, origin: str) -> Any:
    return (
        (credential.c.organisation_id == organisation_id)
        & (credential.c.scope_id == scope_id)
        & (credential.c.origin == origin)
    )
