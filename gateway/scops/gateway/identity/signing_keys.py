"""The keys that an issuer signs with: fetched beside the calls, kept, and looked up by their id."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey

from scops.common.contract.errors import StoreUnavailable
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock

Key = RSAKey | ECKey | OKPKey
# Fetches the key set of an issuer, as JSON.
Fetch = Callable[[], Awaitable[Any]]
FRESH = timedelta(hours=1)
# Keys that cannot be fetched anew count so long: an issuer that is away stops nobody at once.
KEPT = timedelta(hours=24)
# Between fetches for ids that nobody knows: whoever sends them decides how often they come.
UNKNOWN_PAUSE = timedelta(minutes=5)
FAILED_PAUSE = timedelta(seconds=30)
KEYS_MAX = 100
MALFORMED = (OSError, ValueError, LookupError, TypeError, AttributeError, JoseError)
log = get_logger("gateway")


class SigningKeys:
    """The keys of one issuer."""

    def __init__(self, fetch: Fetch, clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: dict[str, Key] = {}
        self._fetched: datetime | None = None
        self._tried: datetime | None = None
        self._lock = asyncio.Lock()

    async def key(self, key_id: str) -> Key | None:
        """Returns the key of an id; None where the issuer has none.

        Raises:
            StoreUnavailable: its keys cannot be fetched, and those that are held are too old.
        """
        if self._is_due(key_id):
            async with self._lock:
                # Of those who waited here, the first has fetched for all.
                if self._is_due(key_id):
                    await self._refresh()
        if self._fetched is None or self._age(self._fetched) > KEPT:
            raise StoreUnavailable(
                "The issuer's keys cannot be fetched, so that no token of it can be checked. Ask "
                "again shortly.",
                reason="ISSUER_UNAVAILABLE",
            )
        return self._keys.get(key_id)

    def _is_due(self, key_id: str) -> bool:
        if self._tried is None:
            return True
        if self._fetched is None or self._fetched < self._tried:
            return self._age(self._tried) >= FAILED_PAUSE
        unknown = key_id not in self._keys
        return self._age(self._tried) >= (UNKNOWN_PAUSE if unknown else FRESH)

    def _age(self, instant: datetime) -> timedelta:
        return abs(self._clock.now() - instant)

    async def _refresh(self) -> None:
        self._tried = self._clock.now()
        try:
            self._keys = _by_id(await self._fetch())
        except MALFORMED as error:
            log.warning("issuer_keys_not_fetched", error=repr(error))
            return
        self._fetched = self._tried


def _by_id(document: Any) -> dict[str, Key]:
    """Returns the public keys of a key set (RFC 7517) that sign, by their ids.

    Raises:
        ValueError: it is no key set.
    """
    described = document["keys"]
    if not isinstance(described, list) or len(described) > KEYS_MAX:
        raise ValueError(f"a key set lists at most {KEYS_MAX} keys")
    usable = [one for one in described if one.get("use", "sig") == "sig" and one.get("kid")]
    keys = KeySet.import_key_set({"keys": [one for one in usable if one.get("kty") != "oct"]})
    return {str(key.kid): key for key in keys.keys if isinstance(key, RSAKey | ECKey | OKPKey)}
