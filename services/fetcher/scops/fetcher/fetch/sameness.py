"""Says whether a body is the one that the index already confirmed.

Many servers send no validators, or change them without a change; the bytes tell the truth.
"""

from collections.abc import Sequence

from scops.common.contract.gathered import gathered, page_bytes
from scops.common.contract.ids import content_hash, sha256_hex
from scops.common.contract.messages.crawl import ConfirmedPage, PagesVerified, PageUnmodified
from scops.fetcher.frontier.leases import Validators
from scops.fetcher.ports.page_source import Fetched, Unmodified


def content_key(answer: Fetched, body_digest: str) -> str:
    """Returns what an extraction depends on: the bytes, and the headers it listens to."""
    return content_hash(
        body_digest,
        answer.media_type,
        answer.charset,
        answer.content_language,
        answer.robots_tag,
    )


def repeats(answer: Fetched, held: Validators | None) -> bool:
    """Returns whether an answer repeats the confirmed fetch, from the same URL."""
    if held is None or answer.final_url != held.validated_url:
        return False
    return content_key(answer, sha256_hex(answer.body)) == held.content_key


def unmodified(answer: Fetched) -> Unmodified:
    """Returns the answer as the 304 it could have been."""
    return Unmodified(
        final_url=answer.final_url,
        redirects=answer.redirects,
        response_seconds=answer.response_seconds,
        etag=answer.etag,
        last_modified=answer.last_modified,
    )


def verified(seen: Sequence[PageUnmodified]) -> list[PagesVerified]:
    """Returns events for pages that showed again what the index has; as few as the bus takes."""
    return [_told(part) for part in gathered(seen, lambda one: page_bytes(one.canonical_url))]


def _told(seen: Sequence[PageUnmodified]) -> PagesVerified:
    return PagesVerified(
        pages=tuple(
            ConfirmedPage(
                page_id=one.page_id,
                fetch_id=one.fetch_id,
                confirmed_fetch_id=one.confirmed_fetch_id,
                observed_time=one.observed_time,
                canonical_url=one.canonical_url,
            )
            for one in seen
        )
    )
