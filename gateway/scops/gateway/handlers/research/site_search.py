"""What the own search of a site brings to a research run: pages that no link seen so far names.

Where a site has none, its llms.txt may.
"""

from dataclasses import dataclass, field, replace
from datetime import timedelta

from scops.common.contract.errors import TransientError
from scops.common.contract.messages.crawl import (
    SearchedPage,
    SiteSearchRequest,
    SiteSearchResponse,
)
from scops.common.contract.messages.types import Scope
from scops.common.observe.log import get_logger
from scops.common.query.ports import SITE_SEARCH
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.ports import GatewayPorts
from scops.gateway.research.research import SITE_SEARCH_TEXT, Research, ResearchPage
from scops.gateway.scopes.stored_scope import ref_of

# Pages that are taken of it, and words of the question that it is asked with.
PAGES_MAX, QUERY_CHARACTERS_MAX = 50, 1000
# Pages of the site that are named at once.
NAMED_MAX = 20
# A run goes on without it where it takes longer; its file is held by the next look.
SECONDS = timedelta(seconds=12)
FAILURES_MAX = 2
# Of the budget: its file, and a page that it finds.
ROOM_MIN = 2
SEARCHED = "searched"
# The file that names pages where no page names an index.
LLMS_TXT = "llms.txt"
OUTCOMES = {SEARCHED: SEARCHED, "gone": "gone", "blocked": "blocked", "failed": "dead"}
HELD = "known"

log = get_logger("gateway")


@dataclass(slots=True)
class SiteSearch:
    """What is known of the site's search while a gateway works on a run.

    Attributes:
        asked: pages of the site that were looked at for an index.
        failures: questions that nobody answered in time.
        answer: the first that says what came of an index.
    """

    asked: set[str] = field(default_factory=set)
    failures: int = 0
    answer: SiteSearchResponse = field(default_factory=SiteSearchResponse)

    @property
    def pages(self) -> tuple[SearchedPage, ...]:
        """The pages that it found, best first."""
        return self.answer.pages


async def search_site(
    ports: GatewayPorts,
    run: Research,
    call: Call,
    *,
    scope: Scope,
    urls: tuple[str, ...],
    search: SiteSearch,
) -> None:
    """Asks the site's own search, once, as soon as a page of the run names its index.

    Args:
        urls: pages of the site that are known.
        search: takes what it finds.
    """
    unseen = tuple(url for url in urls if url not in search.asked)[:NAMED_MAX]
    if search.answer.outcome or search.failures >= FAILURES_MAX or not unseen:
        return
    if run.budget.pages - len(run.pages) < ROOM_MIN:
        return
    request = SiteSearchRequest(
        scope=ref_of(scope),
        urls=unseen,
        query=run.question[:QUERY_CHARACTERS_MAX],
        limit=PAGES_MAX,
    )
    soon = replace(call, deadline=min(call.deadline, ports.clock.now() + SECONDS))
    try:
        search.answer = await ask(ports, SITE_SEARCH, request, call=soon)
    except TransientError as error:
        search.failures += 1
        log.info("site_search_waits", research_id=run.research_id, error=error.message)
        return
    search.asked.update(unseen)


def with_index(run: Research, search: SiteSearch, *, step: int) -> Research:
    """Returns a run with the index that its site searches by, which is a page of its budget."""
    answer = search.answer
    if not answer.outcome or any(page.url == answer.index_url for page in run.pages):
        return run
    is_held = answer.outcome == SEARCHED and not answer.requested
    index = ResearchPage(
        url=answer.index_url,
        found_on=answer.named_by,
        link_text=LLMS_TXT if answer.index_url.endswith(f"/{LLMS_TXT}") else SITE_SEARCH_TEXT,
        step=step,
        outcome=HELD if is_held else OUTCOMES[answer.outcome],
        reason=answer.reason,
    )
    return replace(run, pages=(*run.pages, index))
