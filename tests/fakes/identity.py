"""Questions asked for somebody, as a gateway signs them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from scops.common.access.assertion import KEY_BYTES, IdentitySigner, bearing
from scops.common.access.principal import Principal, local_principal
from scops.common.scope.book import ScopeBook

SIGNER = IdentitySigner(b"k" * KEY_BYTES)
LASTS = timedelta(seconds=60)


@contextmanager
def asked_for(book: ScopeBook, now: datetime, principal: Principal | None = None) -> Iterator[None]:
    """Has every question inside be asked for somebody, whose gateway the book knows."""
    book.identity_keys = SIGNER.public_keys
    caller = principal or local_principal("main")
    with bearing(SIGNER.assertion(caller, until=now + LASTS)):
        yield
