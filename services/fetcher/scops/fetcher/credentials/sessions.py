"""Sessions that credentials have begun, in this process's memory and nowhere else."""

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from scops.common.contract.errors import PermanentError
from scops.fetcher.ports.credentials import OpenedCredential

SESSIONS_MAX = 1000
# One that is refused is not begun anew more often: pages that it may not read are refused always.
AGE_MIN = timedelta(seconds=60)
# Accounts are locked by those who try too often.
REFUSED_FOR = timedelta(minutes=15)


class SignInRefused(PermanentError):
    """A server began no session for a credential."""

    default_reason = "SIGN_IN_REFUSED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a server knows who asks by, as long as the session lasts.

    Args:
        headers: name and value; never shown.
        expire_time: None lasts until it is refused.
    """

    headers: tuple[tuple[str, str], ...] = field(repr=False)
    expire_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    put_time: datetime
    began_time: datetime
    what: Session | SignInRefused


class Sessions:
    """Sessions and refusals by access context, the least recently begun forgotten first.

    Each is that of a credential as it was put: a newer one begins anew.
    """

    def __init__(self) -> None:
        self._held: OrderedDict[str, _Held] = OrderedDict()

    def held(self, opened: OpenedCredential, *, now: datetime) -> Session | None:
        """Returns the session of a credential; None where one is to be begun.

        Raises:
            SignInRefused: it was refused a short while ago.
        """
        found = self._held.get(opened.access_context)
        if found is None or found.put_time != opened.put_time:
            return None
        if isinstance(found.what, SignInRefused):
            if now - found.began_time < REFUSED_FOR:
                raise found.what
            return None
        ends = found.what.expire_time
        return found.what if ends is None or now < ends else None

    def keep(
        self, opened: OpenedCredential, what: Session | SignInRefused, *, now: datetime
    ) -> None:
        """Holds a session, or that there was none to be had."""
        self._held[opened.access_context] = _Held(opened.put_time, now, what)
        self._held.move_to_end(opened.access_context)
        if len(self._held) > SESSIONS_MAX:
            self._held.popitem(last=False)

    def forget(self, access_context: str, *, now: datetime) -> bool:
        """Forgets a session that a server does not know any more; returns whether it did.

        One that was begun just now stays: another would fare no better.
        """
        found = self._held.get(access_context)
        if found is None or now - found.began_time < AGE_MIN:
            return False
        del self._held[access_context]
        return True

    def drop(self, access_context: str) -> None:
        """Forgets a session or a refusal, whatever its age: somebody asks to try again."""
        self._held.pop(access_context, None)
