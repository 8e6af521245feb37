"""Settings of the gateway; prefix `SCOPS_GATEWAY_`."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings


class GatewaySettings(ServiceSettings):
    """What the gateway listens on, and how long and how many calls it serves."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_GATEWAY_")

    host: str = Field(
        default="127.0.0.1",
        description="Address that serves the gRPC API; there is no identity yet, so keep it local.",
        json_schema_extra={"unit": "address"},
    )
    port: int = Field(
        default=7300,
        ge=0,
        le=65535,
        description="Port of the gRPC API; 0 takes a free one, which is logged.",
        json_schema_extra={"unit": "port"},
    )
    reflection: bool = Field(
        default=True,
        description="Whether clients such as grpcurl may list the services.",
        json_schema_extra={"unit": ""},
    )
    deadline_default_seconds: float = Field(
        default=10.0,
        gt=0,
        description="Deadline of a call that names none.",
        json_schema_extra={"unit": "seconds"},
    )
    deadline_max_seconds: float = Field(
        default=60.0,
        gt=0,
        description="Longest deadline that a call may name.",
        json_schema_extra={"unit": "seconds"},
    )
    concurrent_calls_max: int = Field(
        default=64,
        ge=1,
        description="Calls served at once; more are refused with RESOURCE_EXHAUSTED.",
        json_schema_extra={"unit": "count"},
    )
    connection_age_max_seconds: float = Field(
        default=1800.0,
        gt=0,
        description="Age at which a connection is asked to reconnect, maybe to another replica.",
        json_schema_extra={"unit": "seconds"},
    )
    stop_grace_seconds: float = Field(
        default=10.0,
        ge=0,
        description="How long a stop waits for calls in progress.",
        json_schema_extra={"unit": "seconds"},
    )
