"""Settings of the gateway; prefix `SCOPS_GATEWAY_`."""

from pathlib import Path
from typing import Literal, Self

from pydantic import field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings, setting
from scops.gateway.quotas.daily import MILLION, DailyQuotas
from scops.gateway.quotas.held import HeldQuotas
from scops.gateway.watches.settings import AlertSettings


class GatewaySettings(AlertSettings, ServiceSettings):
    """What the gateway listens on, and how long and how many calls it serves."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_GATEWAY_")

    host: str = setting(
        "127.0.0.1",
        "Address that serves the gRPC API; beyond loopback it takes identity and TLS.",
        unit="address",
        group="basic",
    )
    port: int = setting(
        7300,
        "Port of the gRPC API; 0 takes a free one, which is logged.",
        unit="port",
        group="basic",
        ge=0,
        le=65535,
    )
    http_port: int | None = setting(
        None,
        "Port of the HTTP API, by default the one after SCOPS_GATEWAY_PORT; 0 takes a free one.",
        unit="port",
        group="basic",
        ge=0,
        le=65535,
    )
    http_origins: tuple[str, ...] = setting(
        (),
        "Web pages elsewhere whose scripts may call the HTTP API, such as "
        "`https://wiki.example.org`, with commas.",
        unit="origin",
    )
    tls: Literal["off", "on", "terminated-upstream"] = setting(
        "off",
        "Whether the API is encrypted: `on` by certificate and key below; `terminated-upstream` "
        "says that a proxy before the gateway does it, and nobody reaches the gateway past it.",
        group="basic",
    )
    tls_certificate: Path | None = setting(
        None,
        "PEM file with the certificate and its chain; read again when it changes.",
        unit="path",
    )
    tls_key: Path | None = setting(
        None, "PEM file with the certificate's private key.", unit="path"
    )
    identity: Literal["none", "required"] = setting(
        "none",
        "Whether callers say who they are: `required` takes API keys and tokens of issuers; "
        "with `none` everybody is `local` and may do everything.",
        group="basic",
    )
    issuers: Path | None = setting(
        None,
        "JSON file with the OpenID Connect issuers whose tokens count; see docs/identity.md.",
        unit="path",
        group="basic",
    )
    proxy_header: str = setting(
        "",
        "Header in which a proxy names the caller that it has checked; counts from "
        "SCOPS_GATEWAY_PROXY_ADDRESSES alone.",
    )
    proxy_groups_header: str = setting(
        "", "Header in which that proxy names the caller's groups, with commas."
    )
    proxy_addresses: tuple[str, ...] = setting(
        (), "Addresses or networks of that proxy, with commas.", unit="address"
    )
    reflection: bool = setting(True, "Whether clients such as grpcurl may list the services.")
    deadline_default_seconds: float = setting(
        10.0, "Deadline of a call that names none.", unit="seconds", gt=0
    )
    deadline_max_seconds: float = setting(
        60.0, "Longest deadline that a call may name.", unit="seconds", gt=0
    )
    principal_units_per_second: float = setting(
        50.0,
        "What a principal may ask for, sustained: a lookup takes 1, a search 5, an answer or "
        "embedding 10; ten seconds' worth at once; 0 bounds nobody. Each gateway counts for "
        "itself.",
        unit="units per second",
        ge=0,
    )
    scopes_per_principal: int = setting(
        1000,
        "Scopes that one principal may own by creating or forking them; 0 bounds nobody.",
        unit="count",
        ge=0,
    )
    rules_per_principal: int = setting(
        0, "Rules of all scopes that one principal owns; 0 bounds nobody.", unit="count", ge=0
    )
    pages_per_principal: int = setting(
        0,
        "Pages that all scopes that one principal owns may crawl, the sum of their page limits; 0 "
        "bounds nobody.",
        unit="pages",
        ge=0,
    )
    fetches_per_day: int = setting(
        0,
        "Pages that the jobs of one principal may fetch in a day (UTC), and likewise what its "
        "scopes ask for to be kept fresh; 0 bounds nobody.",
        unit="pages",
        ge=0,
    )
    bytes_per_day: int = setting(
        0,
        "Bytes that the jobs of one principal may fetch in a day (UTC); after them those that run "
        "are cancelled, and none starts; 0 bounds nobody.",
        unit="bytes",
        ge=0,
    )
    checked_answers_per_day: int = setting(
        0,
        "Answers in a day (UTC) for which one principal has pages checked first; 0 bounds nobody.",
        unit="count",
        ge=0,
    )
    model_cost_per_day: float = setting(
        0.0,
        "What one principal's answers may cost in a day (UTC), in the currency of the explainer's "
        "prices; after it they are refused; 0 bounds nobody.",
        unit="currency",
        ge=0,
    )
    chat_days: int = setting(
        365,
        "Days that a chat is kept after its last question; 0 keeps chats until they are deleted.",
        unit="days",
        ge=0,
    )
    audit_queries: bool = setting(
        False,
        "Whether searches, answers and explanations are in the audit, with the words of each "
        "question; without it only answers are that have pages checked first, without the words.",
    )
    grafana_url: str = setting(
        "",
        "Address of the Grafana that shows this installation's boards, such as "
        "https://grafana.example.org/dashboards: the operator's page links there.",
        unit="URL",
    )
    concurrent_calls_max: int = setting(
        64,
        "Calls of a kind (look-ups, searches, answers) at once; cancellations do not count.",
        unit="count",
        ge=1,
    )
    streams_per_principal: int = setting(
        32,
        "Streams that one principal may have open at a gateway; 0 bounds nobody.",
        unit="count",
        ge=0,
    )
    connection_age_max_seconds: float = setting(
        1800.0,
        "Age at which a connection is asked to reconnect, maybe to another replica.",
        unit="seconds",
        gt=0,
    )
    stop_grace_seconds: float = setting(
        10.0, "How long a stop waits for calls in progress.", unit="seconds", ge=0
    )

    @property
    def held_quotas(self) -> HeldQuotas:
        """What each principal may own."""
        return HeldQuotas(
            scopes=self.scopes_per_principal,
            rules=self.rules_per_principal,
            pages=self.pages_per_principal,
            recrawls=self.fetches_per_day,
        )

    @property
    def daily_quotas(self) -> DailyQuotas:
        """What each principal may spend in a day."""
        return DailyQuotas(
            fetches=self.fetches_per_day,
            bytes=self.bytes_per_day,
            checked_answers=self.checked_answers_per_day,
            model_cost=round(MILLION * self.model_cost_per_day),
        )

    @field_validator("grafana_url")
    @classmethod
    def _grafana_address(cls, value: str) -> str:
        if value and not value.startswith(("https://", "http://")):
            raise ValueError("give an address such as https://grafana.example.org/dashboards")
        return value

    @property
    def http_port_wanted(self) -> int:
        """The port of the HTTP API; 0 for a free one."""
        if self.http_port is not None:
            return self.http_port
        return self.port + 1 if 0 < self.port < 65535 else 0

    @model_validator(mode="after")
    def _has_what_tls_takes(self) -> Self:
        files = (self.tls_certificate, self.tls_key)
        if (self.tls == "on") != all(files) or any(files) != all(files):
            raise ValueError(
                "SCOPS_GATEWAY_TLS=on, SCOPS_GATEWAY_TLS_CERTIFICATE and SCOPS_GATEWAY_TLS_KEY "
                "belong together"
            )
        return self

    @model_validator(mode="after")
    def _names_who_may_come_in(self) -> Self:
        if self.identity == "none" and (self.issuers or self.proxy_header or self.proxy_addresses):
            raise ValueError(
                "issuers and a proxy mean nothing without identity: set "
                "SCOPS_GATEWAY_IDENTITY=required"
            )
        return self
