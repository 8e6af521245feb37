"""The questions that the change-detector answers: a page's history, and what changed."""

from datetime import datetime, timedelta

from scops.change_detector.manifests.apart import worked_apart
from scops.change_detector.manifests.bodies import PackedVersion, load_version, manifest_head
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.reading.comparing import fill_diff
from scops.change_detector.reading.news import rule_of, summary_counts
from scops.change_detector.reading.sections import NO_SECTION, fill_text
from scops.change_detector.timeline.records import HistoricVersion, Pin
from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.change import (
    ChangeRule,
    DiffRequest,
    DiffResponse,
    HistoryEntry,
    HistoryRequest,
    HistoryResponse,
    ReadVersionRequest,
    ReadVersionResponse,
)
from scops.common.contract.messages.types import OrderKey

LATEST = "latest"
PREVIOUS = "previous"
# What is answered where the caller sets no limit, and at most: a reply holds 512 KiB.
HISTORY_VERSIONS, HISTORY_VERSIONS_MAX = 50, 500
DIFF_CHARACTERS, DIFF_CHARACTERS_MAX = 20_000, 100_000
TEXT_CHARACTERS, TEXT_CHARACTERS_MAX = 20_000, 80_000
# In an error, which travels in headers.
SECTIONS_NAMED_MAX, SECTIONS_CHARACTERS_MAX = 20, 1_000
# The finest that clocks here tell apart.
INSTANT = timedelta(microseconds=1)


async def answer_history(request: HistoryRequest, ports: ChangeDetectorPorts) -> HistoryResponse:
    """Returns a page's versions, newest first, from the newest or from below an order key.

    Raises:
        InvalidInput: the limit is negative.
        NotFound: no observation of the page is recorded.
        NotYetKnown: the scope's revision has not arrived yet.
    """
    limit = _limit(request.limit, HISTORY_VERSIONS, HISTORY_VERSIONS_MAX)
    rule = rule_of(ports.scopes.get(request.scope) if request.scope else None)
    history = await ports.histories.history(request.page_id, limit=limit + 1, before=request.before)
    if history is None:
        raise _no_page(request.page_id)
    pins = await ports.retention.pins(request.page_id, now=ports.clock.now())
    return HistoryResponse(
        page_id=request.page_id,
        versions=tuple(
            _entry(version, rule, pins.get(version.version_id))
            for version in history.versions[:limit]
        ),
        truncated=len(history.versions) > limit,
        closed=history.closed_time is not None,
        closed_reason=history.closed_reason,
        closed_time=history.closed_time,
    )


async def answer_diff(request: DiffRequest, ports: ChangeDetectorPorts) -> DiffResponse:
    """Returns the word-level difference of two versions of a page.

    `latest` (the default of `to_version`) is the newest version; `previous` (the default of
    `from_version`) is the newest one of an earlier run than the other side's.

    Raises:
        InvalidInput: the limit is negative, or both sides are `previous`.
        NotFound: the page has no such version.
    """
    limit = _limit(request.character_limit, DIFF_CHARACTERS, DIFF_CHARACTERS_MAX)
    old, new = await _sides(request, ports)
    before, after = await _version(old, ports), await _version(new, ports)
    answer = DiffResponse(
        from_version_id=old.version_id,
        to_version_id=new.version_id,
        # The stored summary is of this pair only where the two were compared.
        summary=new.summary if new.compared_with == old.version_id else None,
    )
    (encoded,) = await worked_apart(
        fill_diff,
        before,
        after,
        answer,
        limit,
        characters=before.characters + after.characters,
        ports=ports,
    )
    return wire.decode(DiffResponse, encoded)


async def answer_read_version(
    request: ReadVersionRequest, ports: ChangeDetectorPorts
) -> ReadVersionResponse:
    """Returns the clean text of a version, or of a section of it.

    Raises:
        InvalidInput: the limit is negative, or both a version and a time are given.
        NotFound: the page has no such version, showed nothing then, or has no such section.
    """
    limit = _limit(request.character_limit, TEXT_CHARACTERS, TEXT_CHARACTERS_MAX)
    if request.version and request.as_of_time is not None:
        raise InvalidInput(
            "A version and a time are given; name one of them.", reason="VERSION_NAMED_TWICE"
        )
    if request.as_of_time is not None:
        version = await _standing(request.page_id, request.as_of_time, ports)
    else:
        version = await named_version(request.page_id, request.version, ports)
    packed = await _version(version, ports)
    answer = ReadVersionResponse(
        version_id=version.version_id,
        order_key=version.order_key,
        observed_to=version.observed_to,
        last_verified_time=version.last_observed,
        text_digest=version.text_digest,
        body=manifest_head(packed.manifest).body,
    )
    missing, encoded = await worked_apart(
        fill_text, packed, request, answer, limit, characters=packed.characters, ports=ports
    )
    filled = wire.decode(ReadVersionResponse, encoded)
    if missing == NO_SECTION:
        raise _no_section(request, filled)
    return filled


