"""Calls that are made again where waiting helps, by the client's published policy."""

import random
import time
from collections.abc import Callable
from typing import Any, TypeVar

from scops.client.attempts import ATTEMPTS_MAX, pause_seconds
from scops.client.errors import DeadlineExceeded, Exhausted, Unavailable
from scops.standalone.terminal.client import GatewayClient

Response = TypeVar("Response")


def ask(client: GatewayClient, method: Callable[..., Response], request: Any) -> Response:
    """Makes a call that may be made twice, until it is answered.

    Raises:
        scops.client.ScopsError: the last attempt failed, or no other one can help.
    """
    chance = random.Random()
    for number in range(1, ATTEMPTS_MAX):
        try:
            return client.call(method, request)
        except Exhausted as error:
            if error.retry_after is None:
                raise
            time.sleep(pause_seconds(error, number, chance))
        except (Unavailable, DeadlineExceeded) as error:
            time.sleep(pause_seconds(error, number, chance))
    return client.call(method, request)
