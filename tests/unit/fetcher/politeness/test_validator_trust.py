"""Whether a site's 304 can be believed: learned from requests without conditions."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from scops.common.contract.ids import FetchId, sha256_hex
from scops.common.contract.messages.types import BodyRef
from scops.fetcher.adapters.sql.recrawl import schedule_tables
from scops.fetcher.fetch.sameness import content_key
from scops.fetcher.frontier.leases import Validators
from scops.fetcher.politeness.validator_trust import (
    ValidatorVerdict,
    is_believed,
    validator_verdict,
)
from scops.fetcher.ports.page_source import Fetched
from scops.fetcher.recrawl.signal_trust import SignalCounts
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

URL = "https://a.test/1"
DAY_SECONDS = 24 * 3600
AUDIT = "scops.fetcher.politeness.validator_trust.AUDIT"


def came(body: str, **values: Any) -> Fetched:
    """Returns a body that came from the page's URL."""
    return replace(page_answer(body), final_url=URL, **values)


def held_from(answer: Fetched) -> Validators:
    """Returns what is held of an answer that the index confirmed."""
    return Validators(
        fetch_id=FetchId("fetch"),
        etag=answer.etag,
        last_modified=answer.last_modified,
        validated_url=answer.final_url,
        content_key=content_key(answer, sha256_hex(answer.body)),
        links=BodyRef(),
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (came("a", etag='"1"'), came("a", etag='"1"'), None),
        (came("a", etag='"1"'), came("b", etag='"2"'), ValidatorVerdict.TRUE),
        (came("a", etag='"1"'), came("a", etag='"2"'), ValidatorVerdict.FALSE),
        (came("a", etag='"1"'), came("b", etag='"1"'), ValidatorVerdict.MISSED),
        (came("a", etag='W/"1"'), came("b", etag='"1"'), ValidatorVerdict.MISSED),
        (
            came("a", etag='"1"', last_modified="x"),
            came("b", etag='"2"', last_modified="x"),
            ValidatorVerdict.TRUE,
        ),
        (came("a", last_modified="x"), came("b", last_modified="x"), ValidatorVerdict.MISSED),
        (came("a", last_modified="x"), came("b", last_modified="y"), ValidatorVerdict.TRUE),
        (came("a", etag='"1"'), came("b"), ValidatorVerdict.TRUE),
        (came("a"), came("b"), None),
        (came("a", etag='"1"'), replace(came("b", etag='"1"'), final_url=f"{URL}/2"), None),
    ],
)
def test_a_body_is_held_against_its_validators(
    before: Fetched, after: Fetched, told: ValidatorVerdict | None
) -> None:
    """An ETag decides where there is one (RFC 9110 section 13.2.2), compared weakly."""
    assert told == validator_verdict(after, held_from(before))


@pytest.mark.parametrize(
    ("true", "missed", "believed"),
    [(0, 0, True), (0, 1, True), (0, 2, False), (3, 2, False), (4, 2, True), (40, 12, False)],
)
def test_validators_are_believed_until_they_missed_too_much(
    true: int, missed: int, believed: bool
) -> None:
    """Four of five changes have to be told; a site begins as if it had told four."""
    assert believed is is_believed(SignalCounts(true=true, missed=missed))


async def fetched(world: FetcherWorld, job_id: str, body: str, etag: str) -> str:
    """Fetches the page some days later; returns its outcome."""
    world.clock.advance(8 * DAY_SECONDS)
    world.source.serve(URL, page_answer(body, etag=etag))
    await world.fetch(URL, job_id=job_id)
    await world.run()
    return (await world.outcomes(job_id))[URL]


def conditions(world: FetcherWorld) -> list[bool]:
    return [asked.conditional for asked in world.source.asked if asked.url == URL]


async def counts(world: FetcherWorld) -> tuple[float, float, float]:
    (row,) = await world.rows(schedule_tables.site_signal)
    assert ("a.test", "etag") == (row.host_key, row.kind)
    return row.true_count, row.false_count, row.missed_count


async def test_a_site_whose_etag_stays_is_found_out_and_forgiven(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without audits its edits would never be seen; a site that tells its changes is believed."""
    monkeypatch.setattr(f"{AUDIT}_SHARE", 1.0)
    async with FetcherWorld.opened() as world:
        world.scopes.apply(scope("a.test"))
        seen = [await fetched(world, f"lie-{n}", f"text {n}", '"same"') for n in range(3)]
        lied = await counts(world)
        monkeypatch.setattr(f"{AUDIT}_SHARE", 0.0)
        world.ports = world.new_ports(seed=1)
        told = [await fetched(world, f"told-{n}", f"new {n}", f'"{n}"') for n in range(4)]
        forgiven = await counts(world)
        world.clock.advance(60)
        again = await fetched(world, "again", "new 3", '"3"')

        assert ["indexed"] * 7 == [*seen, *told]
        assert (0, 0, 2) == lied
        assert (4, 0, 2) == forgiven
        assert "unchanged" == again
        assert [*[False] * 7, True] == conditions(world)


@pytest.mark.parametrize(("days", "audited"), [(9.0, False), (7.0, True)])
async def test_only_a_body_of_some_days_is_audited(
    monkeypatch: pytest.MonkeyPatch, days: float, audited: bool
) -> None:
    """What was read lately has been seen; a false alarm is counted and changes nothing."""
    monkeypatch.setattr(f"{AUDIT}_SHARE", 1.0)
    monkeypatch.setattr(f"{AUDIT}_AGE", timedelta(days=days))
    async with FetcherWorld.opened() as world:
        world.scopes.apply(scope("a.test"))
        await fetched(world, "first", "text", '"1"')
        outcome = await fetched(world, "second", "text", '"2"' if audited else '"1"')

        assert "unchanged" == outcome
        assert [False, not audited] == conditions(world)
        assert bool(await world.rows(schedule_tables.site_signal)) is audited


async def test_a_share_of_the_requests_is_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which ones, the ids of their fetches decide."""
    monkeypatch.setattr(f"{AUDIT}_SHARE", 0.5)
    async with FetcherWorld.opened() as world:
        world.scopes.apply(scope("a.test"))
        for number in range(40):
            await fetched(world, f"job-{number}", "text", '"1"')
        later = conditions(world)[1:]

        assert 10 < sum(later) < 30
