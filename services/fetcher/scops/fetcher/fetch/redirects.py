"""What a redirect says about where a page lives."""

from scops.fetcher.ports.page_source import Failed, Fetched, Redirected, Unmodified


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
