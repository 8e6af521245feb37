"""The scope that a caller's runs on a host, or on the same several, have in common."""

import hashlib
from collections.abc import Sequence
from urllib.parse import urlsplit

from scops.common.access.permissions import Permission
from scops.common.contract.errors import AlreadyExists, InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Boundary, Scope
from scops.common.scope.urls import canonical_url
from scops.gateway.calls import Call
from scops.gateway.handlers.research.dropping import drop
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.handlers.scopes import create_scope
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import about_field
from scops.gateway.research.keeping import HELD, ScopeKeeping
from scops.gateway.research.research import Research
from scops.gateway.scopes.scope_check import checked_scope
from scops.gateway.scopes.stored_scope import StoredScope, new_scope

# Beside that of the start.
HOSTS_MAX = 20
# Of the id and of the name that it is shown by.
HOST_CHARACTERS_MAX, NAME_CHARACTERS_MAX = 40, 160


def checked_hosts(ports: GatewayPorts, hosts: Sequence[str], *, url: str) -> tuple[str, ...]:
    """Returns hosts as they stand in URLs, each once, without the one that a run starts from.

    Args:
        hosts: names, with a port where it is not the usual one.
        url: that the run starts from.

    Raises:
        InvalidInput: there are too many, one is no host, or it may not be crawled.
    """
    if len(hosts) > HOSTS_MAX:
        raise InvalidInput(
            f"The research names {len(hosts)} hosts; at most {HOSTS_MAX} are taken. Create a "
            "scope with rules for them, and look further in it.",
            reason="TOO_MANY_HOSTS",
            field="research.hosts",
        )
    start = urlsplit(url)
    checked = []
    for index, host in enumerate(hosts):
        field = f"research.hosts[{index}]"
        with about_field(field):
            root = canonical_url(f"{start.scheme}://{host.strip()}/")
        found = urlsplit(root)
        if found.path != "/" or found.query or "*" in found.netloc:
            raise InvalidInput(
                f"{host[:200]!r} is no host. Name one as it stands in URLs, such as "
                "docs.example.org or localhost:8080.",
                reason="HOST_INVALID",
                field=field,
            )
        ports.hosts.check(root, field=field)
        checked.append(found.netloc)
    return tuple(host for host in dict.fromkeys(checked) if host != start.netloc)


async def own_scope(
    ports: GatewayPorts, call: Call, *, url: str, hosts: Sequence[str], keep_days: int | None
) -> Scope:
    """Returns the caller's scope of these hosts, made where there is none.

    Args:
        url: that a run starts from.
        hosts: beside that of the URL.
        keep_days: that one is kept which is made; None for good.

    Raises:
        NotPermitted: the caller may have no pages fetched in it any more.
        QuotaReached: the caller would own more scopes than each may.
    """
    wanted = _wanted(url, hosts)
    scope_id = _scope_id(call, (urlsplit(url).netloc, *hosts))
    if await _standing(ports, call, scope_id) is not None:
        return (await scope_for(ports, call, scope_id, Permission.REVALIDATE)).scope
    wish = None
    if keep_days is not None:
        # Noted before it is made: a scope of which nothing is noted is kept.
        wish = ScopeKeeping(
            organisation_id=call.principal.organisation_id,
            scope_id=scope_id,
            principal_id=call.principal.principal_id,
            keep_days=keep_days,
            due_time=ports.clock.now() + HELD,
        )
    is_noted = wish is not None and await ports.research.wish(wish)
    try:
        stored = await create_scope(ports, call, scope_id=scope_id, wanted=wanted, request_id="")
    except AlreadyExists:
        # By a run that began at the same time, which may have wished to keep it.
        if wish is not None and is_noted:
            await ports.research.let_stand(wish)
        return (await scope_for(ports, call, scope_id, Permission.REVALIDATE)).scope
    return stored.scope


def scope_that_was(run: Research) -> Scope:
    """Returns the scope that a run made for itself, as it was until it was dropped."""
    wanted = _wanted(run.start_url, run.hosts)
    made = new_scope(
        run.scope_id, wanted, organisation_id=run.organisation_id, owner=run.principal_id
    )
    return checked_scope(made)


async def _standing(ports: GatewayPorts, call: Call, scope_id: ScopeId) -> StoredScope | None:
    """Returns a scope that is not dropped for a while; None where there is none, or no more."""
    organisation_id = call.principal.organisation_id
    stored = await ports.scopes.get(organisation_id, scope_id)
    until = ports.clock.now() + HELD
    held = await ports.research.hold(organisation_id, scope_id, until=until)
    if held is None or not held.is_dropping:
        return stored
    await drop(ports, held, stored)
    return await ports.scopes.get(organisation_id, scope_id)


def _wanted(url: str, hosts: Sequence[str]) -> Scope:
    start = urlsplit(url)
    reach = (start.netloc, *hosts)
    return Scope(
        name=f"Research: {', '.join(reach)}"[:NAME_CHARACTERS_MAX],
        seeds=tuple(f"{start.scheme}://{host}/" for host in reach),
        boundary=Boundary.HOST,
        # A run fetches what it needs; whoever wants the pages fresh gives the scope a budget.
        recrawl_per_day=-1,
    )


def _scope_id(call: Call, reach: Sequence[str]) -> ScopeId:
    """Returns the id of the scope that a caller's runs on some hosts have in common."""
    hosts = sorted(reach)
    name = "".join(one if one.isalnum() and one.isascii() else "-" for one in hosts[0])
    whose = "\n".join((call.principal.organisation_id, call.principal.principal_id, *hosts))
    digest = hashlib.sha256(whose.encode()).hexdigest()[:8]
    return ScopeId(f"research-{name.lower()[:HOST_CHARACTERS_MAX].strip('-')}-{digest}")
