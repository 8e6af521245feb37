"""Words and numbers of a report as its readers see them; what pages say is one line of text."""

from collections.abc import Sequence
from datetime import datetime

from scops.common.text.printable import printable
from scops.gateway.adapters.research.values import ReportCost, ReportDifference, ReportLink

OPENED = ("http://", "https://")


def one_line(text: str) -> str:
    """Returns what a page says as one line, of which nothing is hidden from a reader."""
    return " ".join(printable(text).split())


def is_opened(uri: str) -> bool:
    """Returns whether a browser opens a URI; a file's collection names none."""
    return uri.lower().startswith(OPENED)


def difference_words(one: ReportDifference) -> str:
    """Returns how two quotes differ."""
    says, others = ", ".join(one.says), ", ".join(one.other_says)
    return f"[{one.quote}] says {says}; [{one.other_quote}] says {others}"


def percent(share: float) -> str:
    """Returns a share as people write it."""
    return f"{share:.0%}".replace("%", " %")


def shown_time(instant: str) -> str:
    """Returns an instant to the second, in UTC; a dash for none."""
    if not instant:
        return "–"
    return f"{datetime.fromisoformat(instant):%Y-%m-%d %H:%M:%S} UTC"


def cost_words(cost: ReportCost) -> str:
    """Returns what was spent of what might have been."""
    words = (
        f"{cost.pages} of {cost.pages_budget} pages fetched, {cost.seconds:.1f} of "
        f"{cost.seconds_budget} s"
    )
    if cost.input_tokens or cost.output_tokens:
        words += f"; a language model read {cost.input_tokens} tokens and wrote "
        words += f"{cost.output_tokens}"
    return words


def start_of(way: Sequence[ReportLink], uri: str) -> str:
    """Returns the page that a way begins at."""
    return way[0].on_uri if way else uri
