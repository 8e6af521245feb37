"""The file that a site's own search reads, asked for as a robots.txt or a sitemap is.

It is asked for under the clock of its host, where robots.txt lets us, with the conditions that it
came with. What came is held for some hours, and that there is none to be had for some days.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from scops.fetcher.discovery.search_index import INDEX_BYTES_MAX
from scops.fetcher.fetch.borrowing import borrowed
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.frontier.outcomes import ROBOTS
from scops.fetcher.politeness.plain_files import KeptFile, as_fetched, held_after, request_for
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.page_source import Failed, Fetched, FetchResult, Gone, Unmodified

HELD_AGE = timedelta(hours=6)
ABSENT_AGE = timedelta(days=3)
# For a host that somebody else asks just now: five seconds in all.
LOOKS_MAX = 25
SEARCHED, GONE, BLOCKED, FAILED = "searched", "gone", "blocked", "failed"
REDIRECTED = "redirected"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchIndexFile:
    """What came of asking for an index.

    Attributes:
        outcome: `searched` where there is a body; empty where it was absent lately.
        reason: why there is no body, for programs.
        requested: whether the site was asked for it now.
    """

    outcome: str = ""
    reason: str = ""
    requested: bool = False
    body: bytes | None = None


async def index_file(url: str, ports: FetcherPorts) -> SearchIndexFile:
    """Returns an index, requested where none is held that is young enough.

    Raises:
        TransientError: its host is asked by somebody else, or the state does not answer.
    """
    held = await ports.files.held(url)
    known = _known(held, ports.clock.now())
    if known is not None:
        return known
    async with borrowed(url, ports, looks_max=LOOKS_MAX) as lent:
        # Somebody else may have asked for it meanwhile.
        held = await ports.files.held(url)
        known = _known(held, ports.clock.now()) or await _refused(url, lent.visit)
        if known is not None:
            return known
        lent.answer = await _answer(url, lent.visit, held)
    return await _taken(url, lent.answer, held, ports)


async def give_up(url: str, ports: FetcherPorts) -> None:
    """Notes that there is no index to be had, such as where what came cannot be read."""
    await ports.files.keep(url, KeptFile(tried_time=ports.clock.now()))


def _known(held: KeptFile | None, now: datetime) -> SearchIndexFile | None:
    """Returns what is known of an index; None where it has to be asked for."""
    if held is None:
        return None
    age = now - held.tried_time
    if held.body is not None and age < HELD_AGE:
        return SearchIndexFile(outcome=SEARCHED, body=held.body)
    return SearchIndexFile() if _is_absent(held) and age < ABSENT_AGE else None


def _is_absent(held: KeptFile) -> bool:
    """Says whether there was none to be had; one without a body may be too large, or purged."""
    return not held.final_url


async def _refused(url: str, visit: Visit) -> SearchIndexFile | None:
    policy = await visit.policy(url)
    if isinstance(policy, Failed):
        return SearchIndexFile(outcome=FAILED, reason=policy.reason.lower())
    if not await visit.allows(policy, url):
        return SearchIndexFile(outcome=BLOCKED, reason=ROBOTS)
    return None


async def _answer(url: str, visit: Visit, held: KeptFile | None) -> FetchResult:
    # The visit is nobody's: it admits no redirect.
    return await visit.ports.source.fetch_plain(
        request_for(url, held), visit, limit_bytes=INDEX_BYTES_MAX, admitted_only=True
    )


async def _taken(
    url: str, answer: FetchResult, held: KeptFile | None, ports: FetcherPorts
) -> SearchIndexFile:
    now = ports.clock.now()
    if isinstance(answer, Unmodified):
        await ports.files.seen(url, now=now)
    elif isinstance(answer, Fetched):
        await ports.files.keep(url, held_after(answer, now=now))
    elif not (isinstance(answer, Failed) and answer.retryable):
        await give_up(url, ports)
    came = as_fetched(answer, held)
    if isinstance(came, Fetched):
        return SearchIndexFile(outcome=SEARCHED, requested=True, body=came.body)
    if isinstance(came, Gone):
        return SearchIndexFile(outcome=GONE, reason=f"http_{came.status}", requested=True)
    reason = came.reason.lower() if isinstance(came, Failed) else REDIRECTED
    return SearchIndexFile(outcome=FAILED, reason=reason, requested=True)
