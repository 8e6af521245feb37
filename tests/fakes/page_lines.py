"""Hypothesis strategies of texts for comparing: lines as pages have them, in any script."""

from hypothesis import strategies as st

_SENTENCES = st.sampled_from(
    [
        "# Fees and charges",
        "The fee is 5 euros per month.",
        "You may not copy this text.",
        "Call the office before Friday. It is open all day.",
        "Yes",
        "- one item of a list",
        "3. a numbered item",
        "Name | 12 % | v1.2.3 | https://example.org/a?b=1",
        "漢字を書く。規約を変更する。",
        "الرسوم خمسة دراهم شهريا.",
        "דמי המנוי הם 5 אירו",
        "ราคาห้าบาท",
        "دوسری‌بار",
        "",
    ]
)
_SAID = (
    "the fee is not 5 10 % euros Never page Friday, a b, and or - — • © 2024 v2 x=1 “so” (see) ."
)
_WORDS = st.sampled_from(sorted(_SAID.split()))
_PHRASES = st.lists(_WORDS, min_size=1, max_size=12).map(" ".join)
# No line breaks of any kind: a line is a block.
_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85"
_ANYTHING = st.text(
    st.characters(exclude_categories=("Cs", "Zl", "Zp"), exclude_characters=_BREAKS), max_size=24
)

LINES = _SENTENCES | _PHRASES | _ANYTHING
PAGES = st.lists(LINES, max_size=12)