async def _standing(
    page_id: PageId, as_of: datetime, ports: ChangeDetectorPorts
) -> HistoricVersion:
    """Returns the version that a page showed at an instant."""
    before = OrderKey(observed_from=as_of + INSTANT)
    history = await ports.histories.history(page_id, limit=1, before=before)
    if history is None:
        raise _no_page(page_id)
    for version in history.versions:
        if version.observed_to is None or version.observed_to > as_of:
            return _kept(version)
    raise NotFound(
        f"Page {page_id} showed nothing at {as_of.isoformat()}: it was not known yet, or closed. "
        "`scops page history` says when it stood.",
        reason="NO_VERSION_THEN",
        page_id=page_id,
    )


def _no_section(request: ReadVersionRequest, answer: ReadVersionResponse) -> NotFound:
    there = [" > ".join(section.path) for section in answer.sections if section.path]
    listed = "; ".join(dict.fromkeys(there[:SECTIONS_NAMED_MAX])) or "none"
    return NotFound(
        f"The page has no section {' > '.join(request.section)[:200]!r}. Its sections: "
        f"{listed[:SECTIONS_CHARACTERS_MAX]}.",
        reason="SECTION_NOT_FOUND",
    )


def _limit(asked: int, default: int, maximum: int) -> int:
    if asked < 0:
        raise InvalidInput(f"The limit is {asked}; give 0 for the default or a positive number.")
    return min(asked or default, maximum)


def _entry(version: HistoricVersion, rule: ChangeRule, pin: Pin | None) -> HistoryEntry:
    return HistoryEntry(
        version_id=version.version_id,
        order_key=version.order_key,
        observed_to=version.observed_to,
        last_verified_time=version.last_observed,
        changed_after_time=version.changed_after,
        text_digest=version.text_digest,
        title=version.title,
        summary=version.summary,
        pipeline_changed=version.pipeline_changed,
        restored_version_id=version.restored_version_id,
        manifest=version.manifest,
        chunk_count=version.chunk_count,
        dropped_time=version.dropped_time,
        dropped_reason=version.dropped_reason,
        pin=_pin_words(pin) if pin else "",
        counts=not version.pipeline_changed and summary_counts(version.summary, rule),
    )


def _pin_words(pin: Pin) -> str:
    until = f"until {pin.until.date().isoformat()}"
    return f"{until}: {pin.note}" if pin.note else until


async def named_version(page_id: PageId, name: str, ports: ChangeDetectorPorts) -> HistoricVersion:
    """Returns the version of an id, `latest` (the default) or `previous`.

    Raises:
        NotFound: there is none, or it is not kept any more.
    """
    if name == PREVIOUS:
        version = await _previous(page_id, await _named(page_id, LATEST, ports), ports)
    else:
        version = await _named(page_id, name or LATEST, ports)
    return _kept(version)


def _kept(version: HistoricVersion) -> HistoricVersion:
    if version.dropped_time is None:
        return version
    raise NotFound(
        f"Version {version.version_id} is not kept any more: it {version.dropped_reason} on "
        f"{version.dropped_time.date().isoformat()}. `scops page history` says which are.",
        reason="VERSION_DROPPED",
        version_id=version.version_id,
    )


async def _sides(
    request: DiffRequest, ports: ChangeDetectorPorts
) -> tuple[HistoricVersion, HistoricVersion]:
    page_id = request.page_id
    from_name, to_name = request.from_version or PREVIOUS, request.to_version or LATEST
    if from_name == to_name == PREVIOUS:
        raise InvalidInput("Both versions are `previous`; name the one to compare it with.")
    if to_name == PREVIOUS:
        old = await _named(page_id, from_name, ports)
        return old, await _previous(page_id, old, ports)
    new = await _named(page_id, to_name, ports)
    if from_name == PREVIOUS:
        return await _previous(page_id, new, ports), new
    return await _named(page_id, from_name, ports), new


async def _named(page_id: PageId, name: str, ports: ChangeDetectorPorts) -> HistoricVersion:
    if name == LATEST:
        version = await ports.histories.newest(page_id)
    else:
        version = await ports.histories.version(page_id, VersionId(name))
    if version is None and name == LATEST:
        raise _no_page(page_id)
    if version is None:
        raise NotFound(
            f"Page {page_id} has no version {name}; `scops page history` lists them.",
            version_id=name,
        )
    return version


async def _previous(
    page_id: PageId, version: HistoricVersion, ports: ChangeDetectorPorts
) -> HistoricVersion:
    opened = version.order_key.observed_from
    previous = await ports.histories.newest(page_id, before=opened)
    if previous is None:
        raise NotFound(
            f"Version {version.version_id} is the first of page {page_id}; nothing precedes it.",
            reason="NO_PREVIOUS_VERSION",
        )
    return previous


def _no_page(page_id: PageId) -> NotFound:
    return NotFound(
        f"No version of page {page_id} is recorded. Check the id, or crawl the page first.",
        page_id=page_id,
    )


async def _version(version: HistoricVersion, ports: ChangeDetectorPorts) -> PackedVersion:
    return await load_version(ports.archive, _kept(version).manifest)
