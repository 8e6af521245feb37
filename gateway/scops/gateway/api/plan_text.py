"""When a page is fetched again, and why, in plain words."""

from datetime import datetime

from scops.common.contract.messages.crawl import PagePlanResponse, PageSchedule


def plan_text(plan: PagePlanResponse) -> str:
    """Returns in plain words when the page's host may be asked again, and how."""
    pace = f"{plan.host_key} is asked at most every {plan.host_delay_seconds:g} s"
    allowed = plan.host_next_allowed_time
    after = f", not before {allowed.isoformat(timespec='seconds')}" if allowed else ""
    how = "whether the page changed" if plan.has_validators else "for the whole page"
    clock = f"{pace}{after}; the next fetch asks {how}"
    return "; ".join(part for part in (_schedule_text(plan.schedule), clock) if part)


def _schedule_text(schedule: PageSchedule | None) -> str:
    """Returns in plain words when a page is due without being asked for, and why."""
    if schedule is None:
        return ""
    rate = (
        f"changes {schedule.change_rate:.3g} times a day "
        f"({schedule.change_rate_low:.2g} to {schedule.change_rate_high:.2g})"
    )
    seen = f"checked {_minute(schedule.checked_time)}"
    if schedule.changed_time is not None:
        seen += f", last found changed {_minute(schedule.changed_time)}"
    signalled = f", signalled by {', '.join(schedule.signals)}" if schedule.signals else ""
    stale = f"has changed since with probability {schedule.stale_probability:.2f}{signalled}"
    if schedule.due_time is None:
        due = "no budget keeps it fresh"
    else:
        whose = f"scope {schedule.budget_scope_id}" if schedule.budget_scope_id else "organisation"
        why = "nothing may wait longer" if schedule.by_floor else "its worth meets the threshold"
        due = (
            f"due {_minute(schedule.due_time)}, when {why} (worth {schedule.value:.3g} now, "
            f"threshold {schedule.threshold:.3g}, importance {schedule.importance:.2g}); paid for "
            f"by the {whose}'s {schedule.budget_per_day} fetches a day"
        )
    return f"{seen}; {rate}; {stale}; {due}"


def _minute(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M}Z"
