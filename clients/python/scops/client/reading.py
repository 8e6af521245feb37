"""Reads a stream in the thread that asks, as its plan says."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from scops.client.calls import Coming, Opening, Part, Pause, StreamPlan
from scops.client.errors import ScopsError


def read_parts(
    plan: StreamPlan,
    *,
    opening: Callable[[Opening], Any],
    renew: Callable[[], bool],
    failure: Callable[[Any], ScopsError],
) -> Iterator[Any]:
    """Yields the items of a stream, and ends what is open when its reader has enough.

    Args:
        opening: opens the stream, whose messages it returns.
        renew: gets a fresh credential; whether there is one.
        failure: makes an error of ours of what gRPC raised.

    Raises:
        ScopsError: as the plan has it.
    """
    import grpc

    opened: Any = None
    try:
        step = next(plan)
        while True:
            done: Any = None
            try:
                if isinstance(step, Part):
                    yield step.item
                elif isinstance(step, Opening):
                    _end(opened)
                    opened = opening(step)
                elif isinstance(step, Coming):
                    done = next(opened, None)
                elif isinstance(step, Pause):
                    time.sleep(step.seconds)
                else:
                    done = renew()
            except grpc.RpcError as error:
                step = plan.throw(failure(error))
            except ScopsError as error:
                step = plan.throw(error)
            else:
                step = plan.send(done)
    except StopIteration:
        return
    finally:
        _end(opened)


def _end(opened: Any) -> None:
    if opened is not None:
        opened.cancel()
