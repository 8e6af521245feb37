"""Boundaries: how far from its seeds a scope reaches, written as rules.

The rules stand among those of the scope, so that whoever matches pages knows nothing of
boundaries. They are written anew whenever seeds or boundary change.
"""

from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import Boundary, RuleKind, ScopeRule
from scops.common.scope.urls import registrable_domain
from scops.gateway.requests.limits import about_field


def boundary_rules(boundary: Boundary, seeds: Sequence[str]) -> tuple[ScopeRule, ...]:
    """Returns the including rules that a boundary writes, in the order of the seeds, each once.

    Args:
        seeds: canonical URLs.

    Raises:
        InvalidInput: there is no seed to begin from, or a seed has no registrable domain.
    """
    if boundary is Boundary.UNSPECIFIED:
        return ()
    if not seeds:
        raise InvalidInput(
            f"The boundary {boundary} is drawn around seeds, and the scope has none. "
            "Add a seed, or give rules instead.",
            reason="BOUNDARY_WITHOUT_SEEDS",
            field="scope.boundary",
        )
    rules: list[ScopeRule] = []
    for index, seed in enumerate(seeds):
        with about_field(f"scope.seeds[{index}]"):
            rules += _of_seed(boundary, seed)
    return tuple(dict.fromkeys(rules))


def _of_seed(boundary: Boundary, seed: str) -> tuple[ScopeRule, ...]:
    parts = urlsplit(seed)
    if boundary is Boundary.SUBPAGES:
        folder = parts.path.rsplit("/", 1)[0]
        return (ScopeRule(kind=RuleKind.PREFIX, pattern=f"{parts.netloc}{folder}"),)
    if boundary is Boundary.HOST:
        return (ScopeRule(kind=RuleKind.PREFIX, pattern=parts.netloc),)
    return _of_domain(seed, parts)


def _of_domain(seed: str, parts: SplitResult) -> tuple[ScopeRule, ...]:
    domain = registrable_domain(seed)
    if not domain:
        raise InvalidInput(
            f"{seed[:200]} has no registrable domain: it is an address, or a name that nobody "
            "registers. Use the boundary host.",
            reason="BOUNDARY_WITHOUT_DOMAIN",
        )
    authority = f"{domain}:{parts.port}" if parts.port else domain
    return (
        ScopeRule(kind=RuleKind.PREFIX, pattern=authority),
        ScopeRule(kind=RuleKind.GLOB, pattern=f"*.{authority}/**"),
    )
