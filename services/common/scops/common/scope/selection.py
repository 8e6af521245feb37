"""Which pages a purge is about."""

from collections.abc import Collection
from functools import lru_cache

from scops.common.contract.messages.purge import PurgeSelector
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.scope.rules import in_scope, may_name


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
    rules = _prefix_rules(selector.url_prefixes)
    return any(may_name(rules, url) for url in urls)


@lru_cache(maxsize=64)
def _prefix_rules(prefixes: tuple[str, ...]) -> tuple[ScopeRule, ...]:
    """Returns the same rules for the same prefixes, which are asked about every page."""
    return tuple(
        ScopeRule(kind=RuleKind.PREFIX, pattern=prefix, exclude=True) for prefix in prefixes
    )
