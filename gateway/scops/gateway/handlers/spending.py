"""What calls cost their callers in a day, and what they are told when nothing is left."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from scops.common.access.permissions import Permission
from scops.common.access.principal import LOCAL, Principal
from scops.common.contract.errors import ResourceExhausted
from scops.common.contract.messages.explanation import (
    AnswerMode,
    AnswerRequest,
    AnswerResponse,
    ModelUse,
)
from scops.common.contract.messages.types import Scope
from scops.common.scope.limits import PAGE_LIMIT_DEFAULT
from scops.gateway.access.installation import check_installation
from scops.gateway.calls import Call
from scops.gateway.jobs.job import Job
from scops.gateway.ports import GatewayPorts
from scops.gateway.quotas.daily import (
    MILLION,
    Charge,
    Spending,
    day_of,
    next_day,
    used_up,
)
from scops.gateway.quotas.held import held_by
from scops.gateway.scopes.grants import checked_subject

NOTHING_LEFT = "Today's quota for language models is used up; sentences of the pages are quoted."


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaUse:
    """One quota of a principal.

    Attributes:
        name: `scopes`, `rules`, `pages`, `recrawls`, or a kind of spending.
        limit: 0 where there is none.
        used: of what is held, or spent today.
        reset_time: when what was spent is forgotten; None for what is held.
    """

    name: str
    limit: int
    used: int
    reset_time: datetime | None = None


async def charged_job(
    ports: GatewayPorts, principal: Principal, job: Job, scope: Scope
) -> tuple[Job, Charge | None]:
    """Returns a job with what its owner spends on it.

    A crawl that names no limit of its own gets what is left of the day.

    Raises:
        ResourceExhausted: nothing is left to fetch today.
    """
    now, quotas = job.created_time, ports.daily_quotas
    wanted = len(job.urls) or job.page_limit or scope.page_limit or PAGE_LIMIT_DEFAULT
    if principal.principal_id != LOCAL and (quotas.fetches or quotas.bytes):
        spent = await _spent(ports, principal, now)
        for kind in (Spending.FETCHES, Spending.BYTES):
            quotas.check_left(principal, kind, spent, now=now)
        if quotas.fetches and not job.urls and not job.page_limit:
            wanted = min(wanted, quotas.fetches - spent.get(Spending.FETCHES, 0))
            job = replace(job, page_limit=wanted)
    return job, quotas.charge(principal, Spending.FETCHES, wanted, now=now)


async def charge_answer(
    ports: GatewayPorts, call: Call, question: AnswerRequest, *, checks: bool
) -> AnswerRequest:
    """Spends what is known of an answer beforehand; returns the question as it may be asked.

    A question that leaves open who words its answer is answered without a model where nothing is
    left for one.

    Args:
        checks: whether pages are checked first.

    Raises:
        ResourceExhausted: nothing is left today.
    """
    now, quotas, principal = ports.clock.now(), ports.daily_quotas, call.principal
    if quotas.model_cost and question.mode is not AnswerMode.EXTRACTIVE:
        spent = await _spent(ports, principal, now)
        if question.mode is AnswerMode.UNSPECIFIED:
            left = quotas.model_cost - spent.get(Spending.MODEL_COST, 0)
            if left <= 0 and principal.principal_id != LOCAL:
                question = replace(question, mode=AnswerMode.EXTRACTIVE)
        else:
            quotas.check_left(principal, Spending.MODEL_COST, spent, now=now)
    if checks:
        charge = quotas.charge(principal, Spending.CHECKED_ANSWERS, 1, now=now)
        if charge is not None and not await ports.usage.spend(charge):
            raise await no_room(ports, charge, now=now)
    return question


async def no_room(ports: GatewayPorts, charge: Charge, *, now: datetime) -> ResourceExhausted:
    """Returns the error of a charge that its day has no room for."""
    spent = await ports.usage.spent(charge.organisation_id, charge.principal_id, charge.day)
    kind, held = charge.kind, spent.get(charge.kind, 0)
    return used_up(kind, limit=charge.limit, held=held, now=now, wanted=charge.amount)


async def charge_model(
    ports: GatewayPorts,
    call: Call,
    response: AnswerResponse,
    *,
    wanted: AnswerRequest,
    asked: AnswerRequest,
) -> AnswerResponse:
    """Spends what a model cost for an answer, and says where none was asked for want of money.

    Args:
        wanted, asked: the question as the caller put it, and as `charge_answer` returned it.
    """
    if asked.mode is not wanted.mode:
        return replace(response, model=response.model or ModelUse(fallback_reason=NOTHING_LEFT))
    cost = round(MILLION * response.model.cost) if response.model is not None else 0
    charge = ports.daily_quotas.charge(
        call.principal, Spending.MODEL_COST, cost, now=ports.clock.now()
    )
    if cost and charge is not None:
        # It has been spent, whatever is left.
        await ports.usage.spend(replace(charge, limit=0))
    return response


async def get_quotas(ports: GatewayPorts, call: Call, *, principal: str) -> tuple[QuotaUse, ...]:
    """Returns what a principal holds and has spent today, with their quotas.

    Args:
        principal: empty for the caller.

    Raises:
        InvalidInput: it names nobody.
        NotPermitted: they are another, and the caller may not look after quotas.
    """
    caller, now = call.principal, ports.clock.now()
    whose = caller.principal_id
    if principal and principal != whose:
        check_installation(caller, Permission.READ_QUOTAS)
        whose = checked_subject(principal, field="principal", groups=False)
    stored = await ports.scopes.all(caller.organisation_id)
    held = held_by(one.scope for one in stored if one.scope.owner == whose)
    spent = await ports.usage.spent(caller.organisation_id, whose, day_of(now))
    bounded = whose != LOCAL
    return (
        *(
            QuotaUse(name=name, limit=bounded * getattr(ports.held_quotas, name), used=used)
            for name, used in held.items()
        ),
        *(
            QuotaUse(
                name=kind.value,
                limit=bounded * ports.daily_quotas.limit(kind),
                used=spent.get(kind, 0),
                reset_time=next_day(now),
            )
            for kind in Spending
        ),
    )


async def _spent(
    ports: GatewayPorts, principal: Principal, now: datetime
) -> Mapping[Spending, int]:
    return await ports.usage.spent(principal.organisation_id, principal.principal_id, day_of(now))
