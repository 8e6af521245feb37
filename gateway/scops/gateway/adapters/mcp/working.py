"""Tools that have something done: hosts ask before they run one."""

import asyncio
import uuid
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import Field

from scops.common.contract.ids import monotonic_seconds
from scops.gateway.adapters.mcp import results, shaping
from scops.gateway.adapters.mcp.tools import ApiOf, Tool

WAIT_SECONDS_MAX = 40
LOOK_SECONDS = 1.0

Wait = Annotated[
    int,
    Field(ge=0, le=WAIT_SECONDS_MAX, description="Seconds to wait for the end, at most 40."),
]
JobName = Annotated[str, Field(description="`jobs/…`, as crawl_scope returned it.")]
ScopeName = Annotated[str, Field(description="The name of one scope, such as `tarn`.")]


class WorkingTools:
    """What may be had done."""

    def __init__(self, api_of: ApiOf) -> None:
        self._api_of = api_of

    def tools(self) -> tuple[Tool, ...]:
        """Returns them with what a host shows."""
        return (
            Tool(self.add_pages, "Add pages to a scope", is_reading=False),
            Tool(self.crawl_scope, "Fetch pages", is_reading=False, is_repeatable=False),
            Tool(self.get_job, "Follow a crawl"),
            Tool(self.cancel_job, "Cancel a crawl", is_reading=False),
            Tool(self.research, "Fetch pages until a question is answered", is_reading=False),
            Tool(self.get_research, "Follow a research"),
        )

    async def add_pages(
        self,
        ctx: Context,
        scope: ScopeName,
        uris: Annotated[list[str], Field(min_length=1, max_length=100)],
        reason: Annotated[str, Field(description="Why, for who reads the scope's history.")] = "",
    ) -> results.AddedPages:
        """Adds single pages to a scope by their URLs; `crawl_scope` with them fetches them.

        Use it when the user wants a page to be part of a scope. Do not add what they did not ask
        for: others who use the scope get answers from it.
        """
        added = await self._ask(
            ctx,
            "ScopeService",
            "AddPages",
            name=shaping.full_name("scopes", scope),
            uris=uris,
            reason=reason,
        )
        return results.AddedPages(scope=scope, rules=len(added.scope.rules))

    async def crawl_scope(
        self,
        ctx: Context,
        scope: ScopeName,
        urls: Annotated[
            list[str] | None,
            Field(max_length=100, description="Only these pages of the scope, now; else all."),
        ] = None,
        page_limit: Annotated[int, Field(ge=0, description="0 takes the scope's own.")] = 0,
        wait_seconds: Wait = 0,
    ) -> results.CrawlState:
        """Has a scope crawled, or some of its pages fetched again; returns a job at once.

        Use it when pages are missing or old. It takes minutes: tell the user, and follow it with
        `get_job`. Pages are asked for politely, so waiting makes it no faster.
        """
        fields: dict[str, Any] = {"scope": shaping.full_name("scopes", scope), "urls": urls or []}
        if page_limit:
            fields["page_limit"] = page_limit
        made = await self._ask(
            ctx, "JobService", "CreateJob", job=fields, request_id=str(uuid.uuid4())
        )
        return await self._waited(ctx, made.job.name, wait_seconds)

    async def get_job(
        self, ctx: Context, job: JobName, wait_seconds: Wait = 0
    ) -> results.CrawlState:
        """Says how far a crawl is; with `wait_seconds` it waits for the end, and tells progress.

        Use it after crawl_scope, and again while `ended` is false.
        """
        return await self._waited(ctx, shaping.full_name("jobs", job), wait_seconds)

    async def cancel_job(self, ctx: Context, job: JobName) -> results.CrawlState:
        """Cancels a crawl; pages that are in already stay."""
        name = shaping.full_name("jobs", job)
        return shaping.job_state((await self._ask(ctx, "JobService", "CancelJob", name=name)).job)

    async def research(
        self,
        ctx: Context,
        question: Annotated[str, Field(description="One question, as a person would ask it.")],
        url: Annotated[str, Field(description="Where to start; a page of the site.")] = "",
        scope: Annotated[
            str, Field(description="A scope whose pages may be fetched; needed without a URL.")
        ] = "",
        pages: Annotated[int, Field(ge=0, le=200, description="Most pages; 0 takes 25.")] = 0,
        wait_seconds: Wait = WAIT_SECONDS_MAX,
    ) -> results.ResearchProgress:
        """Answers a question from a site that is not known yet, or from a scope that lacks it.

        It fetches the few pages whose links promise an answer, politely, and stops when they
        suffice, saying why. Use it where `answer` found nothing, or the user names a page. It may
        take minutes: where `ended` is false, follow it with `get_research`.
        """
        wanted: dict[str, Any] = {"question": question, "uri": url, "budget": {"pages": pages}}
        if scope:
            wanted["scope"] = shaping.full_name("scopes", scope)
        made = await self._ask(
            ctx,
            "ResearchService",
            "CreateResearch",
            research=wanted,
            request_id=str(uuid.uuid4()),
        )
        return await self.researched(ctx, made.research.name, wait_seconds)

    async def get_research(
        self,
        ctx: Context,
        research: Annotated[str, Field(description="`researches/…`, as research returned it.")],
        wait_seconds: Wait = WAIT_SECONDS_MAX,
    ) -> results.ResearchProgress:
        """Says how far a research is, waiting for its end; with its answer once it has ended.

        Use it after `research`, and again while `ended` is false.
        """
        name = shaping.full_name("researches", research)
        return await self.researched(ctx, name, wait_seconds)

    async def researched(
        self, ctx: Context, name: str, wait_seconds: int
    ) -> results.ResearchProgress:
        """Waits for the end of a research, telling progress, and says how far it is."""
        until = monotonic_seconds() + wait_seconds
        while True:
            found = await self._ask(ctx, "ResearchService", "GetResearch", name=name)
            state = shaping.research_state(found)
            budget = found.research.budget.pages
            told = f"{state.pages_fetched} pages, covered {state.coverage:.0%}"
            await ctx.report_progress(state.pages_fetched, budget, told)
            left = until - monotonic_seconds()
            if state.ended or left <= 0:
                return state
            await asyncio.sleep(min(LOOK_SECONDS, left))

    async def _waited(self, ctx: Context, name: str, wait_seconds: int) -> results.CrawlState:
        until = monotonic_seconds() + wait_seconds
        while True:
            found = await self._ask(ctx, "JobService", "GetJob", name=name)
            state = shaping.job_state(found.job)
            still_open = state.counts.get("open", 0)
            done = sum(state.counts.values()) - still_open
            await ctx.report_progress(done, done + still_open, f"{state.state}: {done} pages done")
            left = until - monotonic_seconds()
            if state.ended or left <= 0:
                return state
            await asyncio.sleep(min(LOOK_SECONDS, left))

    async def _ask(self, ctx: Context, service: str, method: str, **fields: Any) -> Any:
        return await self._api_of(ctx).call(service, method, fields)
