"""Tools that read: they change nothing, so that hosts may run them without asking."""

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import Field

from scops.gateway.adapters.mcp import results, shaping
from scops.gateway.adapters.mcp.tools import ApiOf, Tool, page_fields

PASSAGES, PASSAGES_MAX = 8, 30
LISTED, LISTED_MAX = 20, 100
CHARACTERS = 20_000
ALL = "*"

Scopes = Annotated[
    list[str] | None,
    Field(description="Names of scopes, such as `tarn`; left out, all that the caller may see."),
]
AsOf = Annotated[
    str,
    Field(description="A date or ISO instant: answer as the pages stood then. Empty for now."),
]
Question = Annotated[str, Field(description="One question, as a person would ask it.")]
CheckPages = Annotated[
    bool, Field(description="Have the cited pages fetched and checked first; takes longer.")
]
PageName = Annotated[str, Field(description="`pages/…` of another tool's result, or a URL.")]


class ReadingTools:
    """What may be asked."""

    def __init__(self, api_of: ApiOf) -> None:
        self._api_of = api_of

    def tools(self) -> tuple[Tool, ...]:
        """Returns them with what a host shows."""
        return (
            Tool(self.list_scopes, "List scopes"),
            Tool(self.search, "Search passages"),
            Tool(self.answer, "Answer with citations"),
            Tool(self.get_page, "Read a page"),
            Tool(self.page_history, "History of a page"),
            Tool(self.diff, "Compare versions"),
            Tool(self.what_changed, "What changed"),
            Tool(self.explain, "Explain a ranking"),
            Tool(self.resolve_citations, "Check citations"),
        )

    async def list_scopes(self, ctx: Context) -> results.ScopeList:
        """Lists the scopes (named sets of trusted pages) that may be asked, with what they hold.

        Use it first, to choose where to search. Not needed where the user has named a scope.
        """
        found = await self._ask(ctx, "ScopeService", "ListScopes", page_size=LISTED_MAX)
        return results.ScopeList(
            scopes=[shaping.scope_summary(scope) for scope in found.scopes],
            more=bool(found.next_page_token),
        )

    async def search(
        self,
        ctx: Context,
        query: Annotated[str, Field(description="A question or words to look for.")],
        scopes: Scopes = None,
        limit: Annotated[int, Field(ge=1, le=PASSAGES_MAX)] = PASSAGES,
        as_of: AsOf = "",
    ) -> results.FoundPassages:
        """Finds the passages of trusted pages that fit a query, best first, each with its version.

        Use it to gather material, to compare pages, or where `answer` found nothing. For a question
        with one answer use `answer`; to read on around a passage use `get_page`.
        """
        found = await self._ask(
            ctx,
            "SearchService",
            "Search",
            query=query,
            scopes=shaping.scope_names(scopes or [ALL]),
            page_size=limit,
            as_of_time=shaping.instant(as_of, end_of_day=True),
        )
        return results.FoundPassages(
            passages=[shaping.passage(one) for one in found.passages],
            shortfall=found.shortfall_reason,
            notes=list(found.notes),
        )

    async def answer(
        self,
        ctx: Context,
        question: Question,
        scopes: Scopes = None,
        as_of: AsOf = "",
        check_pages: CheckPages = False,
    ) -> results.Answered:
        """Answers a question by verbatim quotes of trusted pages, each with page and version.

        Use it for facts that must be right and cited. It says so where the pages hold no answer:
        then tell the user, or look on with `search`. Do not use it to chat or to summarise at
        length.
        """
        found = await self._ask(
            ctx,
            "SearchService",
            "Answer",
            query=question,
            scopes=shaping.scope_names(scopes or [ALL]),
            as_of_time=shaping.instant(as_of, end_of_day=True),
            revalidate="REVALIDATE_ALWAYS" if check_pages else None,
        )
        return shaping.answered(found)

    async def get_page(
        self,
        ctx: Context,
        page: PageName,
        section: Annotated[
            list[str] | None,
            Field(description="A heading, or several from the outer to the inner: only that part."),
        ] = None,
        as_of: AsOf = "",
        version: Annotated[str, Field(description="A version's id, or `previous`.")] = "",
        start: Annotated[int, Field(ge=0, description="`next_start` of a part before.")] = 0,
    ) -> results.PageText:
        """Reads the clean text of a known page: whole, a section of it, or as it stood on a day.

        Use it to read around a passage or to quote exactly. It reads what is kept and fetches
        nothing; for a page that is not known yet use `add_pages`.
        """
        read = await self._ask(
            ctx,
            "PageService",
            "ReadPage",
            **page_fields(page),
            section=section or [],
            as_of_time=shaping.instant(as_of, end_of_day=True),
            version=version or None,
            start=start,
            character_limit=CHARACTERS,
        )
        return shaping.page_text(read)

    async def page_history(
        self,
        ctx: Context,
        page: PageName,
        limit: Annotated[int, Field(ge=1, le=LISTED_MAX)] = LISTED,
    ) -> results.PageVersions:
        """Lists the versions of a page, newest first, with what kind of change each was.

        Use it to learn when something changed; `diff` says what.
        """
        found = await self._page(ctx, page)
        listed = await self._ask(
            ctx, "PageService", "ListPageVersions", name=found.name, page_size=limit
        )
        return results.PageVersions(
            page=found.name,
            uri=found.uri,
            versions=[shaping.history_version(one) for one in listed.versions],
            closed_reason=listed.closed_reason,
            more=listed.truncated,
        )

    async def diff(
        self,
        ctx: Context,
        page: PageName,
        from_version: Annotated[str, Field(description="A version's id, or `previous`.")] = "",
        to_version: Annotated[str, Field(description="A version's id, or `latest`.")] = "",
    ) -> results.Differences:
        """Compares two versions of a page word by word, by default the last two.

        Use it to say exactly what changed. Changes marked `semantic: false` mean the same.
        """
        found = await self._page(ctx, page)
        diff = await self._ask(
            ctx,
            "PageService",
            "DiffPageVersions",
            name=found.name,
            from_version=from_version or None,
            to_version=to_version or None,
        )
        return shaping.differences(diff)

    async def what_changed(
        self,
        ctx: Context,
        scope: Annotated[str, Field(description="The name of one scope.")],
        since: Annotated[str, Field(description="A date or ISO instant.")],
        limit: Annotated[int, Field(ge=1, le=LISTED_MAX)] = LISTED,
    ) -> results.Changes:
        """Lists the pages of a scope whose meaning changed since an instant, weightiest first.

        Use it for news of a scope. What changed on one page is what `diff` says.
        """
        found = await self._ask(
            ctx,
            "PageService",
            "WhatChanged",
            scope=shaping.full_name("scopes", scope),
            since=shaping.instant(since, end_of_day=False),
            page_size=limit,
        )
        return results.Changes(
            changes=[shaping.changed_page(one) for one in found.changes],
            suppressed=found.suppressed,
            more=found.truncated,
        )

    async def explain(
        self,
        ctx: Context,
        query: str,
        scopes: Scopes = None,
        limit: Annotated[int, Field(ge=1, le=PASSAGES_MAX)] = 5,
        as_of: AsOf = "",
    ) -> results.Explained:
        """Says why passages rank as they do for a query: each part of the score, in words.

        Use it only when the user asks why something was found, or not found.
        """
        found = await self._ask(
            ctx,
            "SearchService",
            "Explain",
            query=query,
            scopes=shaping.scope_names(scopes or [ALL]),
            page_size=limit,
            as_of_time=shaping.instant(as_of, end_of_day=True),
        )
        return shaping.explained(found)

    async def resolve_citations(
        self,
        ctx: Context,
        citations: Annotated[
            list[results.AnswerCitation],
            Field(min_length=1, max_length=50, description="As `answer` returned them."),
        ],
    ) -> results.Resolved:
        """Checks citations of an earlier answer: whether the page still says so, and where.

        Use it before citing again what was answered some time ago.
        """
        kept = ("number", "quote", "uri", "page", "version", "start", "end", "quote_digest")
        fields = [one.model_dump(include={*kept, "text_digest"}) for one in citations]
        found = await self._ask(ctx, "SearchService", "ResolveCitations", citations=fields)
        return results.Resolved(citations=[shaping.resolved(one) for one in found.citations])

    async def _page(self, ctx: Context, page: str) -> Any:
        return (await self._ask(ctx, "PageService", "GetPage", **page_fields(page))).page

    async def _ask(self, ctx: Context, service: str, method: str, **fields: Any) -> Any:
        return await self._api_of(ctx).call(service, method, fields)
