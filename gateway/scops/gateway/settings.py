"""Settings of the gateway; prefix `SCOPS_GATEWAY_`."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import MEBIBYTE, ServiceSettings


class GatewaySettings(ServiceSettings):
    """What the gateway listens on, and every bound on what a caller may ask."""

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
    message_bytes_max: int = Field(
        default=4 * MEBIBYTE,
        ge=64 * 1024,
        description="Largest request or response.",
        json_schema_extra={"unit": "bytes"},
    )
    keepalive_seconds: float = Field(
        default=120.0,
        gt=0,
        description="Interval at which idle connections are probed.",
        json_schema_extra={"unit": "seconds"},
    )
    ping_interval_min_seconds: float = Field(
        default=30.0,
        gt=0,
        description="Clients that probe more often are disconnected.",
        json_schema_extra={"unit": "seconds"},
    )
    connection_age_max_seconds: float = Field(
        default=1800.0,
        gt=0,
        description="Age at which a connection is asked to reconnect.",
        json_schema_extra={"unit": "seconds"},
    )
    connection_grace_seconds: float = Field(
        default=60.0,
        gt=0,
        description="How long calls on an aged connection may finish.",
        json_schema_extra={"unit": "seconds"},
    )
    stop_grace_seconds: float = Field(
        default=10.0,
        ge=0,
        description="How long a stop waits for calls in progress.",
        json_schema_extra={"unit": "seconds"},
    )
    query_words_max: int = Field(
        default=2000,
        ge=1,
        description="Longest query in words.",
        json_schema_extra={"unit": "count"},
    )
    query_characters_max: int = Field(
        default=8000,
        ge=1,
        description="Longest query in characters.",
        json_schema_extra={"unit": "count"},
    )
    history_characters_max: int = Field(
        default=40_000,
        ge=0,
        description="Longest history of a conversation, all turns together.",
        json_schema_extra={"unit": "characters"},
    )
    bundle_bytes_max: int = Field(
        default=448 * 1024,
        ge=4096,
        description="Longest evidence bundle; a message of the bus holds 512 KiB.",
        json_schema_extra={"unit": "bytes"},
    )
    query_scopes_max: int = Field(
        default=1000,
        ge=1,
        description="Most scopes of one query.",
        json_schema_extra={"unit": "count"},
    )
    page_size_default: int = Field(
        default=10,
        ge=1,
        description="Results of a call that names no page_size.",
        json_schema_extra={"unit": "count"},
    )
    page_size_max: int = Field(
        default=100,
        ge=1,
        description="Most results of one call; a greater page_size is lowered to it.",
        json_schema_extra={"unit": "count"},
    )
    known_pages_batch: int = Field(
        default=500,
        ge=1,
        le=1000,
        description="Known pages asked of the fetcher at once.",
        json_schema_extra={"unit": "count"},
    )
    known_pages_max: int = Field(
        default=20_000,
        ge=1,
        description="Known pages that one listing or preview reads.",
        json_schema_extra={"unit": "count"},
    )
    preview_examples_max: int = Field(
        default=10,
        ge=0,
        description="Examples of each kind in a preview.",
        json_schema_extra={"unit": "count"},
    )
    scope_bytes_max: int = Field(
        default=256 * 1024,
        ge=1024,
        description="Largest scope, rules and seeds together, as the projection stores it.",
        json_schema_extra={"unit": "bytes"},
    )
    scope_seeds_max: int = Field(
        default=1000,
        ge=1,
        description="Most seeds of a scope, and most sitemaps.",
        json_schema_extra={"unit": "count"},
    )
    job_urls_max: int = Field(
        default=100,
        ge=1,
        description="Most URLs of a job that names its pages.",
        json_schema_extra={"unit": "count"},
    )
    job_urls_bytes_max: int = Field(
        default=48 * 1024,
        ge=2000,
        description="Those URLs together; an event stays under 64 KiB.",
        json_schema_extra={"unit": "bytes"},
    )
    job_page_limit_max: int = Field(
        default=1_000_000,
        ge=1,
        description="Greatest page_limit of a scope or job.",
        json_schema_extra={"unit": "count"},
    )
    query_attempts_max: int = Field(
        default=5,
        ge=1,
        description="Questions to a service that has not got a scope's revision yet.",
        json_schema_extra={"unit": "count"},
    )
    query_retry_seconds: float = Field(
        default=0.1,
        gt=0,
        description="Wait between those questions.",
        json_schema_extra={"unit": "seconds"},
    )
    update_attempts_max: int = Field(
        default=5,
        ge=1,
        description="Attempts of an update without etag that others overtake.",
        json_schema_extra={"unit": "count"},
    )
    poll_seconds: float = Field(
        default=1.0,
        gt=0,
        description="Interval at which outbox and projection are looked at unasked.",
        json_schema_extra={"unit": "seconds"},
    )
    reconcile_seconds: float = Field(
        default=15.0,
        gt=0,
        description="Interval at which open jobs are compared with the fetcher's ledger.",
        json_schema_extra={"unit": "seconds"},
    )
    reconcile_batch: int = Field(
        default=100, ge=1, description="Jobs compared at once.", json_schema_extra={"unit": "count"}
    )
    resend_seconds: float = Field(
        default=120.0,
        gt=0,
        description="A command whose effect the ledger lacks after this is sent again.",
        json_schema_extra={"unit": "seconds"},
    )
    request_id_days: int = Field(
        default=7,
        ge=1,
        description="How long a request_id is remembered.",
        json_schema_extra={"unit": "days"},
    )
