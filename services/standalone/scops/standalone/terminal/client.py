"""A thin client of the gateway: one channel, and errors as text with an exit code.

gRPC is imported when the gateway is asked: who wants help waits for nothing. What is sent to say
who asks comes from `scops.standalone.terminal.login.credentials`.
"""

import os
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.login.credentials import Credential, find_credential
from scops.standalone.terminal.target import ADDRESS, CA, PREFIX, GatewayTarget, gateway_target

if TYPE_CHECKING:
    import grpc

Response = TypeVar("Response")

# For one answer; a model may take its time.
DEADLINE_SECONDS = 30.0
BY_STATUS = {
    "INVALID_ARGUMENT": Exit.INVALID_INPUT,
    "FAILED_PRECONDITION": Exit.INVALID_INPUT,
    "OUT_OF_RANGE": Exit.INVALID_INPUT,
    "UNAUTHENTICATED": Exit.NOT_AUTHENTICATED,
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

    def __init__(self, target: GatewayTarget, credential: Credential | None = None) -> None:
        from scops.api.v1alpha1 import (
            audit_service_pb2_grpc,
            identity_service_pb2_grpc,
            job_service_pb2_grpc,
            page_service_pb2_grpc,
            purge_service_pb2_grpc,
            scope_service_pb2_grpc,
            search_service_pb2_grpc,
        )

        self._target = target
        self._credential = credential
        self._channel = _channel(target)
        self.audit = audit_service_pb2_grpc.AuditServiceStub(self._channel)
        self.identity = identity_service_pb2_grpc.IdentityServiceStub(self._channel)
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
        """Calls a method of a stub, once more where a login that was refused can be renewed.

        Raises:
            CommandError: the call failed.
        """
        import grpc

        try:
            return method(request, timeout=DEADLINE_SECONDS, metadata=self._metadata())
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAUTHENTICATED or not self._renewed():
                raise self._readable(error) from None
        try:
            return method(request, timeout=DEADLINE_SECONDS, metadata=self._metadata())
        except grpc.RpcError as error:
            raise self._readable(error) from None

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

    def _readable(self, error: Any) -> CommandError:
        status, reason = error.code().name, _reason(error)
        code = BY_STATUS.get(status, Exit.INTERNAL)
        if status == "UNAVAILABLE" and not reason:
            return self._unreachable(error.details() or "")
        return CommandError(error.details() or "", code=code, reason=reason)

    def _unreachable(self, details: str) -> CommandError:
        address = self._target.address
        if self._target.is_tls:
            message = (
                f"The gateway at {address} cannot be reached by TLS: {details}. Where an "
                "authority of your own signed its certificate, name it by --ca."
            )
        else:
            message = (
                f"The gateway at {address} does not answer. Start it with `scops up`, or set "
                "SCOPS_COMMAND_ADDRESS; one that wants TLS is named by https://."
            )
        return CommandError(message, code=Exit.UNAVAILABLE, reason="GATEWAY_UNAVAILABLE")


def open_gateway() -> GatewayClient:
    """Returns a client of the gateway that options and settings name, for who is logged in there.

    Raises:
        InvalidInput: a `SCOPS_COMMAND_*` variable is unknown.
        CommandError: address or credential cannot be used.
    """
    target = checked_target()
    return GatewayClient(target, find_credential(target, os.environ))


def checked_target() -> GatewayTarget:
    """Returns the gateway that options and settings name.

    Raises:
        InvalidInput: a `SCOPS_COMMAND_*` variable is unknown.
        CommandError: the address cannot be used.
    """
    # The other names belong to services; `scops settings` and `scops up` know them all.
    own = {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}
    if own.keys() - {ADDRESS, CA}:
        # What knows settings takes longer to import than most calls take.
        from scops.common.config.environment import check_environment
        from scops.standalone.settings import CommandSettings

        check_environment(own, (CommandSettings,))
    return gateway_target(own)


def _channel(target: GatewayTarget) -> "grpc.Channel":
    import grpc

    if target.is_tls:
        trusted = grpc.ssl_channel_credentials(root_certificates=target.roots())
        return grpc.secure_channel(target.address, trusted)
    # What is plain never leaves by a proxy that the environment names.
    return grpc.insecure_channel(target.address, options=(("grpc.enable_http_proxy", 0),))


def _reason(error: Any) -> str:
    from google.rpc import error_details_pb2
    from grpc_status import rpc_status

    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    for detail in status.details if status else ():
        if detail.Unpack(info):
            return str(info.reason)
    return ""
