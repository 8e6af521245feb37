"""The gateway for commands, which show what it answers as it is: stubs over one channel.

Channel, credential and errors are those of `scops.client`. gRPC is imported when the gateway is
asked: who wants help waits for nothing.
"""

import os
import random
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, TypeVar

from scops.client.calls import Opening, Streaming
from scops.client.errors import NotAuthenticated
from scops.client.login.credentials import Credential, find_credential
from scops.client.parts import parts
from scops.client.reading import read_parts
from scops.client.target import ADDRESS, CA, PREFIX, GatewayTarget, gateway_target
from scops.client.wire import error_of, open_channel, streamed, wire_method
from scops.standalone.terminal.gateway_options import GatewayOptions

Response = TypeVar("Response")
Item = TypeVar("Item")

# For one answer; a model may take its time.
DEADLINE_SECONDS = 30.0


class GatewayClient:
    """The services of the public API over one channel."""

    def __init__(self, target: GatewayTarget, credential: Credential | None = None) -> None:
        from scops.api.v1alpha1 import (
            audit_service_pb2_grpc,
            identity_service_pb2_grpc,
            job_service_pb2_grpc,
            page_service_pb2_grpc,
            purge_service_pb2_grpc,
            research_service_pb2_grpc,
            scope_service_pb2_grpc,
            search_service_pb2_grpc,
            transfer_service_pb2_grpc,
            watch_service_pb2_grpc,
        )

        self._target = target
        self._credential = credential
        self._channel = open_channel(target)
        self.audit = audit_service_pb2_grpc.AuditServiceStub(self._channel)
        self.identity = identity_service_pb2_grpc.IdentityServiceStub(self._channel)
        self.scopes = scope_service_pb2_grpc.ScopeServiceStub(self._channel)
        self.pages = page_service_pb2_grpc.PageServiceStub(self._channel)
        self.jobs = job_service_pb2_grpc.JobServiceStub(self._channel)
        self.purges = purge_service_pb2_grpc.PurgeServiceStub(self._channel)
        self.researches = research_service_pb2_grpc.ResearchServiceStub(self._channel)
        self.search = search_service_pb2_grpc.SearchServiceStub(self._channel)
        self.transfers = transfer_service_pb2_grpc.TransferServiceStub(self._channel)
        self.watches = watch_service_pb2_grpc.WatchServiceStub(self._channel)

    def __enter__(self) -> "GatewayClient":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._channel.close()

    def call(self, method: Callable[..., Response], request: Any) -> Response:
        """Calls a method of a stub, once more where a login that was refused can be renewed.

        Raises:
            scops.client.ScopsError: the call failed.
        """
        try:
            return self._once(method, request)
        except NotAuthenticated:
            if not self._renewed():
                raise
        return self._once(method, request)

    def parts(self, streaming: Streaming[Item], request: Any, *, seconds: float) -> Iterator[Item]:
        """Reads a stream that lasts; where it breaks off, it is opened again.

        Raises:
            scops.client.ScopsError: it cannot be opened, or has not ended in so many seconds.
        """

        def opening(step: Opening) -> Any:
            method = wire_method(step.call.service, step.call.method)
            ask = streamed(self._channel, method)
            return ask(step.request, timeout=step.seconds, metadata=self._metadata())

        plan = parts(
            streaming,
            lambda _: request,
            seconds=seconds,
            clock=time.monotonic,
            chance=random.Random(),
        )
        return read_parts(
            plan,
            opening=opening,
            renew=self._renewed,
            failure=lambda error: error_of(error, self._target),
        )

    def _once(self, method: Callable[..., Response], request: Any) -> Response:
        import grpc

        try:
            return method(request, timeout=DEADLINE_SECONDS, metadata=self._metadata())
        except grpc.RpcError as error:
            raise error_of(error, self._target) from None

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        if self._credential is None:
            return ()
        return (("authorization", f"Bearer {self._credential.token}"),)

    def _renewed(self) -> bool:
        renewed = self._credential.renewed() if self._credential is not None else None
        if renewed is None:
            return False
        self._credential = renewed
        return True


def open_gateway() -> GatewayClient:
    """Returns a client of the gateway that options and settings name, for who is logged in there.

    Raises:
        InvalidInput: a `SCOPS_COMMAND_*` variable is unknown.
        scops.client.ScopsError: address or credential cannot be used.
    """
    target = checked_target()
    return GatewayClient(target, find_credential(target, os.environ, given=GatewayOptions.token))


def checked_target() -> GatewayTarget:
    """Returns the gateway that options and settings name.

    Raises:
        InvalidInput: a `SCOPS_COMMAND_*` variable is unknown.
        scops.client.ScopsError: the address cannot be used.
    """
    # The other names belong to services; `scops settings` and `scops up` know them all.
    own = {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}
    if own.keys() - {ADDRESS, CA}:
        # What knows settings takes longer to import than most calls take.
        from scops.common.config.environment import check_environment
        from scops.standalone.settings import CommandSettings

        check_environment(own, (CommandSettings,))
    return gateway_target(own, server=GatewayOptions.server, ca=GatewayOptions.ca)
