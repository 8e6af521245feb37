"""Idempotency by request_id (AIP-155): the same request twice has one effect."""

import uuid
from dataclasses import dataclass

from scops.common.access.principal import Principal
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestKey:
    """A request that its caller may repeat.

    Attributes:
        digest: hash of the method and its arguments, so that an id used for something else is
            noticed.
    """

    organisation_id: str
    principal_id: str
    request_id: str
    digest: str


def request_key(principal: Principal, request_id: str, *arguments: str) -> RequestKey | None:
    """Returns the key of a request, or None where the caller gave no id.

    Raises:
        InvalidInput: the id is no UUID.
    """
    if not request_id:
        return None
    try:
        canonical = str(uuid.UUID(request_id))
    except ValueError as error:
        raise InvalidInput(
            f"The request_id {request_id[:80]!r} is no UUID. Give a fresh UUID per request, and "
            "the same one only to repeat it.",
            reason="REQUEST_ID_MALFORMED",
            field="request_id",
        ) from error
    return RequestKey(
        organisation_id=principal.organisation_id,
        principal_id=principal.principal_id,
        request_id=canonical,
        digest=content_hash(*arguments),
    )
