"""Each way in which a rule cannot be used has a code and words of its own."""

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import RuleKind, ScopeRule
from scops.common.scope.rule_faults import FAULTS, RuleFault
from scops.common.scope.rules import check_rule, unusable_rules

PATTERNS = {
    RuleFault.LENGTH: (RuleKind.PREFIX, "docs.example.org/a b"),
    RuleFault.KIND_MISSING: (RuleKind.UNSPECIFIED, "docs.example.org"),
    RuleFault.HOST_MISSING: (RuleKind.PREFIX, "/guide"),
    RuleFault.URL_UNREADABLE: (RuleKind.PREFIX, "a:99999/guide"),
    RuleFault.PREFIX_WILDCARD: (RuleKind.PREFIX, "docs.example.org/*"),
    RuleFault.REGEX_NOT_ASCII: (RuleKind.REGEX, r"https://docs\.example\.org/é"),
    RuleFault.REGEX_ESCAPE: (RuleKind.REGEX, r"https://docs\.example\.org/x.*%c3%a9"),
    RuleFault.REGEX_HOST_MISSING: (RuleKind.REGEX, ".*"),
    RuleFault.REGEX_HOST_UNREADABLE: (RuleKind.REGEX, r"https://\[1:2\]/"),
    RuleFault.REGEX_HOST_DOTS: (RuleKind.REGEX, "https://docs.example.org/"),
    RuleFault.REGEX_SLASH_MISSING: (RuleKind.REGEX, r"https://docs\.example\.org.*"),
    RuleFault.REGEX_SLASH_REPEATED: (RuleKind.REGEX, r"https://docs\.example\.org/*"),
    RuleFault.REGEX_ALTERNATIVES: (RuleKind.REGEX, r"https://docs\.example\.org/a|b"),
    RuleFault.EXPRESSION_UNREADABLE: (RuleKind.REGEX, r"https://docs\.example\.org/(a{detail}"),
}
# Found when a rule is written alone; what is stored so still matches as it is spelled.
WHEN_WRITTEN = {RuleFault.PREFIX_WILDCARD, RuleFault.REGEX_NOT_ASCII, RuleFault.REGEX_ESCAPE}


@pytest.mark.parametrize("fault", RuleFault)
def test_fault_is_told_by_its_code_and_in_words(fault: RuleFault) -> None:
    """A rule of each is refused with both, and the words leave nothing open."""
    kind, pattern = PATTERNS[fault]
    rule = ScopeRule(kind=kind, pattern=pattern)
    with pytest.raises(InvalidInput) as refused:
        check_rule(rule)
    facts = refused.value.metadata
    words = FAULTS[fault].replace("{detail}", facts["detail"])

    assert (fault, pattern) == (facts["fault"], facts["pattern"])
    assert ("{detail}" in FAULTS[fault]) == bool(facts["detail"])
    assert refused.value.message.endswith(f" cannot be used: {words}.")
    assert (fault not in WHEN_WRITTEN) == bool(unusable_rules([rule]))
