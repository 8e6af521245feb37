"""Values of what a caller sends in the API's messages."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp

from scops.api.v1alpha1 import identity_service_pb2 as identities
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.api.v1alpha1 import search_service_pb2 as searches
from scops.common.access.principal import InstallationRole
from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import VersionId
from scops.common.contract.messages.explanation import (
    AnswerMode,
    AnswerRequest,
    Citation,
    ExplainRequest,
    Revalidate,
    Turn,
    UnsupportedPolicy,
)
from scops.common.contract.messages.retrieval import PreferredScope, RetrieveRequest, Weights
from scops.common.contract.messages.types import (
    Boundary,
    Clocks,
    Grant,
    Scope,
    ScopeRole,
    ScopeRule,
)
from scops.gateway.handlers.keys import WantedKey
from scops.gateway.requests.names import page_of, scope_of
from scops.gateway.scopes.stored_scope import SETTABLE

E = TypeVar("E", bound=StrEnum)
# The clocks of a citation that is sent back are not read.
NO_CLOCKS = Clocks(observed_time=datetime(1970, 1, 1, tzinfo=UTC))


def scope_value(message: scopes.Scope) -> Scope:
    """Returns what a caller sets of a scope.

    Raises:
        InvalidInput: its boundary is none that this version knows.
    """
    if message.boundary not in scopes.Scope.Boundary.values():
        raise InvalidInput(
            f"The boundary {message.boundary} is unknown. Use SUBPAGES, HOST or DOMAIN.",
            reason="BOUNDARY_UNKNOWN",
            field="scope.boundary",
        )
    values = {name: getattr(message, field) for field, name in SETTABLE.items()}
    lists = ("seeds", "sitemaps", "counted_reasons", "ignored_reasons", "paper_services")
    return Scope(
        **values
        | {name: tuple(values[name]) for name in lists}
        | {
            "rules": rule_values(message.rules),
            "boundary": _enum_value(Boundary, message, "boundary"),
        }
    )


def rule_values(rules: Iterable[scopes.ScopeRule]) -> tuple[ScopeRule, ...]:
    """Returns rules; a kind that this version does not know stays unspecified and is refused."""
    return tuple(wire.from_proto(ScopeRule, rule) for rule in rules)


def grant_value(message: scopes.Grant) -> Grant:
    """Returns a grant as its caller sends it; a role that this version does not know is none."""
    role = _enum_value(ScopeRole, message, "role")
    return Grant(subject=message.subject, role=role, rights=tuple(message.rights))


def key_value(message: identities.Key) -> WantedKey:
    """Returns a key as its maker wants it.

    Raises:
        InvalidInput: its role is none that this version knows, or a scope has no such name.
    """
    if message.role not in scopes.ScopeRole.values():
        raise InvalidInput(
            f"The role {message.role} is unknown. Use VIEWER, CONTRIBUTOR, EDITOR or OWNER.",
            reason="ROLE_UNKNOWN",
            field="key.role",
        )
    return WantedKey(
        principal_id=message.principal,
        display_name=message.display_name,
        role=_enum_value(ScopeRole, message, "role"),
        scope_ids=tuple(
            scope_of(name, field=f"key.scopes[{index}]")
            for index, name in enumerate(message.scopes)
        ),
        expired_time=instant(message, "expire_time"),
        signing=message.signing,
    )


def role_value(message: identities.SetInstallationRoleRequest) -> InstallationRole | None:
    """Returns the role that is to be given or taken back; None for one that is unknown."""
    numbers = wire.enum_numbers(message.DESCRIPTOR.fields_by_name["role"].enum_type)
    return next((one for one in InstallationRole if numbers[one.value] == message.role), None)


def instant(message: Any, field: str) -> datetime | None:
    """Returns the instant that a field of a request holds, or None where it is unset.

    Raises:
        InvalidInput: it lies outside the years 1 to 9999.
    """
    if not message.HasField(field):
        return None
    value: Timestamp = getattr(message, field)
    try:
        return value.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{field} is no instant: it must lie between the years 1 and 9999.",
            reason="INSTANT_INVALID",
            field=field,
        ) from error


def retrieve_request(request: searches.SearchRequest) -> RetrieveRequest:
    """Returns the question of a search, without its scopes.

    Raises:
        InvalidInput: the name of a preferred scope has another form, or the instant is none.
    """
    return RetrieveRequest(
        query=request.query,
        limit=request.page_size,
        as_of_time=instant(request, "as_of_time"),
        recipe=request.recipe,
        weights=_weights(request),
        preferred=_preferred(request),
        min_score=_optional(request, "min_score"),
        page_passages_max=_optional(request, "page_passages_max"),
    )


def answer_request(request: searches.AnswerRequest) -> AnswerRequest:
    """Returns a question without its scopes; what this version does not know counts as unset.

    Raises:
        InvalidInput: the instant is none.
    """
    return AnswerRequest(
        query=request.query,
        as_of_time=instant(request, "as_of_time"),
        explain=request.explain,
        mode=_enum_value(AnswerMode, request, "mode"),
        unsupported=_enum_value(UnsupportedPolicy, request, "unsupported"),
        history=tuple(wire.from_proto(Turn, turn) for turn in request.history),
        revalidate=_enum_value(Revalidate, request, "revalidate"),
        recipe=request.recipe,
        model=request.model,
    )


def explain_request(request: searches.ExplainRequest) -> ExplainRequest:
    """Returns what is to be explained, without the scopes.

    Raises:
        InvalidInput: the name of a preferred scope has another form, or the instant is none.
    """
    return ExplainRequest(
        query=request.query,
        bundle=request.evidence_bundle,
        as_of_time=instant(request, "as_of_time"),
        limit=request.page_size,
        recipe=request.recipe,
        weights=_weights(request),
        preferred=_preferred(request),
    )


def citation_values(messages: Sequence[searches.Citation]) -> tuple[Citation, ...]:
    """Returns what counts of the citations that a caller sends back.

    Raises:
        InvalidInput: the name of a page has another form.
    """
    return tuple(
        Citation(
            number=message.number,
            canonical_url=message.uri,
            page_id=page_of(message.page, f"citations[{index}].page"),
            version_id=VersionId(message.version),
            start=message.start,
            end=message.end,
            quote=message.quote,
            quote_digest=message.quote_digest,
            text_digest=message.text_digest,
            clocks=NO_CLOCKS,
        )
        for index, message in enumerate(messages)
    )


def _weights(request: searches.SearchRequest | searches.ExplainRequest) -> Weights | None:
    return wire.from_proto(Weights, request.weights) if request.HasField("weights") else None


def _preferred(
    request: searches.SearchRequest | searches.ExplainRequest,
) -> tuple[PreferredScope, ...]:
    return tuple(
        PreferredScope(
            scope_id=scope_of(one.scope, field=f"preferred_scopes[{index}].scope"),
            priority=one.priority,
        )
        for index, one in enumerate(request.preferred_scopes)
    )


def _optional(message: Any, field: str) -> Any:
    return getattr(message, field) if message.HasField(field) else None


def _enum_value(kind: type[E], message: Any, field: str) -> E:
    """Returns the value of an enum field by its name; an unknown one is unspecified."""
    numbers = wire.enum_numbers(message.DESCRIPTOR.fields_by_name[field].enum_type)
    number = getattr(message, field)
    return kind(next((name for name, one in numbers.items() if one == number), "unspecified"))
