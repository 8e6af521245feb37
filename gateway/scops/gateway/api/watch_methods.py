"""The methods of the public API about watches, as rows."""

from typing import Any

from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import Message

from scops.api.v1alpha1 import watch_service_pb2 as protos
from scops.common.access.permissions import Permission
from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import ChangeClass
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.arguments import results
from scops.gateway.api.method import Method
from scops.gateway.handlers.alerts import watches
from scops.gateway.handlers.alerts.watches import FIELDS, WantedWatch
from scops.gateway.requests.names import PAGES, SCOPES, watch_of
from scops.gateway.watches.schedule import Every, WatchSchedule
from scops.gateway.watches.watch import News, TargetKind, WatchCondition

# Those of an edit that is one.
CLASSES = ("format", "moved", "lexical", "critical")


def _wanted(message: protos.Watch) -> WantedWatch:
    """Returns a watch as its maker sends it.

    Raises:
        InvalidInput: a word of it is none that this version knows, or a name has another form.
    """
    return WantedWatch(
        display_name=message.display_name,
        scope_id=SCOPES.optional_id_of(message.scope, "watch.scope"),
        page_id=PAGES.optional_id_of(message.page, "watch.page"),
        condition=_condition(message.condition),
        schedule=_schedule(message.schedule),
        kind=TargetKind(_known(message.target, "kind")),
        address=message.target.address,
        paused=message.paused,
    )


def _condition(message: protos.WatchCondition) -> WatchCondition:
    unknown = sorted(set(message.news) - {news.value for news in News})
    if unknown:
        raise InvalidInput(
            f"There is no news {unknown[0][:40]!r}. Use added, changed, gone and error.",
            reason="NEWS_UNKNOWN",
            field="watch.condition.news",
        )
    return WatchCondition(
        news=frozenset(News(one) for one in message.news),
        counted_reasons=tuple(message.counted_reasons),
        ignored_reasons=tuple(message.ignored_reasons),
        with_noise=message.with_noise,
        salience_min=message.salience_min,
        words=tuple(message.words),
        change_classes=tuple(_class(word) for word in message.change_classes),
    )


def _class(word: str) -> ChangeClass:
    if word not in CLASSES:
        raise InvalidInput(
            f"There is no class of change {word[:40]!r}. Use {', '.join(CLASSES)}.",
            reason="CHANGE_CLASS_UNKNOWN",
            field="watch.condition.change_classes",
        )
    return ChangeClass(word)


def _schedule(message: protos.WatchSchedule) -> WatchSchedule:
    every = Every(_known(message, "every"))
    return WatchSchedule(
        every=Every.CHANGE if every is Every.UNSPECIFIED else every,
        time=message.time,
        weekday=message.weekday,
        time_zone=message.time_zone,
        quiet_from=message.quiet_from,
        quiet_to=message.quiet_to,
    )


def _known(message: Message, field: str) -> str:
    """Returns the word of an enum's value.

    Raises:
        InvalidInput: it is none that this version knows.
    """
    number: int = getattr(message, field)
    words = wire.enum_numbers(message.DESCRIPTOR.fields_by_name[field].enum_type)
    for word, known in words.items():
        if known == number:
            return word
    raise InvalidInput(
        f"The {field} {number} is unknown. Use one of {', '.join(words)}.",
        reason="VALUE_UNKNOWN",
        field=f"watch.{field}",
    )


def _mask(request: Any) -> tuple[str, ...]:
    named = tuple(request.update_mask.paths)
    if named:
        return named
    given = {field.name for field, _ in request.watch.ListFields()}
    return tuple(name for name in FIELDS if name in given)


def _named(request: Any) -> dict[str, Any]:
    return {"watch_id": watch_of(request.name)}


WATCH_METHODS: dict[ServiceDescriptor, tuple[Method, ...]] = {
    protos.DESCRIPTOR.services_by_name["WatchService"]: (
        Method(
            "CreateWatch",
            watches.create_watch,
            lambda request: {"wanted": _wanted(request.watch)},
            permissions=(Permission.ASK,),
            read_only=False,
        ),
        Method("GetWatch", watches.get_watch, _named, permissions=(Permission.ASK,)),
        Method("ListWatches", watches.list_watches, results, permissions=(Permission.ASK,)),
        Method(
            "UpdateWatch",
            watches.update_watch,
            lambda request: {
                "watch_id": watch_of(request.watch.name, field="watch.name"),
                "wanted": _wanted(request.watch),
                "mask": _mask(request),
            },
            permissions=(Permission.ASK,),
            read_only=False,
        ),
        Method(
            "DeleteWatch",
            watches.delete_watch,
            _named,
            permissions=(Permission.ASK,),
            read_only=False,
        ),
        Method(
            "TestWatch",
            watches.test_watch,
            _named,
            permissions=(Permission.ASK,),
            cost=CallCost.SEARCH,
            read_only=False,
        ),
    ),
}
