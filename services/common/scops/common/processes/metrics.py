"""Metrics of child processes."""

from scops.common.observe.metrics import counter, histogram

TASK_SECONDS = histogram(
    "scops_child_task_seconds",
    unit="seconds",
    labels=("task",),
    meaning="Time from handing a task to a child process to its answer, by function.",
)
CHILDREN_REPLACED = counter(
    "scops_child_replaced_total",
    unit="processes",
    labels=("cause",),
    meaning="Child processes replaced: timeout, crash, cancelled, tasks, memory, outdated, closed.",
)
