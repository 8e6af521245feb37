"""A thin client of the gateway: one channel, and errors as text with an exit code.

gRPC is imported when the gateway is asked: who wants help waits for nothing.
"""

import os
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from scops.standalone.terminal.exits import CommandError, Exit

Response = TypeVar("Response")

PREFIX = "SCOPS_COMMAND_"
DEFAULT_ADDRESS = "127.0.0.1:7300"
# For one answer; a model may take its time.
DEADLINE_SECONDS = 30.0
BY_STATUS = {
    "INVALID_ARGUMENT": Exit.INVALID_INPUT,
    "FAILED_PRECONDITION": Exit.INVALID_INPUT,
    "OUT_OF_RANGE": Exit.INVALID_INPUT,
    "NOT_FOUND": Exit.NOT_FOUND,
    "PERMISSION_DENIED": Exit.NOT_FOUND,
    "ALREADY_EXISTS": Exit.CONFLICT,
    "ABORTED": Exit.CONFLICT,
    "UNAVAILABLE": Exit.UNAVAILABLE,
    "DEADLINE_EXCEEDED": Exit.UNAVAILABLE,
    "RESOURCE_EXHAUSTED": Exit.UNAVAILABLE,
}


class GatewayClient:
    """The services of the public API over one channel."""

    def __init__(self, address: str) -> None:
        import grpc

        from scops.api.v1alpha1 import (
            job_service_pb2_grpc,
            page_service_pb2_grpc,
            purge_service_pb2_grpc,
            scope_service_pb2_grpc,
            search_service_pb2_grpc,
        )

        self._address = address
        self._channel = grpc.insecure_channel(address)
        self.scopes = scope_service_pb2_grpc.ScopeServiceStub(self._channel)
        self.pages = page_service_pb2_grpc.PageServiceStub(self._channel)
        self.jobs = job_service_pb2_grpc.JobServiceStub(self._channel)
        self.purges = purge_service_pb2_grpc.PurgeServiceStub(self._channel)
        self.search = search_service_pb2_grpc.SearchServiceStub(self._channel)

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
        """Calls a method of a stub.

        Raises:
            CommandError: the call failed.
        """
        import grpc

        try:
            return method(request, timeout=DEADLINE_SECONDS)
        except grpc.RpcError as error:
            raise self._readable(error) from None

    def _readable(self, error: Any) -> CommandError:
        status, reason = error.code().name, _reason(error)
        code = BY_STATUS.get(status, Exit.INTERNAL)
        if status == "UNAVAILABLE" and not reason:
            return CommandError(
                f"The gateway at {self._address} does not answer. "
                "Start it with `scops up`, or set SCOPS_COMMAND_ADDRESS.",
                code=code,
                reason="GATEWAY_UNAVAILABLE",
            )
        return CommandError(error.details() or "", code=code, reason=reason)


def open_gateway() -> GatewayClient:
    """Returns a client of the gateway that the settings name.

    Raises:
        InvalidInput: a `SCOPS_COMMAND_*` variable is unknown.
    """
    # The other names belong to services; `scops settings` and `scops up` know them all.
    own = {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}
    if own.keys() - {f"{PREFIX}ADDRESS"}:
        # What knows settings takes longer to import than most calls take.
        from scops.common.config.environment import check_environment
        from scops.standalone.settings import CommandSettings

        check_environment(own, (CommandSettings,))
    return GatewayClient(own.get(f"{PREFIX}ADDRESS") or DEFAULT_ADDRESS)


def _reason(error: Any) -> str:
    from google.rpc import error_details_pb2
    from grpc_status import rpc_status

    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    for detail in status.details if status else ():
        if detail.Unpack(info):
            return str(info.reason)
    return ""
