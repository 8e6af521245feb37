"""A thin client of the gateway: one channel, and errors as text with an exit code."""

import os
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from scops.api.v1alpha1 import (
    job_service_pb2_grpc,
    page_service_pb2_grpc,
    scope_service_pb2_grpc,
    search_service_pb2_grpc,
)
from scops.common.config.environment import check_environment
from scops.standalone.settings import CommandSettings
from scops.standalone.terminal.exits import CommandError, Exit

Response = TypeVar("Response")
# For one answer; a model may take its time.
DEADLINE_SECONDS = 30.0

BY_STATUS = {
    grpc.StatusCode.INVALID_ARGUMENT: Exit.INVALID_INPUT,
    grpc.StatusCode.FAILED_PRECONDITION: Exit.INVALID_INPUT,
    grpc.StatusCode.OUT_OF_RANGE: Exit.INVALID_INPUT,
    grpc.StatusCode.NOT_FOUND: Exit.NOT_FOUND,
    grpc.StatusCode.PERMISSION_DENIED: Exit.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS: Exit.CONFLICT,
    grpc.StatusCode.ABORTED: Exit.CONFLICT,
    grpc.StatusCode.UNAVAILABLE: Exit.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: Exit.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Exit.UNAVAILABLE,
}


class GatewayClient:
    """The four services of the public API over one channel."""

    def __init__(self, settings: CommandSettings) -> None:
        self._settings = settings
        self._channel = grpc.insecure_channel(settings.address)
        self.scopes = scope_service_pb2_grpc.ScopeServiceStub(self._channel)
        self.pages = page_service_pb2_grpc.PageServiceStub(self._channel)
        self.jobs = job_service_pb2_grpc.JobServiceStub(self._channel)
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
        try:
            return method(request, timeout=DEADLINE_SECONDS)
        except grpc.RpcError as error:
            raise self._readable(error) from None

    def _readable(self, error: grpc.RpcError) -> CommandError:
        status, details = error.code(), error.details() or ""
        code = BY_STATUS.get(status, Exit.INTERNAL)
        if status is grpc.StatusCode.UNAVAILABLE and not _reason(error):
            return CommandError(
                f"The gateway at {self._settings.address} does not answer. "
                "Start it with `scops up`, or set SCOPS_COMMAND_ADDRESS.",
                code=code,
                reason="GATEWAY_UNAVAILABLE",
            )
        return CommandError(details, code=code, reason=_reason(error))


def open_gateway() -> GatewayClient:
    """Returns a client of the gateway that the settings name.

    Raises:
        InvalidInput: a `SCOPS_COMMAND_*` variable is unknown or cannot be what it says.
    """
    prefix = CommandSettings.model_config.get("env_prefix", "")
    # The other names belong to services; `scops settings` and `scops up` know them all.
    own = {name: value for name, value in os.environ.items() if name.startswith(prefix)}
    check_environment(own, (CommandSettings,))
    return GatewayClient(CommandSettings.load())


def _reason(error: Any) -> str:
    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    for detail in status.details if status else ():
        if detail.Unpack(info):
            return str(info.reason)
    return ""
