"""A board a role, made from the declarations of its metrics: whatever is declared is shown."""

from collections.abc import Iterator

from scops.common.contract.roles import Role
from scops.common.observe.metrics import Declaration, declarations
from tools.watch.panels import Board, Panel, quantile, rate

EVERYBODY = frozenset(Role)
# What processes of several roles have, by the beginning of its name, and which roles have it.
SHARED: dict[str, tuple[tuple[str, ...], frozenset[Role]]] = {
    "Process": (("scops_ready", "scops_check_", "scops_loop_", "scops_clock_"), EVERYBODY),
    "Messages": (
        (
            "scops_bus_ack_",
            "scops_bus_consum",
            "scops_bus_dead_",
            "scops_bus_handling_",
            "scops_bus_oldest_",
            "scops_bus_pending",
            "scops_bus_redelivered_",
            "scops_bus_stream_",
        ),
        EVERYBODY - {Role.RETRIEVER, Role.EXPLAINER},
    ),
    "Publications": (("scops_bus_publish",), EVERYBODY - {Role.RETRIEVER}),
    "Outbox": (("scops_outbox_",), frozenset({Role.FETCHER, Role.GATEWAY})),
    "Questions of other roles": (("scops_query_",), EVERYBODY - {Role.EXTRACTOR, Role.GATEWAY}),
    "Child processes": (("scops_child_",), frozenset({Role.FETCHER, Role.EXTRACTOR})),
    "Archive": (
        ("scops_archive_",),
        frozenset({Role.FETCHER, Role.EXTRACTOR, Role.CHANGE_DETECTOR}),
    ),
    "Stores": (
        ("scops_store_", "scops_database_"),
        EVERYBODY - {Role.EXTRACTOR, Role.RETRIEVER, Role.EXPLAINER},
    ),
}
# What one process tells of all is not to be summed over replicas.
GAUGES_BY_INSTANCE = ("scops_ready", "scops_clock_skew_seconds")
UNITS = {"seconds": "s", "bytes": "bytes"}
RATES = {"bytes": "Bps"}


def role_boards() -> Iterator[Board]:
    """Yields the board of every role."""
    for role in Role:
        prefix = f"scops_{role.value.replace('-', '_')}_"
        rows = {"Its work": _panels((prefix,), "")}
        for title, (prefixes, roles) in SHARED.items():
            if role in roles:
                rows[title] = _panels(prefixes, role.value)
        yield Board(role.value, role.value, rows)


def _panels(prefixes: tuple[str, ...], role: str) -> tuple[Panel, ...]:
    return tuple(
        _panel(entry, _where(entry, role))
        for entry in declarations()
        if entry.name.startswith(prefixes)
    )


def _where(entry: Declaration, role: str) -> str:
    """Returns the selector of a role: of its durables, which its neighbours show too."""
    if not role:
        return ""
    return f'{{consumer="{role}"}}' if "consumer" in entry.labels else f'{{role="{role}"}}'


def _panel(entry: Declaration, where: str) -> Panel:
    """Returns the panel of a metric: rates of counters, 95th percentiles, largest gauges."""
    labels = tuple(label for label in entry.labels if label not in ("consumer", "role"))
    title = _title(entry.name)
    meaning = f"{entry.meaning} `{entry.name}`"
    by, legend = ", ".join(labels), " ".join(f"{{{{{label}}}}}" for label in labels)
    if entry.kind == "counter":
        line = (legend or "all", rate(entry.name, by, where=where))
        return Panel(title, RATES.get(entry.unit, "ops"), (line,), meaning)
    if entry.kind == "histogram":
        line = (f"p95 {legend}".strip(), quantile(entry.name, by, where=where))
        unit = UNITS.get(entry.unit, "none")
        return Panel(f"{title}, p95", unit, (line,), meaning, exemplars=True)
    shown = (*labels, "instance") if entry.name in GAUGES_BY_INSTANCE else labels
    grouped = f"max by ({', '.join(shown)})" if shown else "max"
    legend = " ".join(f"{{{{{label}}}}}" for label in shown) or "largest"
    line = (legend, f"{grouped} ({entry.name}{where})")
    return Panel(title, UNITS.get(entry.unit, "none"), (line,), meaning)


def _title(name: str) -> str:
    """Returns words for a metric: `scops_fetcher_open_jobs` is "Open jobs"."""
    words = name.removeprefix("scops_").removesuffix("_total").removesuffix("_seconds")
    for room in ("bus", *Role):
        words = words.removeprefix(f"{room.replace('-', '_')}_")
    return words.replace("_", " ").capitalize()
