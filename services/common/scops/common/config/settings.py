"""Settings: frozen, from the environment alone, each with a description and a unit.

Common names start with `SCOPS_`, a service's own with `SCOPS_<SERVICE>_`; what else the
environment says is checked in `scops.common.config.environment`.
"""

import os
from pathlib import Path
from typing import Any, Literal, Self, get_origin
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from scops.common.config.weaviate_settings import WeaviateSettings
from scops.common.contract.errors import InvalidInput

PREFIX = "SCOPS_"
MEBIBYTE = 1024 * 1024
Group = Literal["basic", "advanced"]


def setting(
    default: Any = ...,
    description: str = "",
    *,
    unit: str = "",
    group: Group = "advanced",
    **constraints: Any,
) -> Any:
    """Declares a field of a settings class.

    Args:
        description: a sentence; says when to turn it.
        unit: empty for a plain name or switch.
        group: basic is what a first operator touches.
        constraints: of pydantic's `Field`, such as `ge` or `pattern`, or a `default_factory`.
    """
    if "default_factory" not in constraints:
        constraints["default"] = default
    extra: dict[str, Any] = {"unit": unit, "group": group}
    return Field(description=description, json_schema_extra=extra, **constraints)


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


class CommonSettings(WeaviateSettings, ServiceSettings):
    """What every role needs; prefix `SCOPS_`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX)

    data_dir: Path = Field(
        default_factory=_data_home,
        description="Folder of the state, the archive and the embedded bus.",
        json_schema_extra={"unit": "path"},
    )
    cache_dir: Path = Field(
        default_factory=_cache_home,
        description="Folder of what can be fetched or computed again, such as model weights.",
        json_schema_extra={"unit": "path"},
    )
    organisation_id: str = Field(
        "main",
        pattern=r"^[a-z0-9][a-z0-9-]{0,31}$",
        description="Organisation of every message and row.",
        json_schema_extra={"unit": ""},
    )
    archive_url: str = Field(
        default_factory=_archive_below,
        description="Archive of immutable blobs: file://, s3://, gs://, az:// or memory://.",
        json_schema_extra={"unit": "URL"},
    )
    database_url: SecretStr = Field(
        SecretStr(""),
        description="PostgreSQL that keeps the state, as postgresql://user:password@host:port/"
        "database, one schema a service; empty keeps a SQLite file a service.",
        json_schema_extra={"unit": "URL"},
    )
    database_pool_size: int = Field(
        8,
        ge=2,
        le=100,
        description="Connections to PostgreSQL that one process holds for each service's state.",
        json_schema_extra={"unit": "count"},
    )
    database_connect_timeout_seconds: float = Field(
        5.0,
        gt=0,
        le=60,
        description="How long a connection to PostgreSQL may take, or waiting for a free one.",
        json_schema_extra={"unit": "seconds"},
    )
    database_statement_timeout_seconds: float = Field(
        30.0,
        gt=0,
        le=600,
        description="How long one statement may take on PostgreSQL.",
        json_schema_extra={"unit": "seconds"},
    )
    database_lock_timeout_seconds: float = Field(
        10.0,
        gt=0,
        le=600,
        description="How long a statement waits on PostgreSQL for rows that another one holds.",
        json_schema_extra={"unit": "seconds"},
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Least severe event that is logged.", json_schema_extra={"unit": ""}
    )
    log_format: Literal["auto", "json", "console"] = Field(
        "auto",
        description="Form of the log; auto is console on a terminal, else JSON lines.",
        json_schema_extra={"unit": ""},
    )
    health_host: str = Field(
        "127.0.0.1",
        description="Address that serves /livez, /readyz and /metrics.",
        json_schema_extra={"unit": "address"},
    )
    health_port: int = Field(
        0,
        ge=0,
        le=65535,
        description="Port of the health server; 0 takes a free one, which is logged.",
        json_schema_extra={"unit": "port"},
    )
    otlp_endpoint: str = Field(
        "",
        pattern=r"^(https?://\S+)?$",
        description="OpenTelemetry collector that takes traces by OTLP over HTTP; empty: none.",
        json_schema_extra={"unit": "URL"},
    )
    trace_ratio: float = Field(
        1.0,
        ge=0,
        le=1,
        description="Share of traces recorded; whoever sends a `traceparent` decides for itself.",
        json_schema_extra={"unit": "share"},
    )
    nats_url: str = Field(
        "",
        description="NATS server; empty makes `scops up` start its own.",
        json_schema_extra={"unit": "URL"},
    )
    nats_user: str = Field(
        "",
        description="User of the NATS server, one a role; empty connects without one.",
        json_schema_extra={"unit": ""},
    )
    nats_password: SecretStr = Field(
        SecretStr(""),
        description="Password of that user.",
        json_schema_extra={"unit": ""},
    )
    nats_monitor_url: str = Field(
        "",
        description="Monitoring endpoint of the NATS server; empty skips the durability check.",
        json_schema_extra={"unit": "URL"},
    )
    nats_child_port: int = Field(
        0,
        ge=0,
        le=65535,
        description="Port of the embedded NATS server; 0 takes a free one.",
        json_schema_extra={"unit": "port"},
    )
    embedder_backend: Literal["onnx", "torch"] = Field(
        "onnx", description="Library that runs the embedder.", json_schema_extra={"unit": ""}
    )
    embedder_precision: Literal["int8", "fp32", "bf16"] = Field(
        "int8",
        description="Precision of the embedder: onnx has int8 and fp32, torch fp32 and bf16.",
        json_schema_extra={"unit": ""},
    )
    embedder_threads: int = Field(
        2, ge=1, le=256, description="Threads of the embedder.", json_schema_extra={"unit": "count"}
    )
    query_concurrency: int = Field(
        16,
        ge=1,
        le=1024,
        description="Questions that one role answers at once in one process.",
        json_schema_extra={"unit": "count"},
    )
    bus_stream_bytes_max: int = Field(
        256 * MEBIBYTE,
        ge=MEBIBYTE,
        description="Size at which a stream refuses new messages.",
        json_schema_extra={"unit": "bytes"},
    )
    bus_message_bytes_max: int = Field(
        512 * 1024,
        ge=64 * 1024,
        le=900 * 1024,
        description="Largest message, body and headers together.",
        json_schema_extra={"unit": "bytes"},
    )
    bus_replicas: int = Field(
        1, ge=1, le=5, description="Copies of every stream.", json_schema_extra={"unit": "count"}
    )
    bus_connect_timeout_seconds: float = Field(
        10.0,
        gt=0,
        description="How long a start waits for the bus.",
        json_schema_extra={"unit": "seconds"},
    )
    bus_publish_timeout_seconds: float = Field(
        5.0,
        gt=0,
        description="How long one publication waits for its PubAck.",
        json_schema_extra={"unit": "seconds"},
    )
    bus_publish_attempts: int = Field(
        4,
        ge=1,
        le=20,
        description="Publications of one message before it counts as failed.",
        json_schema_extra={"unit": "count"},
    )
    bus_full_seconds_max: float = Field(
        900.0,
        gt=0,
        description="How long a publication waits for room in a full stream before it is tried "
        "again later.",
        json_schema_extra={"unit": "seconds"},
    )
    bus_deliveries_max: int = Field(
        8,
        ge=1,
        le=100,
        description="Deliveries of one message before it goes to the dead letters.",
        json_schema_extra={"unit": "count"},
    )
    bus_retry_delay_first_seconds: float = Field(
        1.0,
        gt=0,
        description="Delay before the second delivery; it doubles with each further one.",
        json_schema_extra={"unit": "seconds"},
    )
    bus_retry_delay_max_seconds: float = Field(
        60.0,
        gt=0,
        description="Longest delay before a redelivery.",
        json_schema_extra={"unit": "seconds"},
    )
    bus_heartbeat_seconds: float = Field(
        10.0,
        gt=0,
        description="Interval at which a working handler renews its acknowledgement timer.",
        json_schema_extra={"unit": "seconds"},
    )
    bus_fetch_timeout_seconds: float = Field(
        5.0,
        ge=0.5,
        le=30,
        description="How long one pull for messages waits at the server.",
        json_schema_extra={"unit": "seconds"},
    )
    bus_watchdog_seconds: float = Field(
        10.0,
        gt=0,
        description="Interval at which streams and durables are checked.",
        json_schema_extra={"unit": "seconds"},
    )
    graceful_timeout_seconds: float = Field(
        20.0,
        gt=0,
        description="How long a stop waits for handlers in progress.",
        json_schema_extra={"unit": "seconds"},
    )
    loop_restart_delay_max_seconds: float = Field(
        30.0,
        gt=0,
        description="Longest delay before a failed loop is started again.",
        json_schema_extra={"unit": "seconds"},
    )

    @field_validator("database_url")
    @classmethod
    def _postgresql(cls, value: SecretStr) -> SecretStr:
        url = urlsplit(value.get_secret_value())
        whole = url.scheme in ("postgresql", "postgres") and url.path.strip("/")
        if value.get_secret_value() and not whole:
            raise ValueError("it must be postgresql://user:password@host:port/database")
        return value

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
