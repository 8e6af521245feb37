"""Settings of the command itself."""

from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings, setting
from scops.standalone.terminal.client import DEFAULT_ADDRESS, PREFIX


class CommandSettings(ServiceSettings):
    """Where the command finds the gateway."""

    model_config = SettingsConfigDict(env_prefix=PREFIX)

    address: str = setting(
        DEFAULT_ADDRESS,
        "Address of the gateway that the command asks.",
        unit="host:port",
        group="basic",
    )
