"""How much answers lean on a page: citations that fade with time.

A citation counts half after 30 days. So that sums over many pages need no touch while they fade,
all are kept in the units of one fixed day: a later citation weighs more instead.
"""

HALF_LIFE_DAYS = 30.0
# 2026-01-01 in days since 1970; weights stay finite for 80 years.
UNIT_DAY = 20_454.0
# Citations that every page is taken to have anyway: one answer does not turn a budget over.
PRIOR_CITATIONS = 0.1


def demand_of(citations: float, *, day: float) -> float:
    """Returns the demand that citations add, in units of `UNIT_DAY`.

    Args:
        day: of the citations, since 1970.
    """
    return citations * _growth(day)


def importance(demand: float, *, demand_sum: float, page_count: int, day: float) -> float:
    """Returns how much a page weighs, 1 on the average of a budget's pages.

    Args:
        demand: of the page, and `demand_sum` of all, in units of `UNIT_DAY`.
        day: now; what was cited long ago has faded.
    """
    growth = _growth(day)
    mean = max(demand_sum, demand) / max(page_count, 1) / growth
    return (demand / growth + PRIOR_CITATIONS) / (mean + PRIOR_CITATIONS)


def _growth(day: float) -> float:
    return float(2.0 ** ((day - UNIT_DAY) / HALF_LIFE_DAYS))
