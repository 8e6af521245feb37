"""Sends the pages of an export to a gateway, and looks whether they are there as they were.

Some pages are under way at once, each with one observation at a time: the gateway says that a page
is busy until what came before is indexed, so that a page's history is built in its order. What is
held in memory are the lines of these pages and one content of each.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from scops.api.v1alpha1 import page_service_pb2 as pages_pb
from scops.api.v1alpha1 import transfer_service_pb2 as pb
from scops.client.errors import NotFound
from scops.standalone.commands.transfer.folder import ExportFolder
from scops.standalone.commands.transfer.observations import (
    PageLines,
    PageSeen,
    content_of,
    instant,
)
from scops.standalone.commands.transfer.patience import ask
from scops.standalone.terminal.client import GatewayClient

PAGES_AT_ONCE = 32
CONTENT_BYTES_MAX = 2 * 1024 * 1024
VERSIONS_LISTED = 100
ALIASES_MAX = 50
POLL_SECONDS, POLL_SECONDS_MAX = 0.05, 2.0
# Without anything new of any page: something on the way there does not work.
SILENT_SECONDS_MAX = 120.0
DONE = (pb.ImportResult.STATE_ACCEPTED, pb.ImportResult.STATE_KNOWN)


@dataclass
class Tally:
    """What became of an import.

    Attributes:
        same: versions that are there under their own id.
        renamed: whose text is there at its time, under another id.
        unchecked: older than what a history lists.
    """

    pages: int = 0
    outside: int = 0
    taken: int = 0
    versions: int = 0
    same: int = 0
    renamed: int = 0
    missing: int = 0
    unchecked: int = 0
    left_out: int = 0


@dataclass
class _Moving:
    """A page that is under way."""

    lines: PageLines
    rest: Iterator[PageSeen]
    name: str = ""
    next: PageSeen | None = None
    request: pb.ImportedPage | None = None
    refused: bool = False


class Import:
    """An import of some pages into a scope."""

    def __init__(self, client: GatewayClient, folder: ExportFolder, scope: str) -> None:
        self._client, self._folder, self._scope = client, folder, scope
        self.tally = Tally()
        self._moving: list[_Moving] = []
        self._heard = time.monotonic()

    def take(self, pages: Iterator[PageLines]) -> Tally:
        """Sends every page, and waits until its versions are there."""
        pause = POLL_SECONDS
        while True:
            self._fill(pages)
            if not self._moving:
                return self.tally
            if self._step():
                self._heard, pause = time.monotonic(), POLL_SECONDS
            elif time.monotonic() - self._heard > SILENT_SECONDS_MAX:
                self._give_up()
            else:
                time.sleep(pause)
                pause = min(2 * pause, POLL_SECONDS_MAX)

    def _fill(self, pages: Iterator[PageLines]) -> None:
        while len(self._moving) < PAGES_AT_ONCE and (lines := next(pages, None)) is not None:
            self.tally.pages += 1
            self.tally.left_out += sum(bool(row["left_out_reason"]) for row in lines.versions)
            moving = _Moving(lines, lines.observations())
            self._advance(moving)
            if moving.next is not None:
                self._moving.append(moving)

    def _step(self) -> bool:
        """Sends what comes next of each page; returns whether any of them went on."""
        going = [one for one in self._moving if one.next is not None]
        moved = False
        for batch in self._batches(going):
            request = pb.ImportPagesRequest(
                scope=f"scopes/{self._scope}",
                pages=[one.request for one in batch if one.request is not None],
            )
            answer = ask(self._client, self._client.transfers.ImportPages, request)
            for one, result in zip(batch, answer.results, strict=True):
                moved |= self._note(one, result)
        for one in [one for one in self._moving if one.next is None]:
            if one.refused or self._is_there(one):
                self._moving.remove(one)
                moved = True
        return moved

    def _batches(self, going: list[_Moving]) -> Iterator[list[_Moving]]:
        batch: list[_Moving] = []
        size = 0
        for one in going:
            if one.request is None:
                one.request = self._message(one)
            if batch and size + one.request.ByteSize() > CONTENT_BYTES_MAX:
                yield batch
                batch, size = [], 0
            batch.append(one)
            size += one.request.ByteSize()
        if batch:
            yield batch

    def _note(self, one: _Moving, result: pb.ImportResult) -> bool:
        if result.state in DONE:
            one.name = result.name
            self._advance(one)
            return True
        if result.state == pb.ImportResult.STATE_BUSY:
            return False
        if result.state == pb.ImportResult.STATE_OUTSIDE:
            self.tally.outside += 1
        else:
            self.tally.taken += 1
        one.next, one.request, one.refused = None, None, True
        return True

    def _advance(self, one: _Moving) -> None:
        one.next, one.request = next(one.rest, None), None

    def _message(self, one: _Moving) -> pb.ImportedPage:
        seen, page = one.next, one.lines.page
        assert seen is not None, "a page without a next observation is not sent"
        message = pb.ImportedPage(
            name=page["page"],
            uri=page["uri"],
            aliases=page["aliases"][:ALIASES_MAX],
            observed_time=_stamp(seen.at),
            gone_reason=seen.gone_reason,
            joined=one.lines.is_joined,
        )
        if seen.version is not None:
            message.content = content_of(self._folder, seen.version)
        if seen.confirmed is not None:
            message.confirmed_time.CopyFrom(_stamp(seen.confirmed))
        return message

    def _is_there(self, one: _Moving, *, last: bool = False) -> bool:
        """Counts the versions of a page once all that its history lists are there.

        Args:
            last: counts them whatever is missing.
        """
        request = pages_pb.ListPageVersionsRequest(name=one.name, page_size=VERSIONS_LISTED)
        try:
            answer = ask(self._client, self._client.pages.ListPageVersions, request)
        except NotFound:
            answer = pages_pb.ListPageVersionsResponse()
        found = Tally()
        listed = {
            row.observed_from_time.ToMicroseconds(): row
            for row in sorted(answer.versions, key=lambda row: row.revision)
        }
        oldest = min(listed, default=0) if answer.truncated else 0
        for row in one.lines.kept:
            at = _stamp(instant(row["observed_from_time"])).ToMicroseconds()
            there: Any = listed.get(at)
            found.versions += 1
            if there is None and at < oldest:
                found.unchecked += 1
            elif there is None or there.text_digest != row["text_digest"]:
                found.missing += 1
            elif there.version == row["version"]:
                found.same += 1
            else:
                found.renamed += 1
        if found.missing and not last:
            return False
        for name in ("versions", "same", "renamed", "missing", "unchecked"):
            setattr(self.tally, name, getattr(self.tally, name) + getattr(found, name))
        return True

    def _give_up(self) -> None:
        """Counts what never came, and leaves the pages that are under way."""
        for one in self._moving:
            self._is_there(one, last=True)
        self._moving.clear()


def _stamp(at: Any) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(at)
    return stamp
