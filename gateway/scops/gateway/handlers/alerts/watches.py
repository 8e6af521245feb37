"""Use cases of the WatchService: each watch is its maker's own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scops.common.access.principal import LOCAL
from scops.common.contract.errors import InvalidInput, NotFound, NotPermitted, QuotaReached
from scops.common.contract.ids import PageId, ScopeId, uuid7
from scops.common.contract.messages.change import NewsPlace
from scops.gateway.calls import Call
from scops.gateway.handlers.alerts.looking import readable_scope
from scops.gateway.handlers.alerts.owners import owner_of
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import checked_page_size
from scops.gateway.requests.names import watch_name
from scops.gateway.watches.condition import check_condition
from scops.gateway.watches.message import AlertMessage
from scops.gateway.watches.ports import not_offered
from scops.gateway.watches.schedule import WatchSchedule, check_schedule
from scops.gateway.watches.sealing import AlertTarget
from scops.gateway.watches.sender import AlertSender
from scops.gateway.watches.signature import new_secret
from scops.gateway.watches.watch import (
    ALL_PAGES,
    AlertDelivery,
    TargetKind,
    Watch,
    WatchBounds,
    WatchCondition,
    WatchId,
    WatchState,
)

ENTROPY_BYTES = 10
NAME_CHARACTERS_MAX = 200
DELIVERIES_SHOWN = 20
FIELDS = ("display_name", "condition", "schedule", "target", "paused")


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedWatch:
    """A watch as its maker wants it.

    Attributes:
        address: empty where the target stays what it is.
    """

    display_name: str
    scope_id: ScopeId | None
    page_id: PageId | None
    condition: WatchCondition
    schedule: WatchSchedule
    kind: TargetKind
    address: str
    paused: bool


@dataclass(frozen=True, slots=True)
class TestedWatch:
    """How a test went."""

    delivery_id: str
    failure: str

    @property
    def delivered(self) -> bool:
        """Whether the receiver has it."""
        return not self.failure


async def create_watch(
    ports: GatewayPorts, call: Call, *, wanted: WantedWatch
) -> tuple[Watch, str]:
    """Makes a watch, and returns it with the secret that its receiver checks signatures by.

    Raises:
        InvalidInput: a part of it cannot be used, or nothing is sent there from here.
        NotFound: there is no such scope or page, or it is hidden.
        QuotaReached: the caller has as many as each may have.
    """
    if (wanted.scope_id is None) == (wanted.page_id is None):
        raise InvalidInput(
            "A watch is about a scope or a page; name one of them.",
            reason="SCOPE_OR_PAGE",
            field="watch.scope",
        )
    _check(wanted)
    _check_recipient(ports, call, wanted.kind, wanted.address)
    secret = new_secret(ports.identity.chance) if wanted.kind is TargetKind.WEBHOOK else ""
    shown, sealed = _sealed(ports, wanted.kind, wanted.address, secret)
    now, principal = ports.clock.now(), call.principal
    watch = Watch(
        watch_id=WatchId(uuid7(now, ports.random.randbytes(ENTROPY_BYTES))),
        organisation_id=principal.organisation_id,
        principal_id=principal.principal_id,
        display_name=wanted.display_name,
        scope_id=wanted.scope_id or ScopeId(""),
        page_id=wanted.page_id or ALL_PAGES,
        condition=wanted.condition,
        schedule=wanted.schedule,
        kind=wanted.kind,
        shown_address=shown,
        sealed=sealed,
        bounds=WatchBounds(
            key_id=call.key.key_id if call.key is not None else "",
            limited_to=principal.limited_to,
            ceiling=principal.ceiling,
        ),
        state=WatchState.PAUSED if wanted.paused else WatchState.ACTIVE,
        created_time=now,
        updated_time=now,
        place=NewsPlace(recorded_time=now),
        due_time=wanted.schedule.due_after(now),
    )
    await _check_readable(ports, call, watch)
    limit = 0 if principal.principal_id == LOCAL else ports.alerts.watches_max
    if not await ports.alerts.store.create(watch, limit=limit):
        raise QuotaReached(
            f"{principal.principal_id} has {limit} watches, as many as each caller may have here. "
            "Delete one that is not needed, and repeat this then.",
            reason="WATCH_QUOTA_REACHED",
            limit=str(limit),
        )
    return watch, secret


async def get_watch(
    ports: GatewayPorts, call: Call, *, watch_id: str
) -> tuple[Watch, tuple[AlertDelivery, ...]]:
    """Returns a watch of the caller's, and its newest deliveries.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    watch = await _own(ports, call, watch_id)
    return watch, await ports.alerts.store.deliveries(watch.watch_id, limit=DELIVERIES_SHOWN)


