"""Scopes between the API's messages and ours."""

from collections.abc import Iterable

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import Boundary, RuleKind, ScopeRule
from scops.gateway.adapters.grpc.translate_times import timestamp
from scops.gateway.handlers.scopes import RulePreview
from scops.gateway.requests.names import scope_name
from scops.gateway.scopes.stored_scope import ScopeFields, StoredScope

KIND_OF_NUMBER = {
    pb.ScopeRule.KIND_PREFIX: RuleKind.PREFIX,
    pb.ScopeRule.KIND_GLOB: RuleKind.GLOB,
    pb.ScopeRule.KIND_REGEX: RuleKind.REGEX,
    pb.ScopeRule.KIND_PAGE: RuleKind.PAGE,
}
NUMBER_OF_KIND = {kind: number for number, kind in KIND_OF_NUMBER.items()}
BOUNDARY_OF_NUMBER = {
    pb.Scope.BOUNDARY_UNSPECIFIED: Boundary.UNSPECIFIED,
    pb.Scope.BOUNDARY_SUBPAGES: Boundary.SUBPAGES,
    pb.Scope.BOUNDARY_HOST: Boundary.HOST,
    pb.Scope.BOUNDARY_DOMAIN: Boundary.DOMAIN,
}
NUMBER_OF_BOUNDARY = {boundary: number for number, boundary in BOUNDARY_OF_NUMBER.items()}


def fields_of(scope: pb.Scope) -> ScopeFields:
    """Returns what a caller sets of a scope.

    Raises:
        InvalidInput: its boundary is none that this version knows.
    """
    boundary = BOUNDARY_OF_NUMBER.get(scope.boundary)
    if boundary is None:
        raise InvalidInput(
            f"The boundary {scope.boundary} is unknown. Use SUBPAGES, HOST or DOMAIN.",
            reason="BOUNDARY_UNKNOWN",
            field="scope.boundary",
        )
    return ScopeFields(
        display_name=scope.display_name,
        rules=rules_of(scope.rules),
        boundary=boundary,
        seeds=tuple(scope.seeds),
        sitemaps=tuple(scope.sitemaps),
        page_limit=scope.page_limit,
        depth_limit=scope.depth_limit,
        recrawl_per_day=scope.recrawl_per_day,
        public=scope.public,
        retention_days=scope.retention_days,
        counted_reasons=tuple(scope.counted_reasons),
        ignored_reasons=tuple(scope.ignored_reasons),
    )


def rules_of(rules: Iterable[pb.ScopeRule]) -> tuple[ScopeRule, ...]:
    """Returns rules; a kind that this version does not know stays unspecified and is refused."""
    return tuple(
        ScopeRule(
            kind=KIND_OF_NUMBER.get(rule.kind, RuleKind.UNSPECIFIED),
            pattern=rule.pattern,
            exclude=rule.exclude,
        )
        for rule in rules
    )


def rule_message(rule: ScopeRule) -> pb.ScopeRule:
    """Returns the message of a rule."""
    return pb.ScopeRule(
        kind=NUMBER_OF_KIND.get(rule.kind, pb.ScopeRule.KIND_UNSPECIFIED),
        pattern=rule.pattern,
        exclude=rule.exclude,
    )


def scope_message(stored: StoredScope) -> pb.Scope:
    """Returns the message of a stored scope."""
    scope = stored.scope
    return pb.Scope(
        name=scope_name(scope.scope_id),
        display_name=scope.name,
        rules=[rule_message(rule) for rule in scope.rules],
        boundary=NUMBER_OF_BOUNDARY[scope.boundary],
        seeds=scope.seeds,
        sitemaps=scope.sitemaps,
        page_limit=scope.page_limit,
        depth_limit=scope.depth_limit,
        recrawl_per_day=scope.recrawl_per_day,
        owner=scope.owner,
        public=scope.public,
        retention_days=scope.retention_days,
        counted_reasons=scope.counted_reasons,
        ignored_reasons=scope.ignored_reasons,
        revision=scope.revision,
        etag=stored.etag,
        create_time=timestamp(stored.created_time),
        update_time=timestamp(stored.updated_time),
    )


def preview_message(preview: RulePreview) -> pb.PreviewScopeResponse:
    """Returns the message of a preview."""
    return pb.PreviewScopeResponse(
        matched_count=preview.matched_count,
        known_count=preview.known_count,
        matched_examples=preview.matched_examples,
        unmatched_examples=preview.unmatched_examples,
        truncated=preview.truncated,
    )
