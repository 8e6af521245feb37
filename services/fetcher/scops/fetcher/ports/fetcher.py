"""Everything the fetcher reaches."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from scops.common.archive.ports import Archive
from scops.common.contract import ids
from scops.common.contract.service_table import Role
from scops.common.egress.address import AddressPolicy
from scops.common.runtime.clock import Clock
from scops.common.scope.book import ScopeBook
from scops.fetcher.credentials.sessions import Sessions
from scops.fetcher.frontier.passage import Passage
from scops.fetcher.politeness.delays import HostDelays
from scops.fetcher.ports.browser import Browser, Renderings
from scops.fetcher.ports.captures import Captures
from scops.fetcher.ports.catalogue import Catalogue
from scops.fetcher.ports.credentials import Credentials
from scops.fetcher.ports.files import (
    IndexSearcher,
    ListingReader,
    PlainFiles,
    TakenListings,
    ValidatorTrust,
)
from scops.fetcher.ports.frontier import Frontier, Results
from scops.fetcher.ports.imports import Imports
from scops.fetcher.ports.ledger import Ledger
from scops.fetcher.ports.page_links import PageLinkStore
from scops.fetcher.ports.page_source import PageSource
from scops.fetcher.ports.papers import PaperSearches
from scops.fetcher.ports.purges import PurgeWalk
from scops.fetcher.ports.pushes import Pushes
from scops.fetcher.ports.schedule import Schedule
from scops.fetcher.ports.sign_in import SignInSource
from scops.fetcher.ports.subscriptions import Subscriptions
from scops.fetcher.ports.verified import VerifiedFetches
from scops.fetcher.settings import FetcherSettings


def always_settled(seconds: float) -> bool:
    """Trusts a clock that nobody watches."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class FetcherPorts:
    """Everything the fetcher reaches.

    Attributes:
        backlog: messages pending for the consumers of a role; may raise `TransientError`.
        settled: whether the clock has run evenly for so many seconds.
        passage: until when nothing published waits any more.
        addresses: which may be connected to; the source's own connections obey it too.
        browser: shows pages that only scripts fill; None where there is none.
        sessions: that credentials have begun; in this process alone.
        agent: our product token in robots.txt.
    """

    frontier: Frontier
    results: Results
    ledger: Ledger
    verified: VerifiedFetches
    schedule: Schedule
    purges: PurgeWalk
    imports: Imports
    captures: Captures
    pushes: Pushes
    subscriptions: Subscriptions
    credentials: Credentials
    catalogue: Catalogue
    page_links: PageLinkStore
    files: PlainFiles
    listings: TakenListings
    listing_reader: ListingReader
    index_searcher: IndexSearcher
    validators: ValidatorTrust
    renderings: Renderings
    source: PageSource
    sign_in: SignInSource
    papers: PaperSearches
    addresses: AddressPolicy
    archive: Archive
    scopes: ScopeBook
    clock: Clock
    random: random.Random
    backlog: Callable[[Role], Awaitable[int]]
    passage: Passage
    settings: FetcherSettings
    delays: HostDelays
    browser: Browser | None = None
    sessions: Sessions = field(default_factory=Sessions)
    settled: Callable[[float], bool] = always_settled
    agent: str = "Scops"
    organisation_id: str = "main"

    @property
    def may_ask_hosts(self) -> bool:
        """Whether the clock can be trusted with leases and pauses.

        After a jump that is so when every request and pause from before it is over.
        """
        return self.settled(max(self.settings.lease_seconds, self.settings.host_delay_seconds))

    def new_id(self) -> str:
        """Returns a new UUIDv7 from this service's clock and chance."""
        return ids.uuid7(self.clock.now(), self.random.randbytes(10))
