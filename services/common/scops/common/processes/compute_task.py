"""The task that runs a function of ours: its name and its arguments in, JSON out."""

import pickle
from collections.abc import Callable
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter

from scops.common.processes.tasks import ChildTask, Parts


def compute(parts: Parts) -> Parts:
    """Returns what a function of ours makes of arguments that the owner pickled.

    It is JSON, or the byte strings themselves where the function gives `Parts`.
    """
    name, arguments = parts
    work: Callable[..., Any] = ChildTask.named(name.decode()).load()
    # The owner wrote them: they come from the process that started this one.
    found = work(*pickle.loads(arguments))
    return found if gives_parts(work) else (result_type(work).dump_json(found),)


@cache
def gives_parts(work: Callable[..., Any]) -> bool:
    """Returns whether a function gives byte strings, which need no form of their own."""
    given: bool = get_type_hints(work)["return"] == Parts
    return given


@cache
def result_type(work: Callable[..., Any]) -> TypeAdapter[Any]:
    """Returns how the result of a function is written and read, by its annotation."""
    return TypeAdapter(get_type_hints(work)["return"])
