"""The rule by which a reader counts changes: the scope's own, changed by what was asked.

Pure. Verdicts and the change rate never depend on it.
"""

from scops.common.contract.messages.change import ChangeRule
from scops.common.contract.messages.types import ChangeSummary, Scope

DEFAULT_RULE = ChangeRule()


def rule_of(scope: Scope | None, asked: ChangeRule | None = None) -> ChangeRule:
    """Returns the rule to read by.

    What is asked for replaces that part of the scope's own rule; asking for noise lifts the rest.
    """
    asked = asked or DEFAULT_RULE
    if scope is None or asked.with_noise:
        return asked
    return ChangeRule(
        counted_reasons=asked.counted_reasons or scope.counted_reasons,
        ignored_reasons=asked.ignored_reasons or scope.ignored_reasons,
    )


def reasons_count(reasons: tuple[str, ...], rule: ChangeRule) -> bool:
    """Returns whether something that changed for these reasons may count."""
    named = set(reasons)
    if rule.counted_reasons and not named & set(rule.counted_reasons):
        return False
    return not (rule.ignored_reasons and named <= set(rule.ignored_reasons))


def summary_counts(summary: ChangeSummary, rule: ChangeRule) -> bool:
    """Returns whether a version's change counts: by the reasons of the whole page."""
    return (summary.semantic or rule.with_noise) and reasons_count(summary.reasons, rule)
