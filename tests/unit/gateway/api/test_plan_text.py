"""When a page is fetched again, as words and as facts."""

from datetime import UTC, datetime

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.crawl import KnownPage, PagePlanResponse, PageSchedule
from scops.gateway.api.plan_text import plan_text
from scops.gateway.api.responses import message
from scops.gateway.handlers.pages import VisiblePage

CHECKED, DUE = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 4, tzinfo=UTC)
PLAN = PagePlanResponse(
    host_key="example.org",
    host_delay_seconds=1.0,
    has_validators=True,
    schedule=PageSchedule(
        checked_time=CHECKED, due_time=DUE, budget_scope_id=ScopeId("lakes"), budget_per_day=20
    ),
)


def shown(plan: PagePlanResponse | None, captured_by: str = "") -> pb.Page:
    """Returns a page of the API that has a plan."""
    page = KnownPage(page_id=PageId("p-a"), captured_by=captured_by)
    return message(pb.Page, VisiblePage(page=page, scopes=(), plan=plan))


def test_plan_is_said_in_plain_words() -> None:
    """The plan names the host, its pace and how it is asked."""
    plan = PagePlanResponse(host_key="example.org", host_delay_seconds=1.0, has_validators=True)

    assert (
        "example.org is asked at most every 1 s; the next fetch asks whether the page changed"
        == plan_text(plan)
    )


def test_plan_goes_out_in_facts_beside_its_sentence() -> None:
    """Of the host, and of the schedule with whose budget pays."""
    page = shown(PLAN)
    facts = page.plan_facts

    assert plan_text(PLAN) == page.plan
    assert ("example.org", 1.0, True) == (
        facts.host,
        facts.host_delay_seconds,
        facts.asks_for_changes,
    )
    assert CHECKED == facts.schedule.check_time.ToDatetime(UTC)
    assert DUE == facts.schedule.due_time.ToDatetime(UTC)
    assert ("scopes/lakes", 20) == (
        facts.schedule.budget_scope,
        facts.schedule.budget_per_day,
    )
    assert not facts.HasField("host_next_time")
    assert not facts.schedule.HasField("change_time")


def test_page_that_nobody_fetches_has_no_plan() -> None:
    """Neither a capture, nor one of no host, nor where nobody asked for the plan."""
    pages = (shown(PLAN, captured_by="user:ann"), shown(PagePlanResponse()), shown(None))

    assert [("", False)] * 3 == [(page.plan, page.HasField("plan_facts")) for page in pages]
