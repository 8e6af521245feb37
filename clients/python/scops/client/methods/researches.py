"""Questions for which pages are fetched until they suffice."""

from collections.abc import Iterable
from functools import partial

from scops.client.calls import Call, Last, Listing, Plan, Streaming
from scops.client.codec import read
from scops.client.errors import DeadlineExceeded
from scops.client.methods.names import (
    AnyResearch,
    AnyScope,
    fresh_request_id,
    research_name,
    scope_name,
)
from scops.client.methods.scopes import add_pages
from scops.client.values.researches import Research, ResearchProgress
from scops.client.values.scopes import Scope

SERVICE = "ResearchService"
# In one call, which the server bounds.
PAGES_ADDED_MAX = 100


def research(
    question: str,
    *,
    uri: str = "",
    scope: AnyScope = "",
    scopes: Iterable[AnyScope] = (),
    hosts: Iterable[str] = (),
    pages: int = 0,
    seconds: int = 0,
    bytes: int = 0,
    keep_days: int | None = None,
) -> Plan[Research]:
    """Has pages fetched until a question is answered, and returns the run at once.

    Args:
        uri: where it starts; needed without a scope.
        scope: that pages are fetched for, inside its rules; without one it is a scope of the
            caller's own for the host of the URI.
        scopes: that are asked besides.
        hosts: beside that of the URI, whose pages may be fetched too; without a scope alone.
        pages, seconds, bytes: that it may spend; 0 takes 25 pages, 120 seconds, and bytes without
            a bound.
        keep_days: for which its own scope is kept after its end; 0 deletes it as soon as the
            answer is kept, None keeps it for good. Without a scope alone.
    """
    wanted: dict[str, object] = {
        "question": question,
        "uri": uri,
        "scope": scope_name(scope) if scope else "",
        "scopes": [scope_name(one) for one in scopes],
        "hosts": list(hosts),
        "budget": {"pages": pages, "seconds": seconds, "bytes": bytes},
    }
    if keep_days is not None:
        wanted["keep_days"] = keep_days
    fields = {"research": wanted, "request_id": fresh_request_id()}
    return read(Research, (yield Call(SERVICE, "CreateResearch", fields)).research)


def get_research(research: AnyResearch) -> Plan[ResearchProgress]:
    """Reads a run, with its answer once there is one."""
    call = Call(SERVICE, "GetResearch", {"name": research_name(research)})
    return read(ResearchProgress, (yield call))


def watch_research(research: AnyResearch) -> Streaming[ResearchProgress]:
    """Tells of a run whenever it has gone on; the last time with its answer.

    The first time is at once, as the run stands. A stream that breaks off is opened again.
    """
    call = Call(SERVICE, "WatchResearch", {"name": research_name(research)}, is_harmless=True)
    return Streaming(call, partial(read, ResearchProgress), lasts=True)


def wait_research(research: AnyResearch, *, seconds: float = 600.0) -> Plan[ResearchProgress]:
    """Waits until a run has ended, whatever it ended with.

    Args:
        seconds: to wait; the run goes on after them.

    Raises:
        DeadlineExceeded: it has not ended by then.
    """
    try:
        found: ResearchProgress = yield Last(watch_research(research), seconds)
    except DeadlineExceeded as error:
        raise DeadlineExceeded(
            f"{research_name(research)} has not ended after {seconds:.0f} s; it goes on. Wait "
            "again, or cancel it.",
            reason="RESEARCH_RUNNING",
        ) from error
    return found


def list_researches(*, page_size: int = 100) -> Listing[Research]:
    """Lists the caller's runs, newest first, without their answers."""
    call = Call(SERVICE, "ListResearches", {"page_size": page_size})
    return Listing(call, "researches", Research)


def promote_research(
    research: AnyResearch, scope: AnyScope, *, all_used: bool = False
) -> Plan[Scope]:
    """Adds the pages that a run cites to a scope, where they stay whatever becomes of the run.

    Args:
        scope: of those to which the caller may add pages.
        all_used: whether those come too that were near and are not cited.

    Raises:
        InvalidRequest: the run cites nothing, or has not ended.
    """
    found = yield from get_research(research)
    used = [page.uri for page in found.research.pages if page.cited or (all_used and page.useful)]
    cited = [one.uri for one in found.answer.citations] if found.answer is not None else []
    uris = list(dict.fromkeys((*cited, *used)))
    for start in range(0, max(len(uris), 1), PAGES_ADDED_MAX):
        part = uris[start : start + PAGES_ADDED_MAX]
        added: Scope = yield from add_pages(scope, part, reason=f"cited by {found.research.name}")
    return added


def cancel_research(research: AnyResearch) -> Plan[Research]:
    """Ends a run; what it has fetched stays."""
    name = {"name": research_name(research)}
    call = Call(SERVICE, "CancelResearch", name, is_harmless=True)
    return read(Research, (yield call).research)


def delete_research(research: AnyResearch) -> Plan[None]:
    """Deletes a run; its scope and the chat of its answer stay."""
    yield Call(SERVICE, "DeleteResearch", {"name": research_name(research)})
