"""What a client keeps open: which gateway it asks, as whom, and for how long."""

import os
import random
import threading
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from scops.client.attempts import attempts
from scops.client.calls import Attempt, Call, Pause, Renewal, Streaming, StreamPlan
from scops.client.codec import write
from scops.client.login.credentials import Credential, find_credential
from scops.client.parts import parts
from scops.client.target import GatewayTarget, gateway_target
from scops.client.wire import REQUEST_ID, wire_method

# For one answer; a model may take its time.
TIMEOUT_SECONDS = 30.0


@dataclass
class Connection:
    """A gateway, and the credential that it is asked with.

    Attributes:
        given: a key or token that goes before those of the environment and of a saved login.
        channel: opened at the first call, in the thread or event loop that makes it.
    """

    target: GatewayTarget
    given: str = ""
    channel: Any = None
    chance: random.Random = field(default_factory=random.Random)
    _credential: Credential | None = None
    _is_looked_up: bool = False
    _turn: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def to(cls, address: str, *, token: str, ca: str) -> "Connection":
        """Returns a connection to the gateway that is named, or that the environment names.

        Raises:
            ScopsError: the address is none.
        """
        return cls(gateway_target(os.environ, server=address, ca=ca), token)

    @property
    def has_credential(self) -> bool:
        """Whether it is known what calls carry; to find out may take a while."""
        return self._is_looked_up

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Returns what calls carry; where a saved login has to be renewed for it, that blocks.

        Raises:
            ScopsError: the credential cannot be used, or would be readable on its way.
        """
        with self._turn:
            if not self._is_looked_up:
                self._credential = find_credential(self.target, os.environ, given=self.given)
                self._is_looked_up = True
            found = self._credential
        return (("authorization", f"Bearer {found.token}"),) if found is not None else ()

    def renew(self) -> bool:
        """Gets a fresh credential for one that was refused; False where there is no way to.

        Raises:
            ScopsError: the login has ended, or the issuer cannot be asked.
        """
        with self._turn:
            fresh = self._credential.renewed() if self._credential is not None else None
            if fresh is None:
                return False
            self._credential = fresh
            return True

    def attempts(
        self, call: Call, seconds: float
    ) -> Generator[Attempt | Pause | Renewal, Any, Any]:
        """Returns the attempts at a call, as the policy has them.

        Raises:
            ValueError: an instant names no time zone.
        """
        method = wire_method(call.service, call.method)
        harmless = call.is_harmless or method.changes_nothing or bool(call.fields.get(REQUEST_ID))
        return attempts(
            call,
            write(method.request(), call.fields),
            is_harmless=harmless,
            seconds=seconds,
            clock=time.monotonic,
            chance=self.chance,
        )

    def parts(self, streaming: Streaming[Any], seconds: float | None) -> StreamPlan:
        """Returns how a stream is read, as the policy has it.

        Args:
            seconds: for all of it; None for no end.

        Raises:
            ValueError: an instant names no time zone.
        """
        method = wire_method(streaming.call.service, streaming.call.method)
        return parts(
            streaming,
            lambda call: write(method.request(), call.fields),
            seconds=seconds,
            clock=time.monotonic,
            chance=self.chance,
        )
