"""Settings: frozen, from the environment alone, each with a description and a unit.

Common names start with `SCOPS_`, a service's own with `SCOPS_<SERVICE>_`; what else the
environment says is checked in `scops.common.config.environment`.
"""

import os
from pathlib import Path
from typing import Any, Literal, Self, get_origin

from pydantic import SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from scops.common.config.fields import MEBIBYTE, setting
from scops.common.config.servers import ServerSettings, WeaviateSettings
from scops.common.contract import organisations
from scops.common.contract.errors import InvalidInput
from scops.common.scope.hosts import HostLists, parse_hosts

__all__ = [
    "EMBEDDER_DEFAULT",
    "MEBIBYTE",
    "PREFIX",
    "CommonSettings",
    "EmbedderName",
    "ServiceSettings",
    "WeaviateSettings",
    "setting",
]

PREFIX = "SCOPS_"
EmbedderName = Literal["onnx-int8", "onnx-fp32", "torch-fp32", "torch-bf16", "e5-int8", "e5-fp32"]
EMBEDDER_DEFAULT: EmbedderName = "e5-int8"


class ServiceSettings(BaseSettings):
    """Base of every settings class; a subclass sets `env_prefix` and declares each field.

    A field is declared by `setting`; a tuple is written with commas.
    """

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        validate_default=True,
        env_ignore_empty=True,
        # Commas instead of JSON; see `_split_at_commas`.
        enable_decoding=False,
    )

    # Spelt out so that type checkers know that every field has a default.
    def __init__(self, **values: Any) -> None:
        super().__init__(**values)

    @classmethod
    def load(cls) -> Self:
        """Reads the settings from the environment.

        Raises:
            InvalidInput: a value is malformed or out of its range.
        """
        try:
            return cls()
        except ValidationError as error:
            raise _invalid_value(cls, error) from error

    @classmethod
    def environment_name(cls, field_name: str) -> str:
        """Returns the variable that sets a field."""
        return f"{cls.model_config.get('env_prefix', '')}{field_name}".upper()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Leaves the environment, and arguments in tests."""
        return init_settings, env_settings

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        for name, info in cls.model_fields.items():
            extra = info.json_schema_extra
            if not info.description or not isinstance(extra, dict) or "unit" not in extra:
                raise TypeError(f"{cls.__name__}.{name} lacks a description or a unit")

    @field_validator("*", mode="before")
    @classmethod
    def _split_at_commas(cls, value: Any, info: ValidationInfo) -> Any:
        field = cls.model_fields.get(info.field_name or "")
        if isinstance(value, str) and field is not None and get_origin(field.annotation) is tuple:
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value


def _data_home() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "scops"


def _cache_home() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "scops"


def _archive_below(values: dict[str, Any]) -> str:
    return f"file://{values.get('data_dir', _data_home())}/archive"


class CommonSettings(ServerSettings, ServiceSettings):
    """What every role needs; prefix `SCOPS_`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX)

    data_dir: Path = setting(
        default_factory=_data_home,
        description="Folder of the state, the archive and the embedded bus.",
        unit="path",
        group="basic",
    )
    cache_dir: Path = setting(
        default_factory=_cache_home,
        description="Folder of what can be fetched or computed again, such as model weights.",
        unit="path",
        group="basic",
    )
    organisation_id: str = setting(
        organisations.MAIN,
        "Organisation that the process belongs to; it sees nothing of others on the same servers. "
        "Name one where an installation has several.",
        pattern=organisations.NAME.pattern,
    )
    hosts_allowed: tuple[str, ...] = setting(
        (),
        "Hosts that may be crawled, such as `docs.example.org` or `*.example.org` for all below; "
        "empty allows every one. Fetchers and gateways take the same.",
        unit="host, with commas",
    )
    hosts_denied: tuple[str, ...] = setting(
        (),
        "Hosts that are never crawled, whatever scopes and `hosts_allowed` say; what is held of "
        "them stays until it is purged.",
        unit="host, with commas",
    )
    archive_url: str = setting(
        default_factory=_archive_below,
        description="Archive of immutable blobs: file://, s3://, gs://, az:// or memory://.",
        unit="URL",
        group="basic",
    )
    archive_segments: bool = setting(
        True,
        "Whether blobs that are put into a folder share segments; otherwise each is a file, which "
        "roles of an earlier version read, and which any network disk holds.",
        unit="true or false",
    )
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "info", "Least severe event that is logged.", group="basic"
    )
    log_format: Literal["auto", "json", "console"] = setting(
        "auto",
        "Form of the log; auto is console on a terminal, else JSON lines.",
        group="basic",
    )
    health_host: str = setting(
        "127.0.0.1",
        "Address that serves /livez, /readyz and /metrics.",
        unit="address",
        group="basic",
    )
    health_port: int = setting(
        0,
        "Port of the health server; 0 takes a free one, which is logged.",
        unit="port",
        group="basic",
        ge=0,
        le=65535,
    )
    otlp_endpoint: str = setting(
        "",
        "OpenTelemetry collector that takes traces by OTLP over HTTP; empty: none.",
        unit="URL",
        group="basic",
        pattern=r"^(https?://\S+)?$",
    )
    trace_ratio: float = setting(
        1.0,
        "Share of traces recorded; whoever sends a `traceparent` decides for itself.",
        unit="share",
        ge=0,
        le=1,
    )
    embedder: EmbedderName = setting(
        EMBEDDER_DEFAULT,
        "What embeds, and its precision: `e5-…` is multilingual-e5-small, for a hundred languages, "
        "the others are all-MiniLM-L6-v2, for pages in English alone, on ONNX Runtime or torch. "
        "An index belongs to one: `scops rebuild` moves it to another.",
    )
    embedder_threads: int = setting(
        2, "Threads of the embedder.", unit="count", group="basic", ge=1, le=256
    )
    child_processes: int = setting(
        0,
        "Child processes that work on what pages hold; 0 takes one for each core this process "
        "may use. Half as many more run while tasks take long.",
        unit="count",
        group="basic",
        ge=0,
        le=256,
    )
    child_memory_bytes: int = setting(
        1024 * MEBIBYTE,
        "Address space of one child process; raise it where pages end as out of memory.",
        unit="bytes",
        ge=256 * MEBIBYTE,
    )
    bus_stream_bytes_max: int = setting(
        256 * MEBIBYTE,
        "Size at which a stream refuses new messages.",
        unit="bytes",
        group="basic",
        ge=MEBIBYTE,
    )
    bus_replicas: int = setting(1, "Copies of every stream.", unit="count", ge=1, le=5)
    bus_deliveries_max: int = setting(
        8,
        "Deliveries of one message before it goes to the dead letters.",
        unit="count",
        ge=1,
        le=100,
    )
    graceful_timeout_seconds: float = setting(
        20.0,
        "How long a stop waits for handlers in progress.",
        unit="seconds",
        group="basic",
        gt=0,
    )

    @field_validator("hosts_allowed", "hosts_denied")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(sorted(parse_hosts(value)))
        except InvalidInput as error:
            raise ValueError(error.message) from error

    @property
    def host_lists(self) -> HostLists:
        """The hosts that may be crawled."""
        return HostLists(allowed=frozenset(self.hosts_allowed), denied=frozenset(self.hosts_denied))

    @field_validator("data_dir", "cache_dir")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()


def _invalid_value(kind: type[ServiceSettings], error: ValidationError) -> InvalidInput:
    first = error.errors(include_url=False)[0]
    name = kind.environment_name(str(first["loc"][0])) if first["loc"] else kind.__name__
    why = first["msg"].removeprefix("Value error, ").rstrip(".")
    return InvalidInput(
        f"The setting {name} cannot be {_shown_input(kind, first['loc'], first['input'])}: {why}. "
        "Correct the variable or unset it to take the default; `scops settings` explains it.",
        reason="INVALID_SETTING",
        setting=name,
    )


def _shown_input(
    kind: type[ServiceSettings], location: tuple[int | str, ...], given: object
) -> str:
    """Returns a refused value, or a word for one that nobody may read."""
    info = kind.model_fields.get(str(location[0])) if location else None
    if info is not None and info.annotation is SecretStr:
        return "what it is set to"
    return repr(str(given)[:80])
