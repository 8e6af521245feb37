"""Settings of the command itself."""

from pydantic import SecretStr
from pydantic_settings import SettingsConfigDict

from scops.client.target import DEFAULT_ADDRESS, PREFIX
from scops.common.config.settings import PREFIX as COMMON_PREFIX
from scops.common.config.settings import ServiceSettings, setting


class CommandSettings(ServiceSettings):
    """Where the command finds the gateway."""

    model_config = SettingsConfigDict(env_prefix=PREFIX)

    address: str = setting(
        DEFAULT_ADDRESS,
        "Address of the gateway that the command asks; beyond loopback it is asked by TLS, but "
        "where http:// says otherwise.",
        unit="host:port",
        group="basic",
    )
    ca: str = setting(
        "",
        "PEM file of the authority that signed the gateway's certificate; empty trusts those of "
        "the system.",
        unit="path",
    )


class CallerSettings(ServiceSettings):
    """Who asks, where nobody has logged in: scripts and services."""

    model_config = SettingsConfigDict(env_prefix=COMMON_PREFIX)

    token: SecretStr = setting(
        SecretStr(""),
        "API key or token that the command sends to the gateway, before that of `scops login`.",
        group="basic",
    )
