"""Settings of the servers that roles reach: NATS, PostgreSQL and Weaviate."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from pydantic import BaseModel, SecretStr, field_validator

from scops.common.config.fields import setting

WEAVIATE_GRPC_PORT = 50051
SSL_MODES = frozenset(("disable", "verify-full"))


class AuthoritySettings(BaseModel):
    """Whose certificates are trusted, where a server is reached by TLS."""

    server_ca: Path | None = setting(
        None,
        "PEM file of the authorities that signed the certificates of NATS, PostgreSQL and "
        "Weaviate; empty trusts those of the system. With it PostgreSQL is asked by TLS. It is "
        "read again when it changes.",
        unit="path",
    )


class WeaviateSettings(AuthoritySettings):
    """Weaviate as the chunk store; part of the common settings. Without `weaviate_url`: SQLite."""

    weaviate_url: str = setting(
        "",
        "Weaviate's HTTP address, such as http://weaviate:8080; with https:// its gRPC is asked by "
        "TLS as well. Empty keeps the chunks in a SQLite file of the data folder.",
        unit="URL",
        group="basic",
    )
    weaviate_grpc: str = setting(
        "",
        "Weaviate's gRPC address; empty takes port 50051 of the same host.",
        unit="host:port",
        group="basic",
    )
    weaviate_api_key: SecretStr = setting(
        SecretStr(""), "Key that Weaviate asks for; empty for anonymous access.", group="basic"
    )
    weaviate_flat_search_cutoff: int = setting(
        100_000,
        "Up to this many chunks in a filter are compared one by one, which is exact; taken when a "
        "generation is created. Raise it when searches miss too much.",
        unit="count",
        ge=0,
    )
    weaviate_shards: int = setting(
        1,
        "Shards of a collection; taken when a generation is created.",
        unit="count",
        ge=1,
        le=64,
    )
    weaviate_replicas: int = setting(
        1,
        "Copies of every shard; taken when a generation is created.",
        unit="count",
        ge=1,
        le=5,
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
        return urlsplit(self.weaviate_url).hostname or "", WEAVIATE_GRPC_PORT


class ServerSettings(WeaviateSettings):
    """Every server; part of the common settings."""

    database_url: SecretStr = setting(
        SecretStr(""),
        "PostgreSQL that keeps the state, as postgresql://user:password@host:port/database, one "
        "schema a service; `?sslmode=verify-full` asks it by TLS. Empty keeps a SQLite file a "
        "service.",
        unit="URL",
        group="basic",
    )
    database_pool_size: int = setting(
        8,
        "Connections to PostgreSQL that one process holds for each service's state.",
        unit="count",
        ge=2,
        le=100,
    )
    nats_url: str = setting(
        "",
        "NATS server, such as nats://nats:4222, or tls://nats:4222 where its TLS comes first "
        "(`handshake_first`); empty makes `scops up` start its own.",
        unit="URL",
        group="basic",
    )
    nats_user: str = setting(
        "", "User of the NATS server, one a role; empty connects without one.", group="basic"
    )
    nats_password: SecretStr = setting(SecretStr(""), "Password of that user.", group="basic")
    nats_monitor_url: str = setting(
        "",
        "Monitoring endpoint of the NATS server; empty skips the durability check.",
        unit="URL",
        group="basic",
    )

    @field_validator("database_url")
    @classmethod
    def _postgresql(cls, value: SecretStr) -> SecretStr:
        url = urlsplit(value.get_secret_value())
        whole = url.scheme in ("postgresql", "postgres") and url.path.strip("/")
        if value.get_secret_value() and not whole:
            raise ValueError("it must be postgresql://user:password@host:port/database")
        query = parse_qs(url.query)
        if not set(query.get("sslmode", ())) <= SSL_MODES:
            raise ValueError("sslmode is verify-full or disable: no other says whom it talks to")
        if "sslrootcert" in query:
            raise ValueError("SCOPS_SERVER_CA names the authority, in place of sslrootcert")
        return value
