"""What rules would hold of the known pages, before anybody stores them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scops.common.access.permissions import Permission
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import ScopeRule
from scops.common.scope.contexts import access_contexts
from scops.common.scope.rules import excluding_rule, matching_rule
from scops.gateway.access.known_pages import holding_scopes, host_prefixes
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import known_batches
from scops.gateway.handlers.scope_access import all_visible, scope_for
from scops.gateway.ports import GatewayPorts
from scops.gateway.scopes.scope_check import checked_rules

# Of each kind.
EXAMPLES_MAX = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedPage:
    """A page that changed rules would let in or out.

    Attributes:
        rule: that lets it in, or keeps it out; None where none would let it in any more.
    """

    uri: str
    rule: ScopeRule | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePreview:
    """How many known pages some rules match, and which they would move."""

    matched_count: int = 0
    known_count: int = 0
    matched_examples: tuple[str, ...] = ()
    unmatched_examples: tuple[str, ...] = ()
    truncated: bool = False
    in_count: int = 0
    out_count: int = 0
    in_examples: tuple[PreviewedPage, ...] = ()
    out_examples: tuple[PreviewedPage, ...] = ()


async def preview_scope(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId | None, rules: Sequence[ScopeRule]
) -> RulePreview:
    """Counts the known pages that some rules match, among the pages of visible scopes.

    Args:
        scope_id: takes the rules of a stored scope when `rules` is empty; else says what would
            come in and go out if it had these.

    Raises:
        InvalidInput: a rule is malformed.
        NotFound: there is no such scope, or it is hidden.
    """
    visible = await all_visible(ports, call)
    scope = None
    standing: Sequence[ScopeRule] = ()
    if scope_id is not None:
        scope = (await scope_for(ports, call, scope_id, Permission.VIEW_SCOPE)).scope
        standing = scope.rules
    tried = checked_rules(rules or standing, field="rules")
    compared = standing if rules else tried
    preview = RulePreview()
    async for batch in known_batches(ports, call, prefixes=host_prefixes((*tried, *compared))):
        for page in batch.pages:
            if holding_scopes(page, visible):
                preview = _with_page(preview, page.canonical_url, tried=tried)
                if scope is not None and page.access_context in access_contexts(scope):
                    preview = _with_move(preview, page.canonical_url, standing, tried)
        preview = replace(preview, truncated=bool(batch.next_token))
    return preview


def _with_page(preview: RulePreview, url: str, *, tried: Sequence[ScopeRule]) -> RulePreview:
    """Counts a page."""
    known = preview.known_count + 1
    if matching_rule(tried, url) is None:
        unmatched = (*preview.unmatched_examples, url)[:EXAMPLES_MAX]
        return replace(preview, known_count=known, unmatched_examples=unmatched)
    return replace(
        preview,
        known_count=known,
        matched_count=preview.matched_count + 1,
        matched_examples=(*preview.matched_examples, url)[:EXAMPLES_MAX],
    )


def _with_move(
    preview: RulePreview, url: str, standing: Sequence[ScopeRule], tried: Sequence[ScopeRule]
) -> RulePreview:
    """Counts a page that changed rules would let in or out."""
    before, after = matching_rule(standing, url), matching_rule(tried, url)
    if before is None and after is not None:
        moved = (*preview.in_examples, PreviewedPage(uri=url, rule=after))
        count = preview.in_count + 1
        return replace(preview, in_count=count, in_examples=moved[:EXAMPLES_MAX])
    if before is not None and after is None:
        moved = (*preview.out_examples, PreviewedPage(uri=url, rule=excluding_rule(tried, url)))
        count = preview.out_count + 1
        return replace(preview, out_count=count, out_examples=moved[:EXAMPLES_MAX])
    return preview