async def list_watches(
    ports: GatewayPorts, call: Call, *, page_size: int, page_token: str
) -> tuple[tuple[Watch, ...], str]:
    """Returns some of the caller's watches, newest first, and the next token.

    There may be fewer than asked for, even none, with a token.
    """
    size, principal = checked_page_size(page_size), call.principal
    bound_to = ("ListWatches", principal.organisation_id, principal.principal_id)
    found = await ports.alerts.store.newest(
        principal.organisation_id,
        principal.principal_id,
        before=await ports.tokens.open(page_token, bound_to=bound_to),
        limit=size + 1,
    )
    cursor = found[size - 1].watch_id if len(found) > size else ""
    shown = tuple(watch for watch in found[:size] if _is_shown(call, watch))
    return shown, await ports.tokens.seal(cursor, bound_to=bound_to)


async def update_watch(
    ports: GatewayPorts, call: Call, *, watch_id: str, wanted: WantedWatch, mask: Sequence[str]
) -> Watch:
    """Changes the fields that the mask names; a watch that is not to be paused sends again.

    Raises:
        InvalidInput: the mask or the changed watch cannot be used.
        NotFound: there is no such watch, or it is somebody else's.
    """
    unknown = sorted(set(mask) - set(FIELDS))
    if unknown or not mask:
        raise InvalidInput(
            f"The update_mask names {', '.join(unknown) or 'nothing'}. Use some of "
            f"{', '.join(FIELDS)}.",
            reason="MASK_UNUSABLE",
            field="update_mask",
        )
    _check(wanted)
    watch = await _own(ports, call, watch_id)
    changed = replace(
        watch,
        updated_time=ports.clock.now(),
        **{name: getattr(wanted, name) for name in mask if name in FIELDS[:3]},
    )
    if "target" in mask:
        _check_recipient(ports, call, wanted.kind, wanted.address)
        changed = _with_target(ports, changed, wanted)
    kept = await ports.alerts.store.change(
        changed,
        paused=wanted.paused if "paused" in mask else None,
        place=NewsPlace(recorded_time=changed.updated_time),
    )
    if kept is None:
        raise _not_found(watch_id)
    ports.alerts.wakeup.notify()
    return kept


