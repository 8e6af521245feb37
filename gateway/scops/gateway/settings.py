"""Settings of the gateway; prefix `SCOPS_GATEWAY_`."""

from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings, setting


class GatewaySettings(ServiceSettings):
    """What the gateway listens on, and how long and how many calls it serves."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_GATEWAY_")

    host: str = setting(
        "127.0.0.1",
        "Address that serves the gRPC API; there is no identity yet, so keep it local.",
        unit="address",
        group="basic",
    )
    port: int = setting(
        7300,
        "Port of the gRPC API; 0 takes a free one, which is logged.",
        unit="port",
        group="basic",
        ge=0,
        le=65535,
    )
    reflection: bool = setting(True, "Whether clients such as grpcurl may list the services.")
    deadline_default_seconds: float = setting(
        10.0, "Deadline of a call that names none.", unit="seconds", gt=0
    )
    deadline_max_seconds: float = setting(
        60.0, "Longest deadline that a call may name.", unit="seconds", gt=0
    )
    concurrent_calls_max: int = setting(
        64, "Calls served at once; more are refused with RESOURCE_EXHAUSTED.", unit="count", ge=1
    )
    connection_age_max_seconds: float = setting(
        1800.0,
        "Age at which a connection is asked to reconnect, maybe to another replica.",
        unit="seconds",
        gt=0,
    )
    stop_grace_seconds: float = setting(
        10.0, "How long a stop waits for calls in progress.", unit="seconds", ge=0
    )
