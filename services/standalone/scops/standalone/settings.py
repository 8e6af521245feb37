"""Settings of the command itself."""

from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings, setting


class CommandSettings(ServiceSettings):
    """Where the command finds the gateway."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_COMMAND_")

    address: str = setting(
        "127.0.0.1:7300",
        "Address of the gateway that the command asks.",
        unit="host:port",
        group="basic",
    )
