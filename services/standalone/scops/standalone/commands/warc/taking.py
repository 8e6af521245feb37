"""Sends what WARC files say of pages to a gateway, and waits until it is in the index.

Some observations are under way at once, and of each page one at a time, in the order of the files.
First the gateway is asked whether it has an observation, so that one who starts again sends
nothing twice; then it is sent; then it is asked for until it has an outcome. Held in memory are
the observations under way, bounded in number and bytes.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from scops.api.v1alpha1 import transfer_service_pb2 as pb
from scops.standalone.commands.transfer.patience import ask
from scops.standalone.commands.warc.records import Observed, Repeated
from scops.standalone.commands.warc.served import Moved, Served, Vanished
from scops.standalone.terminal.client import GatewayClient

UNDER_WAY_MAX = 256
BYTES_UNDER_WAY_MAX = 24 * 1024 * 1024
PAGES_OF_A_CALL = 50
BYTES_OF_A_CALL = 3_500_000
# Redirects that wait for the page that they lead to, and revisits for what they refer to.
REDIRECTS_HELD = 10_000
REVISITS_HELD = 10_000
ALIASES_MAX = 50
POLL_SECONDS, POLL_SECONDS_MAX = 0.05, 1.0
# Between two looks at what is on its way.
WAIT_SECONDS = 0.3
# Without anything new of any page: something on the way there does not work.
SILENT_SECONDS_MAX = 120.0
MOVED = "moved"
SERVED_FIELDS = ("body", "media_type", "charset", "content_language", "robots_tag")
State = pb.ImportResult
NEVER_INDEXED = ("dead", "blocked", "cancelled")
# Why no text was found, in what may have some.
TEXTLESS = ("empty", "app_shell")
# From an observation to what is taken in its place: one instant has one.
NEXT_INSTANT = timedelta(milliseconds=1)


@dataclass
class RecordTally:
    """What became of the records.

    Attributes:
        records: that speak of pages, whatever came of them.
        indexed, unchanged, gone: observations that ended so.
        known: that were taken in before.
        redirects: that only lead to another page.
        refused: that were sent and have no text, by reason.
        left_out: that were not sent, by why.
        on_their_way: sent, and without an outcome when the command ended.
    """

    records: int = 0
    indexed: int = 0
    unchanged: int = 0
    gone: int = 0
    known: int = 0
    redirects: int = 0
    on_their_way: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)

    def leave_out(self, why: str) -> None:
        """Counts a record that is not sent."""
        self.left_out[why] = self.left_out.get(why, 0) + 1

    def end(self, outcome: str, reason: str) -> None:
        """Counts an observation that ended."""
        if outcome in NEVER_INDEXED:
            why = reason or outcome
            self.refused[why] = self.refused.get(why, 0) + 1
        elif outcome == "indexed":
            self.indexed += 1
        elif outcome == "unchanged":
            self.unchanged += 1
        else:
            self.gone += 1


class _Step(Enum):
    """What is asked of the gateway next."""

    LOOK = auto()
    SEND = auto()
    WAIT = auto()


@dataclass
class _UnderWay:
    """An observation that is under way, with what it came by."""

    seen: Observed
    came_by: str
    aliases: tuple[str, ...] = ()
    step: _Step = _Step.LOOK

    @property
    def size(self) -> int:
        """Bytes that are still to be sent, or may be."""
        showed = self.seen.showed
        is_unsent = isinstance(showed, Served) and self.step is not _Step.WAIT
        unsent = len(showed.body) if isinstance(showed, Served) and is_unsent else 0
        otherwise = self.seen.otherwise
        return unsent + (len(otherwise[0].body) if otherwise else 0)


class WarcImport:
    """An import of observations into a scope."""

    def __init__(self, client: GatewayClient, scope: str) -> None:
        self._client, self._scope = client, scope
        self.tally = RecordTally()
        # By page, in order; the first of each is the one that is asked or sent.
        self._pages: dict[str, deque[_UnderWay]] = {}
        self._count = self._bytes = 0
        self._redirects: OrderedDict[str, list[str]] = OrderedDict()
        self._revisits: list[_UnderWay] = []
        self._heard = time.monotonic()
        self._pause = POLL_SECONDS
        # When those that are on their way are asked for next.
        self._poll = 0.0

    @property
    def scope_name(self) -> str:
        """The scope as the API calls it."""
        return f"scopes/{self._scope}"

    def take(self, seen: Observed, came_by: str) -> None:
        """Takes an observation up; returns once there is room for another."""
        showed = seen.showed
        if isinstance(showed, Moved):
            self._hold_redirect(seen.url, showed.target_url)
        aliases = tuple(self._redirects.pop(seen.url, ())) if isinstance(showed, Served) else ()
        self._add(_UnderWay(seen, came_by, aliases))
        while self._count >= UNDER_WAY_MAX or self._bytes >= BYTES_UNDER_WAY_MAX:
            if not self._go_on():
                return

    def finish(self) -> None:
        """Waits until everything that was taken up has an outcome."""
        while self._count and self._go_on():
            pass
        again, self._revisits = self._revisits, []
        for one in again:
            one.step = _Step.SEND
            self._add(one)
        while self._count and self._go_on():
            pass
        for _ in self._revisits:
            self.tally.leave_out("revisits of what is not here")

    def _hold_redirect(self, url: str, target_url: str) -> None:
        names = self._redirects.setdefault(target_url, [])
        if url not in names and len(names) < ALIASES_MAX:
            names.append(url)
        if len(self._redirects) > REDIRECTS_HELD:
            self._redirects.popitem(last=False)

    def _add(self, one: _UnderWay) -> None:
        self._pages.setdefault(one.seen.url, deque()).append(one)
        self._count += 1
        self._bytes += one.size

    def _go_on(self) -> bool:
        """Asks or sends once; returns False where nothing has come for too long."""
        moved = False
        for batch in self._batches():
            request = pb.ImportPagesRequest(
                scope=self.scope_name, pages=[message for _, message in batch]
            )
            answer = ask(self._client, self._client.transfers.ImportPages, request)
            for (one, _), result in zip(batch, answer.results, strict=True):
                moved |= self._note(one, result)
        if moved:
            self._heard, self._pause = time.monotonic(), POLL_SECONDS
            return True
        if time.monotonic() - self._heard > SILENT_SECONDS_MAX:
            self.tally.on_their_way = self._count
            self._pages.clear()
            self._count = self._bytes = 0
            return False
        time.sleep(self._pause)
        self._pause = min(2 * self._pause, POLL_SECONDS_MAX)
        return True

    def _batches(self) -> Iterator[list[tuple[_UnderWay, Any]]]:
        batch: list[tuple[_UnderWay, Any]] = []
        size, now = 0, time.monotonic()
        polls = now >= self._poll
        if polls:
            self._poll = now + WAIT_SECONDS
        for one in [waiting[0] for waiting in self._pages.values()]:
            if one.step is _Step.WAIT and not polls:
                continue
            message = _message(one)
            if batch and (len(batch) == PAGES_OF_A_CALL or size + one.size > BYTES_OF_A_CALL):
                yield batch
                batch, size = [], 0
            batch.append((one, message))
            size += one.size if one.step is _Step.SEND else 0
        if batch:
            yield batch

    def _note(self, one: _UnderWay, result: pb.ImportResult) -> bool:
        """Takes an answer; returns whether the observation went on by it."""
        if result.state == State.STATE_OUTSIDE:
            return self._leave(one, "outside of the scope")
        if one.step is _Step.LOOK:
            return self._looked(one, result)
        if one.step is _Step.SEND:
            return self._sent(one, result)
        if result.state != State.STATE_KNOWN:
            return False
        self._drop(one)
        if one.seen.otherwise is not None and result.reason in TEXTLESS:
            self._add(_otherwise(one))
        else:
            self.tally.end(result.outcome, result.reason)
        return True

    def _looked(self, one: _UnderWay, result: pb.ImportResult) -> bool:
        if result.state == State.STATE_KNOWN:
            self.tally.known += 1
            return self._drop(one)
        if result.state == State.STATE_ACCEPTED:
            return self._wait(one)
        if isinstance(one.seen.showed, Moved) and not result.name:
            # Nothing was ever seen there.
            self.tally.redirects += 1
            return self._drop(one)
        one.step = _Step.SEND
        return True

    def _sent(self, one: _UnderWay, result: pb.ImportResult) -> bool:
        if result.state == State.STATE_BUSY:
            return False
        if result.state == State.STATE_TAKEN:
            return self._leave(one, "of a URL that names another page")
        if result.state == State.STATE_MISSING:
            self._drop(one)
            if len(self._revisits) < REVISITS_HELD:
                self._revisits.append(one)
            else:
                self.tally.leave_out("revisits of what is not here")
            return True
        return self._wait(one)

    def _wait(self, one: _UnderWay) -> bool:
        self._bytes -= one.size
        one.step = _Step.WAIT
        if isinstance(one.seen.showed, Served):
            # What was sent is not held.
            one.seen = replace(one.seen, showed=replace(one.seen.showed, body=b""))
        self._bytes += one.size
        return True

    def _leave(self, one: _UnderWay, why: str) -> bool:
        self.tally.leave_out(why)
        return self._drop(one)

    def _drop(self, one: _UnderWay) -> bool:
        waiting = self._pages[one.seen.url]
        waiting.popleft()
        if not waiting:
            del self._pages[one.seen.url]
        self._count -= 1
        self._bytes -= one.size
        return True


def _otherwise(one: _UnderWay) -> _UnderWay:
    """Returns the reading that is taken where no text was found in what a page showed."""
    assert one.seen.otherwise is not None
    served, came_by = one.seen.otherwise
    return _UnderWay(Observed(one.seen.url, one.seen.at + NEXT_INSTANT, served), came_by)


def _message(one: _UnderWay) -> pb.ImportedPage:
    seen, is_sent = one.seen, one.step is _Step.SEND
    message = pb.ImportedPage(
        uri=seen.url,
        observed_time=_stamp(seen.at),
        aliases=one.aliases if is_sent else (),
        came_by=one.came_by,
        asks=not is_sent,
    )
    showed = seen.showed
    if isinstance(showed, Vanished):
        message.gone_reason = showed.reason
    elif isinstance(showed, Moved):
        message.gone_reason = MOVED
    elif isinstance(showed, Repeated):
        message.confirmed_time.CopyFrom(_stamp(showed.at))
        message.confirmed_uri = showed.url
    else:
        message.response.SetInParent()
        if is_sent:
            _fill(message.response, showed)
    return message


def _fill(response: Any, served: Served) -> None:
    for name in SERVED_FIELDS:
        setattr(response, name, getattr(served, name))
    if served.last_modified_time is not None:
        response.last_modified_time.CopyFrom(_stamp(served.last_modified_time))


def _stamp(at: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(at)
    return stamp
