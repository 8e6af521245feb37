"""The tool `answer` where pages may be fetched for it: it takes a URL to start from."""

import uuid
from typing import Annotated

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from scops.gateway.adapters.mcp import results, shaping
from scops.gateway.adapters.mcp.reading import AsOf, CheckPages, Question, ReadingTools, Scopes
from scops.gateway.adapters.mcp.tools import ApiOf, Tool
from scops.gateway.adapters.mcp.working import WAIT_SECONDS_MAX, WorkingTools

GOES_ON = (
    "Not known yet: {pages} pages were looked at, and the research goes on. Ask get_research with "
    "`research`."
)


class AnsweringTools:
    """Takes the place of the tool that answers from what is known alone."""

    def __init__(self, api_of: ApiOf, reading: ReadingTools, working: WorkingTools) -> None:
        self._api_of = api_of
        self._reading = reading
        self._working = working

    def tools(self) -> tuple[Tool, ...]:
        """Returns it with what a host shows: with a URL it sends requests, so it is asked about."""
        return (Tool(self.answer, "Answer with citations", is_reading=False),)

    async def answer(
        self,
        ctx: Context,
        question: Question,
        url: Annotated[
            str,
            Field(
                description="A page of the user's to start from: pages of its site are fetched "
                "until they suffice. Left out, nothing but what is known is asked."
            ),
        ] = "",
        scopes: Scopes = None,
        as_of: AsOf = "",
        check_pages: CheckPages = False,
    ) -> results.AnsweredFrom:
        """Answers a question by verbatim quotes of trusted pages, each with page and version.

        Use it for facts that must be right and cited. With `url` it answers from that page's site,
        which need not be known: it fetches the few pages whose links promise an answer, and says by
        which links each cited page was found. Where `ended` is false then, ask `get_research`.
        Give no URL that the user did not name. It says so where the pages hold no answer: then
        tell the user, or look on with `search`. Do not use it to chat or to summarise at length.
        """
        if not url:
            found = await self._reading.answer(ctx, question, scopes, as_of, check_pages)
            return results.AnsweredFrom(**dict(found))
        if as_of or check_pages:
            raise ToolError(
                "With a url, pages are fetched as they are now: leave as_of and check_pages out."
            )
        wanted = {
            "question": question,
            "uri": url,
            "scopes": shaping.scope_names(scopes or []),
        }
        made = await self._api_of(ctx).call(
            "ResearchService",
            "CreateResearch",
            {"research": wanted, "request_id": str(uuid.uuid4())},
        )
        state = await self._working.researched(ctx, made.research.name, WAIT_SECONDS_MAX)
        return _answered(state)


def _answered(state: results.ResearchProgress) -> results.AnsweredFrom:
    """Returns the answer of a research; where there is none yet, how to ask for it."""
    nothing = results.Answered(
        answered=False,
        statements=[],
        citations=[],
        freshness="",
        risk=0.0,
        shortfall=state.message if state.ended else GOES_ON.format(pages=state.pages_fetched),
        gaps=[],
    )
    return results.AnsweredFrom(
        **dict(state.answer or nothing),
        research=state.research,
        ended=state.ended,
        stop_reason=state.stop_reason,
        found_by=state.found_by,
    )
