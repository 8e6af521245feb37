"""What a redirect says about where a page lives."""

from dataclasses import replace

from scops.fetcher.frontier.outcomes import Ending
from scops.fetcher.ports.page_source import Failed, Fetched, FetchResult, Redirected, Unmodified


def with_route(answer: FetchResult | Ending, route: str) -> FetchResult | Ending:
    """Returns an answer with the route that it was asked for, which its server did not see.

    Where a redirect leads, the route leads too (RFC 9110 section 10.2.2).
    """
    if not route or isinstance(answer, Ending):
        return answer
    redirects = tuple(replace(one, url=f"{one.url}{route}") for one in answer.redirects)
    if isinstance(answer, Redirected):
        return replace(answer, redirects=redirects, target_url=f"{answer.target_url}{route}")
    return replace(answer, redirects=redirects, final_url=f"{answer.final_url}{route}")


def new_address(answer: Fetched | Unmodified) -> str:
    """Returns the URL that a page moved to for good, empty when it did not.

    One temporary redirect on the way makes the whole way temporary.
    """
    moved = answer.redirects and all(redirect.permanent for redirect in answer.redirects)
    return answer.final_url if moved else ""


def unfollowed(answer: Redirected | Failed) -> tuple[str, bool]:
    """Returns the target of a redirect that was not followed, and whether it is permanent."""
    if isinstance(answer, Redirected):
        return answer.target_url, answer.permanent
    target = answer.redirects[-1].url if answer.redirects else ""
    return target, all(redirect.permanent for redirect in answer.redirects)
