"""Tasks: functions from byte strings to byte strings that a child process finds by name."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from scops.common.contract.errors import PermanentError

Parts = tuple[bytes, ...]
TaskFunction = Callable[[Parts], Parts]

TIMEOUT, OUT_OF_MEMORY = "TASK_TIMEOUT", "TASK_OUT_OF_MEMORY"
CRASHED, ERROR = "TASK_CRASHED", "TASK_ERROR"


class TaskFailed(PermanentError):
    """A task could not be done with what it was given, and would not be next time either.

    Reasons: `TASK_TIMEOUT`, `TASK_OUT_OF_MEMORY`, `TASK_CRASHED`, `TASK_ERROR`.
    """

    default_reason = ERROR


@dataclass(frozen=True, slots=True)
class ChildTask:
    """The name of a function of a module, which only the child imports.

    The function depends on its parts alone, reads no setting and no environment, and its answer
    is read by a decoder that takes any bytes.
    """

    module: str
    function: str

    @property
    def name(self) -> str:
        """How frames and metrics name it."""
        return f"{self.module}:{self.function}"

    @classmethod
    def named(cls, name: str) -> "ChildTask":
        """Returns the task of a name."""
        module, _, function = name.partition(":")
        return cls(module, function)

    def load(self) -> TaskFunction:
        """Imports the function."""
        return cast(TaskFunction, getattr(import_module(self.module), self.function))
