"""What is held of a robots.txt or a listing, so that it is asked for with conditions.

A listing is a sitemap, a feed or an llms.txt. A file that has not changed costs its host no more
than a 304, and a robots.txt that cannot be read for long leaves a copy to go by.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from scops.fetcher.ports.page_source import Fetched, FetchRequest, FetchResult, Unmodified

PLAIN_BYTES_MAX = 1024 * 1024
"""Of a file as it is held, compressed; a larger one is asked for without conditions."""

UNSEEN_MAX = timedelta(days=7)
"""Longest time between two failures that count as one stretch of silence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """A file as it came last.

    Attributes:
        final_url: who gave the validators, after redirects.
        body: unpacked; None where nothing is held.
        tried_time: of the last request, whatever came.
        unreachable_since: when the stretch of failures began that lasts until `tried_time`;
            None where the last request was answered.
    """

    final_url: str = ""
    etag: str = ""
    last_modified: str = ""
    body: bytes | None = None
    tried_time: datetime
    unreachable_since: datetime | None = None


def request_for(url: str, held: KeptFile | None) -> FetchRequest:
    """Returns the request for a file, with conditions where a 304 could be made good."""
    if held is None or held.body is None:
        return FetchRequest(url=url)
    return FetchRequest(
        url=url,
        etag=held.etag,
        last_modified=held.last_modified,
        validated_url=held.final_url,
    )


def held_after(answer: Fetched, *, now: datetime) -> KeptFile:
    """Returns a file as it is held from now on."""
    return KeptFile(
        final_url=answer.final_url,
        etag=answer.etag,
        last_modified=answer.last_modified,
        body=answer.body,
        tried_time=now,
    )


def as_fetched(answer: FetchResult, held: KeptFile | None) -> FetchResult:
    """Returns a 304 as the 200 that it stands for; any other answer as it is."""
    if not isinstance(answer, Unmodified):
        return answer
    body = held.body if held is not None else None
    assert held is not None, "only what is held is asked for with conditions"
    assert body is not None, "and only with its body"
    return Fetched(
        final_url=answer.final_url,
        redirects=answer.redirects,
        body=body,
        media_type="",
        charset="",
        etag=answer.etag or held.etag,
        last_modified=answer.last_modified or held.last_modified,
        last_modified_time=None,
        content_language="",
        robots_tag="",
        response_seconds=answer.response_seconds,
    )


def unreachable_since(held: KeptFile | None, *, now: datetime) -> datetime:
    """Returns since when a file cannot be read that could not be read just now.

    A stretch in which nobody asked for longer than `UNSEEN_MAX` is no silence of the host.
    """
    if held is None or held.unreachable_since is None or now - held.tried_time > UNSEEN_MAX:
        return now
    return held.unreachable_since
