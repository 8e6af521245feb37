"""Settings of the command itself."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings


class CommandSettings(ServiceSettings):
    """Where the command finds the gateway."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_COMMAND_")

    address: str = Field(
        default="127.0.0.1:7300",
        description="Address of the gateway that the command asks.",
        json_schema_extra={"unit": "host:port"},
    )
    deadline_seconds: float = Field(
        default=30.0,
        gt=0,
        le=60,
        description="How long the command waits for one answer.",
        json_schema_extra={"unit": "seconds"},
    )