async def delete_watch(ports: GatewayPorts, call: Call, *, watch_id: str) -> None:
    """Deletes a watch of the caller's with all that waits for it.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    watch = await _own(ports, call, watch_id)
    if not await ports.alerts.store.delete(watch.watch_id):
        raise _not_found(watch_id)


async def test_watch(ports: GatewayPorts, call: Call, *, watch_id: str) -> TestedWatch:
    """Sends a message without changes, and returns how that went; nothing else follows from it.

    Raises:
        NotFound: there is no such watch, or it is somebody else's.
        SecretUnreadable: its target was encrypted with a key that is not here.
    """
    watch = await _own(ports, call, watch_id)
    now = ports.clock.now()
    message = AlertMessage(
        delivery_id=uuid7(now, ports.random.randbytes(ENTROPY_BYTES)),
        watch=watch,
        alerts=(),
        sent_time=now,
        web_url=ports.alerts.web_url,
    )
    target = ports.alerts.seal.open(watch.sealed)
    result = await _sender(ports, watch.kind).send(message, target)
    return TestedWatch(delivery_id=message.delivery_id, failure=result.failure)


async def _own(ports: GatewayPorts, call: Call, watch_id: str) -> Watch:
    watch = await ports.alerts.store.get(WatchId(watch_id))
    principal = call.principal
    is_own = (
        watch is not None
        and watch.organisation_id == principal.organisation_id
        and watch.principal_id == principal.principal_id
        and _is_shown(call, watch)
    )
    if watch is None or not is_own:
        raise _not_found(watch_id)
    return watch


def _is_shown(call: Call, watch: Watch) -> bool:
    """Returns whether a caller's credential reaches a watch of theirs.

    One that is for some scopes reaches what such a one has made for no more.
    """
    reached = call.principal.limited_to
    made_for = watch.bounds.limited_to
    return reached is None or (made_for is not None and made_for <= reached)


async def _check_readable(ports: GatewayPorts, call: Call, watch: Watch) -> None:
    """Checks that a watch has something to read: for its maker, and by what is kept of them.

    Raises:
        InvalidInput: its maker may read it by what their token alone says.
        NotFound: there is no such scope or page, or it is hidden.
        NotPermitted: the caller may see the scope, and not read its pages.
    """
    await readable_scope(ports, call, watch)
    owner = await owner_of(ports, watch)
    try:
        if owner is not None:
            await readable_scope(ports, replace(call, principal=owner), watch)
            return
    except (NotFound, NotPermitted):
        pass
    raise InvalidInput(
        "You may read this by what your token says of you, such as its groups, which is not kept "
        "here; a watch goes on while you are away. Have the scope shared with you by name, or "
        "with a group that is kept here, and repeat this.",
        reason="WATCH_NOT_READABLE",
        field="watch.scope",
    )


def _check(wanted: WantedWatch) -> None:
    check_condition(wanted.condition)
    check_schedule(wanted.schedule)
    if len(wanted.display_name) > NAME_CHARACTERS_MAX:
        raise InvalidInput(
            f"A watch has a name of at most {NAME_CHARACTERS_MAX} characters.",
            reason="NAME_TOO_LONG",
            field="watch.display_name",
        )


def _check_recipient(ports: GatewayPorts, call: Call, kind: TargetKind, address: str) -> None:
    """Checks that e-mail goes to the caller, or to where their operator lets it go.

    Raises:
        InvalidInput: it would go to somebody else.
    """
    principal, wanted = call.principal, address.lower()
    domain = wanted.rpartition("@")[2]
    is_own = principal.principal_id == LOCAL or wanted == principal.email
    if kind is TargetKind.EMAIL and not is_own and domain not in ports.alerts.mail_domains:
        raise InvalidInput(
            "Alerts by e-mail go to the address that your issuer confirmed"
            f"{f', {principal.email},' if principal.email else ''} or to domains that the "
            "operator names in SCOPS_GATEWAY_MAIL_DOMAINS.",
            reason="RECIPIENT_REFUSED",
            field="watch.target.address",
        )


def _with_target(ports: GatewayPorts, watch: Watch, wanted: WantedWatch) -> Watch:
    """Returns a watch that sends elsewhere, signed as before where it is a webhook."""
    if wanted.kind is not watch.kind:
        raise InvalidInput(
            f"This watch sends by {watch.kind.value}. Make another one that sends by "
            f"{wanted.kind.value}.",
            reason="TARGET_KIND_FIXED",
            field="watch.target.kind",
        )
    secret = ports.alerts.seal.open(watch.sealed).secret
    shown, sealed = _sealed(ports, watch.kind, wanted.address, secret)
    return replace(watch, shown_address=shown, sealed=sealed)


def _sealed(ports: GatewayPorts, kind: TargetKind, address: str, secret: str) -> tuple[str, bytes]:
    """Returns a target as it is shown and as it is kept."""
    shown = _sender(ports, kind).check(address)
    return shown, ports.alerts.seal.seal(AlertTarget(address=address, secret=secret))


def _sender(ports: GatewayPorts, kind: TargetKind) -> AlertSender:
    sender = ports.alerts.senders.get(kind)
    if sender is None:
        raise not_offered(kind)
    return sender


def _not_found(watch_id: str) -> NotFound:
    return NotFound(
        f"{watch_name(watch_id)} was not found, or is not yours. List the watches to see which "
        "there are.",
        reason="WATCH_NOT_FOUND",
        field="name",
    )
