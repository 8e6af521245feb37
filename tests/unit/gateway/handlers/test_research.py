"""Research runs at the gateway: what is decided, kept and given up, with scripted services."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scops.common.access.assertion import IdentitySigner
from scops.common.contract.errors import (
    InvalidInput,
    NotFound,
    NotPermitted,
    QuotaReached,
    TransientError,
)
from scops.common.contract.ids import JobId, PageId
from scops.common.contract.messages.crawl import (
    JobCounts,
    JobRecord,
    JobState,
    JobStatusRequest,
    JobStatusResponse,
    LinkedPage,
    PageLinksRequest,
    PageLinksResponse,
    PageOutcome,
    PagePlanResponse,
    ScopeLink,
    SiteSearchResponse,
)
from scops.common.contract.messages.explanation import (
    AnswerResponse,
    Citation,
    Coverage,
    LinkGain,
    RankLinksRequest,
    RankLinksResponse,
    Statement,
)
from scops.common.contract.messages.types import Clocks, Grant, ScopeRole
from scops.common.query.ports import (
    ANSWER,
    JOB_STATUS,
    PAGE_LINKS,
    PAGE_PLAN,
    RANK_LINKS,
    SITE_SEARCH,
)
from scops.gateway.handlers import sharing
from scops.gateway.handlers.chats import keeping
from scops.gateway.handlers.research import asking, running
from scops.gateway.handlers.research.asking import WantedResearch
from scops.gateway.handlers.research.links import REMEMBERED
from scops.gateway.research.research import Research, ResearchState, StopReason
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world

ANN, BOB = "user:ann", "user:bob"
QUESTION = "How much does it cost?"
SIGNER = IdentitySigner(b"i" * 32)
# Bytes of every page.
BODY = 1000
LEDGER = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
async def world() -> AsyncIterator[GatewayWorld]:
    """A gateway with the scope `docs` of Ann, whose pages are fetched at once."""
    async with gateway_world() as opened:
        await opened.create_scope(owner=ANN)
        opened.says(PAGE_PLAN, PagePlanResponse())
        opened.says(SITE_SEARCH, SiteSearchResponse())
        opened.says(PAGE_LINKS, PageLinksResponse())
        fetches(opened)
        yield opened


def fetches(
    world: GatewayWorld, outcome: Callable[[str], str] = lambda _: "indexed", *, joined: str = ""
) -> None:
    """Has every job ended when it is asked about."""

    async def ended(request: JobStatusRequest) -> JobStatusResponse:
        return JobStatusResponse(jobs=tuple([await record(job_id) for job_id in request.job_ids]))

    async def record(job_id: JobId) -> JobRecord:
        job = await world.ports.jobs.get(job_id)
        assert job is not None
        outcomes = tuple(
            PageOutcome(
                page_id=PageId(url[-1]),
                url=url,
                outcome=outcome(url),
                joined_url=joined if outcome(url) == "joined" else "",
            )
            for url in job.urls
        )
        return JobRecord(
            job_id=job_id,
            state=JobState.COMPLETED,
            counts=JobCounts(fetched_bytes=BODY * len(job.urls)),
            accepted_time=LEDGER,
            outcomes=outcomes,
        )

    world.answer(JOB_STATUS, ended)


def covered(share: float, *, page: str = "") -> AnswerResponse:
    """An answer that covers so much, cited from a page."""
    url = f"{DOCS}{page}"
    citation = Citation(
        number=1,
        page_id=PageId("p"),
        canonical_url=url,
        quote="It costs 14 euros.",
        clocks=Clocks(observed_time=LEDGER),
    )
    return AnswerResponse(
        answered=True,
        statements=(Statement(text="It costs 14 euros.", citation_numbers=(1,)),),
        citations=(citation,),
        coverage=Coverage(probability=share, words=1.0),
    )


def answers(world: GatewayWorld, *found: AnswerResponse) -> None:
    """Has looks answered in turn; the last one for ever."""
    left = list(found)

    async def answer(_: Any) -> AnswerResponse:
        return left.pop(0) if len(left) > 1 else left[0]

    world.answer(ANSWER, answer)


def links(world: GatewayWorld, *paths: str, known: tuple[str, ...] = ()) -> None:
    """Has every page link to some, each promising as much as the others."""

    async def linked(request: PageLinksRequest) -> PageLinksResponse:
        told = tuple(
            ScopeLink(
                url=f"{DOCS}{path}",
                anchor_text=path,
                known=path in known,
            )
            for path in paths
        )
        return PageLinksResponse(pages=tuple(LinkedPage(url=u, links=told) for u in request.urls))

    async def ranked(request: RankLinksRequest) -> RankLinksResponse:
        return RankLinksResponse(links=tuple(LinkGain(gain=0.5) for _ in request.links))

    world.answer(PAGE_LINKS, linked)
    world.answer(RANK_LINKS, ranked)


async def begun(world: GatewayWorld, **wanted: Any) -> Research:
    """A run of Ann, in `docs` unless it is said otherwise."""
    asked = WantedResearch(**({"question": QUESTION, "scope": "scopes/docs"} | wanted))
    made = await asking.create_research(world.ports, world.call(ANN), wanted=asked, request_id="")
    return made.run


async def worked(world: GatewayWorld, run: Research) -> Research:
    """The run after a gateway has worked on it."""
    await running.work_on(world.ports, run, SIGNER)
    found = await world.ports.research.get(run.research_id)
    assert found is not None
    return found


async def test_it_fetches_until_what_it_found_suffices(world: GatewayWorld) -> None:
    """Nothing that is known, refused or fetched already; then it answers in a chat."""
    answers(world, covered(0.1), covered(0.2), covered(0.9, page="b"))
    links(world, "a", "b", "k", known=("k",))
    run = await worked(world, await begun(world, uri=DOCS))
    seen = await asking.get_research(world.ports, world.call(ANN), run.research_id)

    assert [DOCS, f"{DOCS}a", f"{DOCS}b"] == [page.url for page in run.pages]
    assert [0.1, 0.2] == [step.coverage for step in run.steps]
    assert (ResearchState.ENDED, StopReason.NOTHING_LEFT) == (run.state, run.stopped)
    assert [False, False, True] == [page.cited for page in run.pages]
    assert seen.answer is not None
    assert ["It costs 14 euros."] == [one.text for one in seen.answer.statements]


@pytest.mark.parametrize(
    ("joined", "shown"),
    [
        (DOCS, f"{DOCS}a"),
        (f"{DOCS}new", f"{DOCS}new"),
        ("https://elsewhere.example/", f"{DOCS}a"),
    ],
)
async def test_a_page_that_was_joined_has_the_name_of_where_it_is(
    world: GatewayWorld, joined: str, shown: str
) -> None:
    """Unless the run has that page already, or nobody goes there: it is found by one way."""
    answers(world, covered(0.1))
    links(world, "a")
    fetches(world, lambda url: "joined" if url.endswith("a") else "indexed", joined=joined)
    run = await worked(world, await begun(world, uri=DOCS))

    assert [DOCS, shown] == [page.url for page in run.pages][:2]


async def test_what_is_known_is_not_fetched(world: GatewayWorld) -> None:
    """A scope that holds the answer costs one look."""
    answers(world, covered(0.9))
    run = await worked(world, await begun(world))

    assert () == run.pages
    assert StopReason.COVERED is run.stopped
    assert 1 == run.turn == len(run.steps)


async def test_texts_of_links_that_promise_an_answer_cover_nothing(world: GatewayWorld) -> None:
    """Where all that is quoted is such a text, the run goes on to the page behind it."""
    answers(world, covered(0.9), covered(0.9, page="b"))
    links(world, "It costs 14 euros, see this page")
    run = await worked(world, await begun(world, uri=DOCS, pages=2))

    assert [0.0, 0.0] == [step.coverage for step in run.steps]
    assert StopReason.PAGES is run.stopped


async def test_pages_that_were_none_are_not_tried_again(world: GatewayWorld) -> None:
    """By the next run of the same scope, which says so; a week later they are."""
    answers(world, covered(0.1))
    links(world, "a", "b")
    fetches(world, lambda url: "gone" if url.endswith("a") else "indexed")
    first = await worked(world, await begun(world, uri=DOCS))
    links(world, "a", "c")
    second = await worked(world, await begun(world, uri=DOCS))

    world.clock.advance(REMEMBERED.total_seconds() + 1)
    third = await worked(world, await begun(world, uri=DOCS))

    assert [f"{DOCS}a", f"{DOCS}b"] == [page.url for page in first.pages[1:]]
    assert [f"{DOCS}c"] == [page.url for page in second.pages[1:]]
    (passed,) = second.passed
    assert (f"{DOCS}a", "gone") == (passed.url, passed.outcome)
    assert first.created_time + REMEMBERED == passed.until
    assert f"{DOCS}a" in [page.url for page in third.pages]
    assert () == first.passed == third.passed


async def test_a_budget_of_bytes_ends_it(world: GatewayWorld) -> None:
    """One page first, then as many as its size lets expect to fit; what came is counted."""
    answers(world, covered(0.1), covered(0.2), covered(0.3))
    links(world, "a", "b", "c", "d")
    run = await worked(world, await begun(world, uri=DOCS, bytes=int(2.5 * BODY)))

    assert StopReason.BYTES is run.stopped
    assert [0, 1, 2] == [page.step for page in run.pages]
    assert [BODY, 2 * BODY, 3 * BODY] == [step.fetched_bytes for step in run.steps]
    assert 3 * BODY == run.fetched_bytes
    assert 3 == len(run.jobs)


async def test_a_scope_of_its_own_reaches_to_the_hosts_named(world: GatewayWorld) -> None:
    """And no further; the same hosts have the same scope, wherever a run starts."""
    shop, forum = "shop.example.com", "forum.example.com:8443"
    given = {"scope": "", "uri": f"https://{shop}/a", "hosts": (forum.upper(), shop, forum)}
    run = await begun(world, **given)
    other = await begun(world, scope="", uri=f"https://{forum}/", hosts=(shop,))
    alone = await begun(world, scope="", uri=f"https://{shop}/")
    stored = await world.ports.scopes.get("main", run.scope_id)

    assert (forum,) == run.hosts
    assert run.scope_id == other.scope_id != alone.scope_id
    assert stored is not None
    assert [shop, forum] == [rule.pattern for rule in stored.scope.rules]


async def test_a_service_that_is_away_is_waited_for(world: GatewayWorld) -> None:
    """The run is taken up again; long after its time it has failed, and says why."""

    async def away(_: Any) -> AnswerResponse:
        raise TransientError("The explainer does not answer.", reason="NO_REPLY")

    world.answer(ANSWER, away)
    run = await worked(world, await begun(world))
    now = world.clock.now()
    soon, later = (now + running.AGAIN - timedelta(seconds=1), now + running.AGAIN)
    early = await world.ports.research.claim(now=soon, until=later, limit=9)
    due = await world.ports.research.claim(now=later, until=later + running.CLAIM, limit=9)
    world.clock.advance((running.GIVEN_UP + timedelta(minutes=10)).total_seconds())
    failed = await worked(world, run)

    assert run.is_open
    assert ((), 1) == (early, len(due))
    assert (ResearchState.FAILED, StopReason.FAILED) == (failed.state, failed.stopped)
    assert "does not answer" in failed.message


async def test_a_run_fails_where_its_owner_may_not_go_on(world: GatewayWorld) -> None:
    """The scope was taken from them meanwhile."""
    answers(world, covered(0.1))
    await sharing.share_scope(
        world.ports,
        world.call(ANN),
        scope_id=(await begun(world)).scope_id,
        grant=Grant(subject=BOB, role=ScopeRole.CONTRIBUTOR),
        etag="",
    )
    asked = WantedResearch(question=QUESTION, scope="scopes/docs")
    made = await asking.create_research(world.ports, world.call(BOB), wanted=asked, request_id="")
    stored = await world.ports.scopes.get("main", made.run.scope_id)
    assert stored is not None
    await sharing.share_scope(
        world.ports,
        world.call(ANN),
        scope_id=made.run.scope_id,
        grant=Grant(subject=BOB, role=ScopeRole.UNSPECIFIED),
        etag="",
    )
    run = await worked(world, made.run)

    assert ResearchState.FAILED is run.state
    assert "docs" in run.message


async def test_a_job_that_was_begun_before_a_kill_is_the_same(world: GatewayWorld) -> None:
    """What was chosen is kept first, so that the job is asked for again with the same pages."""
    answers(world, covered(0.1))
    links(world, "a")
    run = await begun(world, uri=DOCS)
    kept: list[Research] = []
    save = world.ports.research.save

    async def killed(one: Research, *, until: datetime | None) -> bool:
        if one.job_id and len(one.pages) > 1:
            raise RuntimeError("killed between the job and its record")
        kept.append(one)
        return await save(one, until=until)

    world.ports.research.save = killed  # type: ignore[method-assign]
    with pytest.raises(RuntimeError):
        await running.work_on(world.ports, run, SIGNER)
    world.ports.research.save = save  # type: ignore[method-assign]
    links(world, "b", "a")
    after = await worked(world, kept[-1])

    assert [DOCS, f"{DOCS}a", f"{DOCS}b"] == [page.url for page in after.pages]
    assert {"indexed"} == {page.outcome for page in after.pages}


async def test_what_was_cancelled_is_worked_on_no_more(world: GatewayWorld) -> None:
    """Nothing that is decided then is kept."""
    answers(world, covered(0.1))
    links(world, "a")
    run = await begun(world, uri=DOCS)
    await asking.cancel_research(world.ports, world.call(ANN), run.research_id)
    after = await worked(world, run)

    assert ResearchState.CANCELLED is after.state
    assert () == after.pages


async def test_a_run_is_its_owners(world: GatewayWorld) -> None:
    """For others there is none, and who may not have pages fetched begins none."""
    run = await begun(world)

    for read in (asking.get_research, asking.cancel_research, asking.delete_research):
        with pytest.raises(NotFound):
            await read(world.ports, world.call(BOB), run.research_id)
    wanted = WantedResearch(question=QUESTION, scope="scopes/docs")
    with pytest.raises(NotFound):
        await asking.create_research(world.ports, world.call(BOB), wanted=wanted, request_id="")
    await sharing.share_scope(
        world.ports,
        world.call(ANN),
        scope_id=run.scope_id,
        grant=Grant(subject=BOB, role=ScopeRole.VIEWER),
        etag="",
    )
    with pytest.raises(NotPermitted):
        await asking.create_research(world.ports, world.call(BOB), wanted=wanted, request_id="")


async def test_a_host_has_one_scope_of_each_caller(world: GatewayWorld) -> None:
    """Without one that is named."""
    runs = [
        await begun(world, scope="", uri=f"https://www.example.com/{path}") for path in ("a", "b")
    ]
    wanted = WantedResearch(question=QUESTION, uri="https://www.example.com/c")
    other = await asking.create_research(world.ports, world.call(BOB), wanted=wanted, request_id="")

    assert 1 == len({run.scope_id for run in runs})
    assert other.run.scope_id != runs[0].scope_id
    assert runs[0].scope_id.startswith("research-www-example-com-")


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"question": " "}, "QUERY_EMPTY"),
        ({"scope": ""}, "FIELD_MISSING"),
        ({"uri": "https://elsewhere.example/"}, "URL_OUTSIDE_SCOPE"),
        ({"pages": -1}, "LIMIT_OUT_OF_RANGE"),
        ({"bytes": -1}, "LIMIT_OUT_OF_RANGE"),
        ({"uri": DOCS, "hosts": ("a.example.org",)}, "HOSTS_WITH_SCOPE"),
        ({"scope": "", "hosts": ("a.example.org",)}, "HOSTS_WITH_SCOPE"),
        ({"scope": "", "uri": DOCS, "hosts": ("a.org/b",)}, "HOST_INVALID"),
        ({"scope": "", "uri": DOCS, "hosts": ("*.a.org",)}, "HOST_INVALID"),
        ({"scope": "", "uri": DOCS, "hosts": ("me@a.org",)}, "INVALID_URL"),
        ({"scope": "", "uri": DOCS, "hosts": ("a.org",) * 21}, "TOO_MANY_HOSTS"),
        ({"scopes": tuple(f"scopes/s{n}" for n in range(30))}, "TOO_MANY_SCOPES"),
    ],
)
async def test_what_cannot_be_used_is_told(
    world: GatewayWorld, wanted: dict[str, Any], reason: str
) -> None:
    """And leaves no run and no chat behind."""
    with pytest.raises(InvalidInput) as raised:
        await begun(world, **wanted)

    assert reason == raised.value.reason
    runs, _ = await asking.list_researches(world.ports, world.call(ANN), page_size=0, page_token="")
    chats, _ = await keeping.list_chats(
        world.ports, world.call(ANN), text="", page_size=0, page_token=""
    )
    assert () == runs == chats


async def test_a_run_that_is_refused_leaves_no_chat(world: GatewayWorld) -> None:
    """As where a further scope is hidden, or too many go on."""
    with pytest.raises(NotFound):
        await begun(world, scopes=("scopes/hidden",))
    for _ in range(asking.OPEN_MAX):
        await begun(world)
    with pytest.raises(QuotaReached):
        await begun(world)
    chats, _ = await keeping.list_chats(
        world.ports, world.call(ANN), text="", page_size=100, page_token=""
    )
    assert asking.OPEN_MAX == len(chats)
