"""Logging: structlog events in the past tense, with data as keys, one line each on stderr."""

import logging
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from io import StringIO
from typing import Any, TextIO, cast

from scops.common.config.settings import CommonSettings
from scops.common.runtime.companions import without
from scops.common.text.addresses import without_userinfo
from scops.common.text.printable import printable

# For pretty tracebacks, which would print page texts, and for Twisted's log: 6 MB.
with without("rich", "better_exceptions", "twisted"):
    import structlog
    from structlog.typing import FilteringBoundLogger, Processor

# Libraries speak only when something is wrong.
LIBRARY_LEVEL = logging.WARNING
NO_IDS: Mapping[str, str] = {}
# One variable for all of them: they are bound for every message.
_ids: ContextVar[Mapping[str, str]] = ContextVar("ids", default=NO_IDS)


def get_logger(name: str) -> FilteringBoundLogger:
    """Returns a logger; its events carry the ids bound by `bound_ids`."""
    return cast(FilteringBoundLogger, structlog.get_logger(component=name))


def configure_logging(common: CommonSettings, stream: TextIO | None = None) -> None:
    """Sets up the log of a process; called once, at the process edge.

    Args:
        stream: where lines go; standard error when omitted.
    """
    target = stream or sys.stderr
    level = logging.getLevelNamesMapping()[common.log_level.upper()]
    processors = [*_shared_processors(), *_renderers(common, target)]
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(target),
        cache_logger_on_first_use=True,
    )
    _route_libraries(target, processors)


@contextmanager
def bound_ids(**ids: str) -> Iterator[None]:
    """Binds ids to every event logged inside; empty ones are left out."""
    token = _ids.set({**_ids.get(), **{name: value for name, value in ids.items() if value}})
    try:
        yield
    finally:
        _ids.reset(token)


def _with_ids(logger: Any, method: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
    return {**_ids.get(), **event}


def _shared_processors() -> list[Processor]:
    return [
        _with_ids,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _printable(
    logger: Any, method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Makes every value of an event printable, on one line but for tracebacks; no password."""
    for name, value in event.items():
        event[name] = printable_value(value, lines=name in ("exception", "stack"))
    return event


def printable_value(value: Any, *, lines: bool = False) -> Any:
    """Returns a value of an event with every text in it made printable; `printable` has `lines`."""
    if isinstance(value, str):
        return without_userinfo(printable(value, lines=lines))
    if isinstance(value, Mapping):
        return {printable_value(key): printable_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [printable_value(each) for each in value]
    return value


def _plain_traceback(target: TextIO, error: Any) -> None:
    """Writes a traceback; pretty ones print local variables, and with them page texts."""
    plain = StringIO()
    structlog.dev.plain_traceback(plain, error)
    target.write(without_userinfo(printable(plain.getvalue())))


def _renderers(common: CommonSettings, target: TextIO) -> list[Processor]:
    console = common.log_format == "console" or (common.log_format == "auto" and target.isatty())
    if console:
        return [
            _printable,
            structlog.dev.ConsoleRenderer(
                colors=target.isatty(), exception_formatter=_plain_traceback
            ),
        ]
    return [structlog.processors.format_exc_info, _printable, structlog.processors.JSONRenderer()]


def _route_libraries(target: TextIO, processors: list[Processor]) -> None:
    """Gives the standard library's records, which libraries write, the same form."""
    handler = logging.StreamHandler(target)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[_library_name, *_shared_processors()],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *processors[len(_shared_processors()) :],
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(LIBRARY_LEVEL)


def _library_name(
    logger: Any, method: str, event: "dict[str, Any] | Mapping[str, Any]"
) -> dict[str, Any]:
    record = event.get("_record")
    return {**event, "component": getattr(record, "name", "library")}
