"""Settings of Weaviate as the chunk store; part of the common settings, prefix `SCOPS_`."""

from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator

GRPC_PORT = 50051


class WeaviateSettings(BaseModel):
    """Where Weaviate is and how much is asked of it at once; empty `weaviate_url` means SQLite."""

    weaviate_url: str = Field(
        "",
        description="Weaviate's HTTP address, such as http://weaviate:8080; empty keeps the "
        "chunks in a SQLite file of the data folder.",
        json_schema_extra={"unit": "URL"},
    )
    weaviate_grpc: str = Field(
        "",
        description="Weaviate's gRPC address; empty takes port 50051 of the same host.",
        json_schema_extra={"unit": "host:port"},
    )
    weaviate_api_key: SecretStr = Field(
        SecretStr(""),
        description="Key that Weaviate asks for; empty for anonymous access.",
        json_schema_extra={"unit": ""},
    )
    weaviate_connect_timeout_seconds: float = Field(
        5.0,
        gt=0,
        description="How long one attempt to reach Weaviate may take.",
        json_schema_extra={"unit": "seconds"},
    )
    weaviate_query_timeout_seconds: float = Field(
        10.0,
        gt=0,
        description="How long one query of Weaviate may take, the client's own retries included.",
        json_schema_extra={"unit": "seconds"},
    )
    weaviate_write_timeout_seconds: float = Field(
        60.0,
        gt=0,
        description="How long one write to Weaviate may take, the client's own retries included.",
        json_schema_extra={"unit": "seconds"},
    )
    weaviate_batch_objects_max: int = Field(
        200,
        ge=1,
        le=1000,
        description="Chunk objects in one batch to Weaviate.",
        json_schema_extra={"unit": "count"},
    )
    weaviate_writes_at_once: int = Field(
        4,
        ge=1,
        le=64,
        description="Batches and updates that one process has under way; others wait.",
        json_schema_extra={"unit": "count"},
    )
    weaviate_filter_values_max: int = Field(
        1000,
        ge=10,
        le=10_000,
        description="Prefixes and pages in one filter; a wider scope is asked in several queries.",
        json_schema_extra={"unit": "count"},
    )
    weaviate_flat_search_cutoff: int = Field(
        100_000,
        ge=0,
        description="Up to this many chunks in a filter are compared one by one, which is exact; "
        "taken when a generation is created.",
        json_schema_extra={"unit": "count"},
    )
    weaviate_shards: int = Field(
        1,
        ge=1,
        le=64,
        description="Shards of a collection; taken when a generation is created.",
        json_schema_extra={"unit": "count"},
    )
    weaviate_replicas: int = Field(
        1,
        ge=1,
        le=5,
        description="Copies of every shard; taken when a generation is created.",
        json_schema_extra={"unit": "count"},
    )

    @field_validator("weaviate_url")
    @classmethod
    def _http_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("an address such as http://weaviate:8080 is needed")
        return value.rstrip("/")

    @field_validator("weaviate_grpc")
    @classmethod
    def _host_and_port(cls, value: str) -> str:
        host, _, port = value.rpartition(":")
        if value and (not host or not port.isdigit()):
            raise ValueError("an address such as weaviate:50051 is needed")
        return value

    @property
    def weaviate_grpc_address(self) -> tuple[str, int]:
        """Host and port of Weaviate's gRPC side."""
        if self.weaviate_grpc:
            host, _, port = self.weaviate_grpc.rpartition(":")
            return host, int(port)
        return urlsplit(self.weaviate_url).hostname or "", GRPC_PORT
