"""How fast the texts of each site age, learned from the ages of what stands on it.

Changes of a page are taken as a Poisson process: the age of a text that replaced another ends at
its last change, that of a page's first text says only that nothing changed for so long. With the
prior of a usual site, rate = (changes + k) / (days without change + k days of the prior).
The half-life is ln 2 / rate, bounded.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

# Pages that the prior weighs as much as.
PRIOR_PAGES = 5.0


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


def half_lives(
    texts: Iterable[TextAge], *, usual_days: float, least_days: float, most_days: float
) -> Mapping[str, float]:
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
        return min(max(math.log(2) / rate, least_days), most_days)

    return {site: half_life(site) for site in days}


def site_of(url: str) -> str:
    """Returns the host that a URL names."""
    return urlsplit(url).netloc
