"""How fresh the texts of pages are, each measured by how fast the texts of its site age.

Changes of a page are taken as a Poisson process: the age of a text that replaced another ends at
its last change, that of a page's first text says only that nothing changed for so long. With the
prior of a usual site, rate = (changes + k) / (days without change + k days of the prior).
The half-life is ln 2 / rate, bounded.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from scops.common.contract.ids import PageId
from scops.retriever.candidates.candidate import ListedPage

DAY = timedelta(days=1)
# Pages that the prior weighs as much as.
PRIOR_PAGES = 5.0
# Bounds of the half-life that a site's own pace gives.
HALF_LIFE_DAYS_MIN = 7.0
HALF_LIFE_DAYS_MAX = 365.0


@dataclass(frozen=True, slots=True)
class TextAge:
    """One page's standing text.

    Attributes:
        age_days: since it was first observed, or the page began.
        replaced: another text stood before it.
    """

    url: str
    age_days: float
    replaced: bool


def page_freshness(
    pages: Iterable[ListedPage], now: datetime, *, usual_days: float
) -> Mapping[PageId, float]:
    """Returns by page how fresh its text is, in (0, 1].

    Args:
        usual_days: half-life of the texts of a site of which nothing is known.
    """
    texts = {
        page.version.page_id: TextAge(
            url=page.version.canonical_url,
            age_days=age_days(page.version.order_key.observed_from, now),
            replaced=bool(page.manifest.compared_with),
        )
        for page in pages
    }
    half_life = half_lives(texts.values(), usual_days=usual_days)
    return {
        page_id: recency_weight(text.age_days, half_life_days=half_life[site_of(text.url)])
        for page_id, text in texts.items()
    }


def half_lives(texts: Iterable[TextAge], *, usual_days: float) -> Mapping[str, float]:
    """Returns the half-life in days of the texts of each site, by its host.

    Args:
        texts: one a page.
        usual_days: half-life of a site of which nothing is known.
    """
    changes: dict[str, float] = defaultdict(float)
    days: dict[str, float] = defaultdict(float)
    for text in texts:
        changes[site_of(text.url)] += text.replaced
        days[site_of(text.url)] += max(text.age_days, 0.0)
    prior_days = PRIOR_PAGES * usual_days / math.log(2)

    def half_life(site: str) -> float:
        rate = (changes[site] + PRIOR_PAGES) / (days[site] + prior_days)
        return min(max(math.log(2) / rate, HALF_LIFE_DAYS_MIN), HALF_LIFE_DAYS_MAX)

    return {site: half_life(site) for site in days}


def site_of(url: str) -> str:
    """Returns the host that a URL names."""
    return urlsplit(url).netloc


def recency_weight(age_days: float, *, half_life_days: float) -> float:
    """Weighs a passage by age with exponential decay, in (0, 1]; future dates count as age 0.

    Source: OwlerLite, section 4, fresh(p).
    """
    return float(0.5 ** (max(age_days, 0.0) / half_life_days))


def age_days(since: datetime, now: datetime) -> float:
    """Returns the days from an instant to now; negative when it lies ahead."""
    return (now - since) / DAY
