"""When a page is fetched again, as words."""

from scops.common.contract.messages.crawl import PagePlanResponse
from scops.gateway.api.plan_text import plan_text


def test_plan_is_said_in_plain_words() -> None:
    """The plan names the host, its pace and how it is asked."""
    plan = PagePlanResponse(host_key="example.org", host_delay_seconds=1.0, has_validators=True)

    assert (
        "example.org is asked at most every 1 s; the next fetch asks whether the page changed"
        == plan_text(plan)
    )
