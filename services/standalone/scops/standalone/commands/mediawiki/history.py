"""Takes the revisions of a wiki's pages up as observations of the time when they were saved."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice, takewhile

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.fetcher.adapters.apis.asking import Unbounded
from scops.standalone.commands.apis.documents import document
from scops.standalone.commands.apis.taking import (
    NO_URL,
    TOO_LONG,
    UNREADABLE,
    Sighting,
    are_known,
)
from scops.standalone.commands.mediawiki.api import Revision, Wiki, WikiApi, WikiPage
from scops.standalone.commands.warc.records import OUTSIDE, Observed, Repeated
from scops.standalone.commands.warc.served import LeftOut, Served
from scops.standalone.commands.warc.taking import WarcImport
from scops.standalone.commands.warc.wanted import WantedPages
from scops.standalone.terminal.client import GatewayClient

HIDDEN = "hidden or deleted revisions"
NOINDEX = "pages that ask to be left out (__NOINDEX__)"
NO_PAGE = "titles without a page"


class WikiHistory:
    """The histories of pages of one wiki.

    Args:
        revisions: of each page so many, the newest; 0 for all.
        since: only those from then on; None for all.

    Attributes:
        pages: whose revisions were looked at.
    """

    def __init__(
        self,
        api: WikiApi,
        taking: WarcImport,
        wanted: WantedPages,
        client: GatewayClient,
        *,
        revisions: int,
        since: datetime | None,
    ) -> None:
        self._api, self._taking, self._wanted, self._client = api, taking, wanted, client
        self._revisions = revisions
        self._since = since
        self._wiki: Wiki | None = None
        self.pages = 0

    def begin(self) -> None:
        """Asks the wiki what it is.

        Raises:
            InvalidInput: there is none.
            OSError: it does not answer.
        """
        self._wiki = self._api.wiki()

    def take(self, title: str) -> None:
        """Takes up what a page showed, from its oldest wanted revision on.

        Raises:
            InvalidInput, OSError: as of `WikiApi`.
        """
        page = self._api.page(title)
        if page is None:
            self._taking.tally.leave_out(NO_PAGE)
            return
        try:
            url = canonical_url(page.url)
        except InvalidInput:
            self._taking.tally.leave_out(NO_URL)
            return
        if not self._wanted.admits(url):
            self._taking.tally.leave_out(OUTSIDE)
            return
        if page.noindex:
            self._taking.tally.leave_out(NOINDEX)
            return
        self.pages += 1
        found = self._wanted_revisions(page)
        first: dict[str, datetime] = {}
        for revision in found:
            self._taking.tally.records += 1
            is_there = self._is_known(url, revision)
            if is_there:
                self._taking.tally.known += 1
            else:
                is_there = self._take(page, url, revision, first.get(revision.digest))
            if is_there and revision.digest:
                first.setdefault(revision.digest, revision.at)

    def _wanted_revisions(self, page: WikiPage) -> Sequence[Revision]:
        """Returns them, the oldest first; of those of one second, the last."""
        since = self._since
        found = takewhile(lambda one: since is None or one.at >= since, self._readable(page.title))
        newest = list(islice(found, self._revisions or None))
        return list({revision.at: revision for revision in reversed(newest)}.values())

    def _readable(self, title: str) -> Iterator[Revision]:
        for one in self._api.revisions(title):
            if one is None:
                self._taking.tally.records += 1
                self._taking.tally.leave_out(UNREADABLE)
            else:
                yield one

    def _is_known(self, url: str, revision: Revision) -> bool:
        """Says whether the gateway has an observation already: nobody renders it again."""
        seen = Sighting(url, revision.at, _came_by(revision))
        return all(are_known(self._client, self._taking.scope_name, [seen]))

    def _take(self, page: WikiPage, url: str, revision: Revision, same: datetime | None) -> bool:
        """Takes one revision up; returns whether it showed something.

        Args:
            same: when an earlier one with the same source was saved; None where none was.
        """
        if same is not None:
            seen = Observed(url, revision.at, Repeated(url, same))
        else:
            showed = self._showed(page, revision)
            if showed is None:
                return False
            seen = Observed(url, revision.at, showed)
        self._taking.take(seen, _came_by(revision))
        return True

    def _showed(self, page: WikiPage, revision: Revision) -> Served | None:
        try:
            html = self._api.html(revision.revision_id)
        except Unbounded:
            self._taking.tally.leave_out(TOO_LONG)
            return None
        if html is None:
            self._taking.tally.leave_out(HIDDEN)
            return None
        assert self._wiki is not None, "begin() comes first"
        try:
            served = document(page.title, [html], language=self._wiki.language)
        except LeftOut as left:
            self._taking.tally.leave_out(str(left))
            return None
        return replace(served, content_language=self._wiki.language)


def _came_by(revision: Revision) -> str:
    return f"mediawiki:{revision.revision_id}"
