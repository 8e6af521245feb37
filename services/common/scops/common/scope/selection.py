"""Which pages a purge is about."""

from collections.abc import Collection

from scops.common.contract.messages.purge import PurgeSelector
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.scope.rules import in_scope


def selects(
    selector: PurgeSelector, *, page_id: str, canonical_url: str, names: Collection[str]
) -> bool:
    """Returns whether a page satisfies each kind that a selector gives.

    Args:
        names: URLs that the page is known by, beside its canonical one: a prefix speaks of them
            too, for what was read under them is of the page. A scope's rules speak of the
            canonical one alone.
    """
    if selector.page_ids and page_id not in selector.page_ids:
        return False
    if selector.url_prefixes and not _below(selector, (canonical_url, *names)):
        return False
    return not selector.rules or in_scope(Scope(rules=selector.rules), canonical_url)


def is_empty(selector: PurgeSelector) -> bool:
    """Returns whether a selector says nothing of pages, so that it means every one."""
    return not (selector.page_ids or selector.url_prefixes or selector.rules)


def _below(selector: PurgeSelector, urls: Collection[str]) -> bool:
    rules = tuple(
        ScopeRule(kind=RuleKind.PREFIX, pattern=prefix) for prefix in selector.url_prefixes
    )
    return any(in_scope(Scope(rules=rules), url) for url in urls)
