"""How much each feature of a block counts, and from which sum on the block is main text.

These come from a first fit on the development half (by host) of trafilatura-eval, with less weight
on reference manuals and terms of service, whose script was not kept.
`benchmarks.reference.fit_blocks` fits the same features anew, and does as well (ADR 22).
"""

from collections.abc import Callable
from operator import mul

from scops.extractor.html.block_features import BlockFeatures

WEIGHTS = BlockFeatures(
    first_share=1.01,
    first_before=0.28,
    first_after=0.55,
    first_around=0.12,
    first_container=1.51,
    first_low_coverage=0.55,
    second_share=0.99,
    second_around=1.08,
    second_where_first_is_low=0.61,
    length=0.92,
    short=0.09,
    long=1.00,
    links=-0.82,
    mostly_links=0.20,
    boilerplate=-1.33,
    heading=0.30,
    list_item=1.53,
    table_row=0.29,
    code=0.38,
    quote=0.94,
    inside=0.06,
    above=0.68,
    below=-0.82,
    closed=0.61,
    cut_off=-0.33,
    commas=0.12,
    digits=0.07,
    prompt=-1.20,
    short_prompt=-1.39,
)
INTERCEPT = -4.14
# Log odds: a block counts as main text from a probability of 0.45 on, a heading above main text
# from 0.3 on.
THRESHOLD = -0.20
HEADING_THRESHOLD = -0.85

_product: Callable[[float, float], float] = mul


def score(features: BlockFeatures) -> float:
    """Returns the log odds that a block is main text."""
    return INTERCEPT + sum(map(_product, WEIGHTS, features))
