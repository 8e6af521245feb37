"""What can be wrong with a rule: a code, and the words for it in English.

The words are made of the code and its detail and of nothing else, so that a page can say the same
in the language of its reader. A code that goes out means the same for good.
"""

from collections.abc import Mapping
from enum import StrEnum

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import ScopeRule

PATTERN_CHARACTERS_MAX = 500
PATTERN_SHOWN_MAX = 80


class RuleFault(StrEnum):
    """Why a rule cannot be used."""

    LENGTH = "length"
    KIND_MISSING = "kind_missing"
    HOST_MISSING = "host_missing"
    URL_UNREADABLE = "url_unreadable"
    PREFIX_WILDCARD = "prefix_wildcard"
    REGEX_NOT_ASCII = "regex_not_ascii"
    REGEX_ESCAPE = "regex_escape"
    REGEX_HOST_MISSING = "regex_host_missing"
    REGEX_HOST_UNREADABLE = "regex_host_unreadable"
    REGEX_HOST_DOTS = "regex_host_dots"
    REGEX_SLASH_MISSING = "regex_slash_missing"
    REGEX_SLASH_REPEATED = "regex_slash_repeated"
    REGEX_ALTERNATIVES = "regex_alternatives"
    EXPRESSION_UNREADABLE = "expression_unreadable"


_EXAMPLE = r"such as https://docs\.example\.org/"
FAULTS: Mapping[RuleFault, str] = {
    RuleFault.LENGTH: f"it must be 1 to {PATTERN_CHARACTERS_MAX} characters, no spaces",
    RuleFault.KIND_MISSING: "its kind must be prefix, glob, regex or page",
    RuleFault.HOST_MISSING: "it must start with a literal host, such as docs.example.org/guide, or "
    "name a collection of files, such as file://handbook; only http and https are crawled",
    RuleFault.URL_UNREADABLE: "its URL cannot be read ({detail})",
    RuleFault.PREFIX_WILDCARD: "a prefix has no wildcards; make it a glob, or leave the * out",
    RuleFault.REGEX_NOT_ASCII: "URLs are ASCII; write é as %C3%A9",
    RuleFault.REGEX_ESCAPE: "an escape in it is matched as {detail}; write it so",
    RuleFault.REGEX_HOST_MISSING: f"it must start with a literal host and slash, {_EXAMPLE}",
    RuleFault.REGEX_HOST_UNREADABLE: "its host cannot be read ({detail})",
    RuleFault.REGEX_HOST_DOTS: f"the dots of its host must be escaped, {_EXAMPLE}",
    RuleFault.REGEX_SLASH_MISSING: f"a slash must follow its host, {_EXAMPLE}",
    RuleFault.REGEX_SLASH_REPEATED: "the slash after its host must stand once, without a "
    "quantifier",
    RuleFault.REGEX_ALTERNATIVES: "alternatives (|) must stand inside parentheses after the host",
    RuleFault.EXPRESSION_UNREADABLE: "the expression cannot be read ({detail})",
}


class UnusablePattern(ValueError):
    """A pattern cannot be used.

    Args:
        fault: what is wrong with it.
        detail: what its words leave open: what a parser said, or how to write it.
    """

    def __init__(self, fault: RuleFault, detail: str = "") -> None:
        super().__init__(fault, detail)
        self.fault = fault
        self.detail = detail


def malformed(rule: ScopeRule, fault: RuleFault, detail: str = "") -> InvalidInput:
    """Returns the error for a rule that cannot be used; `fault` and `detail` are facts of it."""
    shown = rule.pattern[:PATTERN_SHOWN_MAX]
    # Not formatted as a template: a detail may hold braces.
    why = FAULTS[fault].replace("{detail}", detail)
    return InvalidInput(
        f"The {rule.kind} rule {shown!r} cannot be used: {why}.",
        reason="MALFORMED_RULE",
        pattern=shown,
        fault=fault.value,
        detail=detail,
    )
