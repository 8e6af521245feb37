"""Feeds by the real HTTP server, as a feed reader reads them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import feedparser
import pytest

from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.change import (
    ChangeRule,
    NewsPlace,
    NewsRequest,
    NewsResponse,
    PageChange,
    PageNews,
    TextEdit,
    WhatChangedRequest,
    WhatChangedResponse,
)
from scops.common.contract.messages.crawl import KnownPage, PagePlanRequest, PagePlanResponse
from scops.common.query.ports import NEWS, PAGE_PLAN, WHAT_CHANGED
from tests.connected.gateway.http_calls import SCOPE_BODY, http_calls
from tests.connected.gateway.test_gateway_http_identity import as_key, claimed, service
from tests.fakes.identity import HeardClaims
from tests.fakes.worlds.gateway import served_gateway

SEEN = datetime(2026, 5, 2, 12, tzinfo=UTC)
FEED = "/v1/scopes/docs/changes.atom"


def _change(url: str, access_context: str = "public") -> PageChange:
    return PageChange(
        page_id=PageId("p-1"),
        canonical_url=url,
        title="Plans <b>",
        news=PageNews.CHANGED,
        from_version_id=VersionId("v1"),
        to_version_id=VersionId("v2"),
        observed_time=SEEN,
        edits=(TextEdit(from_text="costs 5 <EUR>", to_text="costs 6 <EUR>"),),
        access_context=access_context,
    )


@pytest.fixture
def asked() -> list[WhatChangedRequest]:
    return []


async def test_reader_reads_a_feed_and_again_only_what_is_new(
    tmp_path: Path, asked: list[WhatChangedRequest]
) -> None:
    """Of the scope's own pages and contexts alone, with both texts; then 304."""

    async def answer(request: WhatChangedRequest) -> WhatChangedResponse:
        asked.append(request)
        inside = _change("https://docs.example.org/a")
        strangers = _change("https://elsewhere.example/a")
        private = _change("https://docs.example.org/b", "credential-of-others")
        return WhatChangedResponse(changes=(inside, strangers, private))

    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        served.answer(WHAT_CHANGED, answer)
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
        feed = await call("GET", FEED)
        kept = await call("GET", FEED, headers={"if-none-match": feed.headers["etag"]})
        since = await call("GET", f"{FEED}?since=2026-05-01T00:00:00Z&pageSize=7")
        odd = await call("GET", f"{FEED}?key=sk_secret")
        absent = await call("GET", "/v1/scopes/none/changes.atom")

    parsed = feedparser.parse(feed.body)
    assert (200, "application/atom+xml; charset=utf-8") == (
        feed.status,
        feed.headers["content-type"],
    )
    assert not parsed.bozo
    (entry,) = parsed.entries
    assert "https://docs.example.org/a" == entry.link
    assert "<del>costs 5 &lt;EUR&gt;</del>" in entry.content[0].value
    assert "<ins>costs 6 &lt;EUR&gt;</ins>" in entry.content[0].value
    assert (304, b"") == (kept.status, kept.body)
    assert (200, datetime(2026, 5, 1, tzinfo=UTC), 7) == (
        since.status,
        asked[-1].since,
        asked[-1].limit,
    )
    assert timedelta(days=30) <= datetime.now(UTC) - asked[0].since <= timedelta(days=31)
    assert (400, "FIELD_UNKNOWN") == (odd.status, odd.json["reason"])
    assert b"sk_secret" not in odd.body
    assert (404, "SCOPE_NOT_FOUND") == (absent.status, absent.json["reason"])


async def test_a_page_has_a_feed_of_each_of_its_changes(tmp_path: Path) -> None:
    """Each against the version before, newest first; entries stay as they are when more come."""
    told = [_change("https://docs.example.org/a")]
    page = KnownPage(
        page_id=PageId("p-1"),
        canonical_url="https://docs.example.org/a",
        access_context="public",
    )

    async def plan(_: PagePlanRequest) -> PagePlanResponse:
        return PagePlanResponse(page=page)

    async def answer(request: NewsRequest) -> NewsResponse:
        asked.append(request)
        # Two an answer, so that three take two questions.
        begin = int(request.after.page_id or 0)
        part = told[begin : begin + 2]
        more = begin + 2 < len(told)
        place = NewsPlace(recorded_time=SEEN, page_id=PageId(str(begin + 2)))
        return NewsResponse(changes=tuple(part), next=place, more=more)

    asked: list[NewsRequest] = []
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        served.answer(NEWS, answer)
        served.answer(PAGE_PLAN, plan)
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
        first = await call("GET", "/v1/pages/p-1/changes.atom")
        kept = await call(
            "GET", "/v1/pages/p-1/changes.atom", headers={"if-none-match": first.headers["etag"]}
        )
        for number in (3, 4):
            told.append(
                replace(
                    told[-1],
                    from_version_id=told[-1].to_version_id,
                    to_version_id=VersionId(f"v{number}"),
                    observed_time=SEEN + timedelta(hours=number),
                )
            )
        later = await call("GET", "/v1/pages/p-1/changes.atom?countedReasons=number")
        plain = await call("GET", "/v1/pages/p-1/changes")
        page = replace(page, canonical_url="https://elsewhere.example/a")
        hidden = await call("GET", "/v1/pages/p-1/changes.atom")

    before, after = feedparser.parse(first.body), feedparser.parse(later.body)
    assert not before.bozo
    assert not after.bozo
    assert "Changes of Plans <b>" == after.feed.title
    assert "urn:scops:change:pages/p-1" == after.feed.id
    assert 3 == len(after.entries) == len({entry.id for entry in after.entries})
    assert before.entries[0] == after.entries[2]
    assert ["v4", "v3", "v2"] == [entry.id.rpartition(":")[2] for entry in after.entries]
    assert ["v4", "v3", "v2"] == [one["toVersion"] for one in plain.json["changes"]]
    assert (304, b"") == (kept.status, kept.body)
    assert {"p-1"} == {one.page_id for one in asked}
    assert 2 == sum(one.rule == ChangeRule(counted_reasons=("number",)) for one in asked)
    assert (404, "PAGE_NOT_FOUND") == (hidden.status, hidden.json["reason"])


async def test_feed_is_for_who_may_see_its_scope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody without a credential, no stranger; the owner reads."""

    async def answer(_: WhatChangedRequest) -> WhatChangedResponse:
        return WhatChangedResponse(changes=(_change("https://docs.example.org/a"),))

    heard = HeardClaims(monkeypatch)
    async with (
        served_gateway(tmp_path, identity="required") as served,
        http_calls(served) as call,
    ):
        served.answer(WHAT_CHANGED, answer)
        administrator = await claimed(call, heard)
        owner, stranger = [await service(call, administrator, name) for name in ("owl", "eve")]
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY, headers=as_key(owner))
        nobody = await call("GET", FEED)
        hidden = await call("GET", FEED, headers=as_key(stranger))
        absent = await call("GET", "/v1/scopes/none/changes.atom", headers=as_key(stranger))
        by_query = await call("GET", f"{FEED}?key={owner}")
        seen = await call("GET", FEED, headers=as_key(owner))

    assert (401, 'Bearer realm="scops"') == (nobody.status, nobody.headers["www-authenticate"])
    assert (404, absent.json["reason"]) == (hidden.status, hidden.json["reason"])
    assert b"Plans" not in nobody.body + hidden.body + by_query.body
    assert (400, "FIELD_UNKNOWN") == (by_query.status, by_query.json["reason"])
    assert owner.encode() not in by_query.body
    assert 1 == len(feedparser.parse(seen.body).entries)
