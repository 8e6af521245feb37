"""Rows of research runs, and the values that they stand for."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Row

from scops.common.contract.ids import JobId, ScopeId
from scops.common.contract.messages.types import ScopeRole
from scops.gateway.chats.chat import ChatId
from scops.gateway.research.research import (
    PassedPage,
    Research,
    ResearchBudget,
    ResearchId,
    ResearchPage,
    ResearchState,
    ResearchStep,
    StopReason,
)
from scops.gateway.watches.watch import WatchBounds


def progress_values(run: Research) -> dict[str, Any]:
    """Returns the columns that work on a run changes."""
    return {
        "state": run.state.value,
        "stopped": run.stopped.value,
        "message": run.message,
        "pages": [asdict(page) for page in run.pages],
        "steps": [_step_values(step) for step in run.steps],
        "passed": [asdict(page) | {"until": page.until.isoformat()} for page in run.passed],
        "job_id": run.job_id,
        "jobs": list(run.jobs),
        "fetched_bytes": run.fetched_bytes,
        "turn": run.turn,
        "ended_at": run.ended_time,
    }


def research_values(run: Research) -> dict[str, Any]:
    """Returns the row of a run."""
    limited = run.bounds.limited_to
    return progress_values(run) | {
        "research_id": run.research_id,
        "organisation_id": run.organisation_id,
        "principal": run.principal_id,
        "bounds": {
            "key_id": run.bounds.key_id,
            "limited_to": None if limited is None else sorted(limited),
            "ceiling": run.bounds.ceiling.value,
        },
        "question": run.question,
        "start_url": run.start_url,
        "hosts": list(run.hosts),
        "scope_id": run.scope_id,
        "asked": list(run.asked),
        "chat_id": run.chat_id,
        "budget": asdict(run.budget),
        "created_at": run.created_time,
        "claimed_until": None,
        "keep_days": run.keep_days,
        "dropped_at": run.dropped_time,
    }


def research_of(row: Row[Any]) -> Research:
    """Returns the run of a row."""
    limited = row.bounds["limited_to"]
    return Research(
        research_id=ResearchId(row.research_id),
        organisation_id=row.organisation_id,
        principal_id=row.principal,
        bounds=WatchBounds(
            key_id=row.bounds["key_id"],
            limited_to=None if limited is None else frozenset(map(ScopeId, limited)),
            ceiling=ScopeRole(row.bounds["ceiling"]),
        ),
        question=row.question,
        start_url=row.start_url,
        hosts=tuple(row.hosts),
        scope_id=ScopeId(row.scope_id),
        asked=tuple(map(ScopeId, row.asked)),
        chat_id=ChatId(row.chat_id),
        budget=ResearchBudget(**row.budget),
        state=ResearchState(row.state),
        stopped=StopReason(row.stopped),
        message=row.message,
        pages=tuple(ResearchPage(**page) for page in row.pages),
        steps=tuple(_step_of(step) for step in row.steps),
        passed=tuple(_passed_of(page) for page in row.passed),
        job_id=JobId(row.job_id),
        jobs=tuple(map(JobId, row.jobs)),
        fetched_bytes=row.fetched_bytes,
        turn=row.turn,
        created_time=row.created_at,
        ended_time=row.ended_at,
        keep_days=row.keep_days,
        dropped_time=row.dropped_at,
    )


def _step_values(step: ResearchStep) -> dict[str, Any]:
    return asdict(step) | {"stopped": step.stopped.value, "time": step.time.isoformat()}


def _step_of(values: dict[str, Any]) -> ResearchStep:
    told = values | {
        "missing_words": tuple(values["missing_words"]),
        "stopped": StopReason(values["stopped"]),
        "time": datetime.fromisoformat(values["time"]),
    }
    return ResearchStep(**told)


def _passed_of(values: dict[str, Any]) -> PassedPage:
    return PassedPage(**values | {"until": datetime.fromisoformat(values["until"])})
