"""Takes up what pages showed by an API, where the gateway does not have it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from scops.api.v1alpha1 import transfer_service_pb2 as pb
from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.fetcher.adapters.apis.asking import ANSWER_BYTES_MAX, FORM_ERRORS, Unbounded
from scops.standalone.commands.apis.memory import ImportMemory
from scops.standalone.commands.transfer.patience import ask
from scops.standalone.commands.warc.records import OUTSIDE, Observed
from scops.standalone.commands.warc.served import LeftOut, Moved, Served, Vanished
from scops.standalone.commands.warc.taking import PAGES_OF_A_CALL, RecordTally, WarcImport
from scops.standalone.commands.warc.wanted import wanted_pages
from scops.standalone.terminal.client import GatewayClient

FUTURE = "dated in the future"
TOO_LONG = f"answers of more than {ANSWER_BYTES_MAX} bytes"
NO_URL = "of a URL that is none"
UNREADABLE = "of another form than the API documents"


LAST = "last"
Showed = Served | Moved | Vanished
Part = TypeVar("Part")
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Sighting:
    """A page at an instant, by a revision of its own.

    Attributes:
        url: as the API gives it.
        came_by: names the API and the revision.
    """

    url: str
    at: datetime
    came_by: str


class ApiImport:
    """An import of sightings into a scope.

    Args:
        memory: what the API has been asked before; marks in it are kept by `settle`.
    """

    def __init__(self, client: GatewayClient, scope: str, memory: ImportMemory) -> None:
        self._client, self._memory = client, memory
        self._wanted = wanted_pages(client, scope)
        self._taking = WarcImport(client, scope)
        self._last: Sighting | None = None
        last = memory.get(LAST)
        if last and not self._is_here(last):
            memory.forget()

    @property
    def tally(self) -> RecordTally:
        """What became of what was seen."""
        return self._taking.tally

    def new_ones(self, seen: Mapping[Sighting, Part]) -> list[tuple[Sighting, Part]]:
        """Returns those that the scope holds and the gateway does not have, with canonical URLs.

        Args:
            seen: with what they are of, which is returned beside them.
        """
        self.tally.records += len(seen)
        found = [(self._inside(one), part) for one, part in seen.items()]
        inside = [(one, part) for one, part in found if one is not None]
        known = are_known(self._client, self._taking.scope_name, [one for one, _ in inside])
        self.tally.known += sum(known)
        return [pair for pair, is_known in zip(inside, known, strict=True) if not is_known]

    def readable(
        self, records: Iterable[Part], read: Callable[[Part], Read]
    ) -> Iterator[tuple[Read, Part]]:
        """Yields what was read of records, beside them; one of another form is counted."""
        for one in records:
            try:
                found = read(one)
            except FORM_ERRORS:
                self.tally.records += 1
                self.tally.leave_out(UNREADABLE)
            else:
                yield found, one

    def holds(self, url: str) -> bool:
        """Says whether the scope holds a page."""
        try:
            return self._wanted.admits(canonical_url(url))
        except InvalidInput:
            return False

    def take(self, seen: Sighting, showed: Callable[[], Showed]) -> None:
        """Takes one of `new_ones` up.

        Args:
            showed: asks what it showed; may raise LeftOut, and OSError.
        """
        try:
            what = showed()
        except LeftOut as left:
            self.tally.leave_out(str(left))
            return
        except Unbounded:
            self.tally.leave_out(TOO_LONG)
            return
        except FORM_ERRORS:
            self.tally.leave_out(UNREADABLE)
            return
        if isinstance(what, Served):
            what = replace(what, last_modified_time=seen.at)
            self._last = seen
        self._taking.take(Observed(seen.url, seen.at, what), seen.came_by)

    def settle(self) -> bool:
        """Waits until what was taken up is in the index; keeps the marks, and says so."""
        self._taking.finish()
        if self.tally.on_their_way:
            return False
        if self._last is not None:
            self._memory.note(LAST, [self._last.url, self._last.at.isoformat()])
        self._memory.keep()
        return True

    def _inside(self, seen: Sighting) -> Sighting | None:
        try:
            url = canonical_url(seen.url)
        except InvalidInput:
            self.tally.leave_out(NO_URL)
            return None
        if not self._wanted.admits(url) or seen.at > datetime.now(UTC):
            self.tally.leave_out(FUTURE if self._wanted.admits(url) else OUTSIDE)
            return None
        return replace(seen, url=url)

    def _is_here(self, last: list[str]) -> bool:
        url, at = last
        seen = Sighting(url, datetime.fromisoformat(at), "")
        return all(are_known(self._client, self._taking.scope_name, [seen]))


def are_known(client: GatewayClient, scope_name: str, seen: Sequence[Sighting]) -> list[bool]:
    """Says of each sighting whether the gateway has it already: nobody asks for it again.

    Args:
        seen: with canonical URLs.
    """
    known: list[bool] = []
    for batch in _batches(seen):
        request = pb.ImportPagesRequest(scope=scope_name)
        for one in batch:
            asked = request.pages.add(uri=one.url, came_by=one.came_by, asks=True)
            asked.observed_time.FromDatetime(one.at)
            asked.response.SetInParent()
        answer = ask(client, client.transfers.ImportPages, request)
        known += [one.state == pb.ImportResult.STATE_KNOWN for one in answer.results]
    return known


def _batches(seen: Sequence[Sighting]) -> Iterator[list[Sighting]]:
    """Yields them in their order; a call names each page once."""
    batch: dict[str, Sighting] = {}
    for one in seen:
        if len(batch) == PAGES_OF_A_CALL or one.url in batch:
            yield list(batch.values())
            batch = {}
        batch[one.url] = one
    if batch:
        yield list(batch.values())
