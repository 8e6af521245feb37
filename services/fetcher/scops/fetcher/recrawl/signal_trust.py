"""How far a site's own words about its changes can be believed: learned from what checks found.

A signal is anything that says, without a fetch of the page, that it has changed: a sitemap's
`lastmod`, an entry of a feed, word of its publisher. Each check that follows one tells whether it
was true (precision), and each change found tells whether one had come (recall). A site that stamps
every page with today's date earns a precision near the page's own rate of change, and is soon
ignored.

Source: noisy change signals of arXiv 2502.02430; Beta counts with the prior Beta(2, 2).
"""

from dataclasses import dataclass

from scops.fetcher.recrawl.crawl_value import SignalModel

# Counted as seen before anything was.
PRIOR_COUNT = 2.0
# A share of one would make a page's silence a proof.
SHARE_MAX = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalCounts:
    """What became of the signals of a site and kind.

    Attributes:
        true: checks after a signal that found a change.
        false: checks after a signal that found none.
        missed: checks without a signal that found a change.
    """

    true: float = 0.0
    false: float = 0.0
    missed: float = 0.0


NOTHING_SIGNALLED = SignalCounts()


def trust(counts: SignalCounts, *, wider: SignalCounts = NOTHING_SIGNALLED) -> SignalModel:
    """Returns recall and precision; nothing is believed before a signal was seen to be true.

    Args:
        wider: the same of all sites, which counts for as much as the prior.
    """
    known = counts.true + wider.true
    if known <= 0:
        return SignalModel()
    base_recall = (wider.true + PRIOR_COUNT) / (wider.true + wider.missed + 2 * PRIOR_COUNT)
    base_precision = (wider.true + PRIOR_COUNT) / (wider.true + wider.false + 2 * PRIOR_COUNT)
    weight = 2 * PRIOR_COUNT
    recall = (counts.true + weight * base_recall) / (counts.true + counts.missed + weight)
    precision = (counts.true + weight * base_precision) / (counts.true + counts.false + weight)
    return SignalModel(recall=min(recall, SHARE_MAX), precision=min(precision, SHARE_MAX))
