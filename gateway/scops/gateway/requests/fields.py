"""Names the field of a request that an error is about, for `google.rpc.BadRequest`."""

from collections.abc import Iterator
from contextlib import contextmanager

from scops.common.contract.errors import InvalidInput

FIELD = "field"


@contextmanager
def about_field(path: str) -> Iterator[None]:
    """Adds the path of a request's field to an InvalidInput that passes; an inner one wins."""
    try:
        yield
    except InvalidInput as error:
        error.metadata.setdefault(FIELD, path)
        raise
