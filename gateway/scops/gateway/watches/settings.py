"""Settings of watches: part of the gateway's."""

from collections.abc import Callable
from datetime import timedelta
from typing import Self

from pydantic import BaseModel, SecretStr, field_validator, model_validator

from scops.common.config.fields import setting
from scops.common.contract.errors import InvalidInput
from scops.common.egress.address import AddressPolicy, parse_allowed_ranges, parse_networks
from scops.gateway.watches.mail_server import MailServer, read_mail_server
from scops.gateway.watches.ports import Attempts
from scops.gateway.watches.sealing import WatchSeal

ALLOWED = "SCOPS_GATEWAY_WATCH_ALLOWED_PRIVATE"


class AlertSettings(BaseModel):
    """Where alerts may go, and how often they are attempted."""

    watch_keys: SecretStr = setting(
        SecretStr(""),
        "Keys that encrypt where watches send, and what they sign with: 32 bytes as URL-safe "
        "base64, with commas; the first encrypts, all decrypt. Without one a single machine "
        "makes one in its data folder; on PostgreSQL there are no watches then.",
        group="basic",
    )
    web_url: str = setting(
        "",
        "Address that people open the web page at, such as https://answers.example.org: "
        "alerts link there.",
        unit="URL",
    )
    watch_allowed_private: str = setting(
        "",
        "Addresses that webhooks may go to although not public: CIDR, CIDR:port or CIDR:*; with "
        "any, http:// is taken too.",
        unit="CIDR:port, with commas",
    )
    watch_denied_networks: str = setting(
        "",
        "Addresses that webhooks never go to, such as the cluster's own.",
        unit="CIDR, with commas",
    )
    mail_server: SecretStr = setting(
        SecretStr(""),
        "Mail server that alerts go by: smtps://user:password@host, smtp:// with STARTTLS, or "
        "smtp+plain:// on a way where nobody listens. Without one there are no alerts by e-mail.",
        unit="URL",
    )
    mail_from: str = setting(
        "",
        "Whom alerts by e-mail are from, such as `Scops <scops@example.org>`.",
        unit="address",
    )
    mail_domains: tuple[str, ...] = setting(
        (),
        "Domains that anybody may have alerts sent to; else each has them sent to the address "
        "that their issuer confirmed.",
        unit="domain, with commas",
    )
    watch_apprise: tuple[str, ...] = setting(
        (),
        "Services that alerts may go to by apprise (extra `apprise`), by what their addresses "
        "begin with: `slack,discord,tgram`. Its own code opens files and connections for some of "
        "them; admit those that you know.",
        unit="service, with commas",
    )
    watch_attempts_max: int = setting(
        6,
        "Attempts before a delivery is given up; three in a row that are given up end a watch.",
        unit="count",
        ge=1,
        le=12,
    )
    watch_retry_seconds: float = setting(
        10.0,
        "Pause before the second attempt of a delivery; each later one is six times as long.",
        unit="seconds",
        gt=0,
    )
    watches_per_principal: int = setting(
        100, "Watches that one principal may have; 0 bounds nobody.", unit="count", ge=0
    )

    @field_validator("watch_keys")
    @classmethod
    def _usable_keys(cls, value: SecretStr) -> SecretStr:
        _readable(value.get_secret_value(), lambda text: WatchSeal(_parts(text)))
        return value

    @field_validator("web_url")
    @classmethod
    def _web_address(cls, value: str) -> str:
        if value and not value.startswith(("https://", "http://")):
            raise ValueError("give an address such as https://answers.example.org")
        return value.rstrip("/")

    @field_validator("mail_server")
    @classmethod
    def _readable_mail_server(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value():
            _readable(value.get_secret_value(), read_mail_server)
        return value

    @model_validator(mode="after")
    def _mail_is_from_somebody(self) -> Self:
        if self.mail_server.get_secret_value() and "@" not in self.mail_from:
            raise ValueError("SCOPS_GATEWAY_MAIL_SERVER wants SCOPS_GATEWAY_MAIL_FROM beside it")
        return self

    @field_validator("watch_allowed_private")
    @classmethod
    def _readable_targets(cls, value: str) -> str:
        return _readable(value, parse_allowed_ranges)

    @field_validator("watch_denied_networks")
    @classmethod
    def _readable_denied(cls, value: str) -> str:
        return _readable(value, parse_networks)

    def watch_seal(self, kept: Callable[[], str] | None) -> WatchSeal:
        """Returns what encrypts targets.

        Args:
            kept: returns the key of an installation that was given none; None where it has none.
        """
        return WatchSeal(_parts(self.watch_keys.get_secret_value()), kept=kept)

    @property
    def watch_addresses(self) -> AddressPolicy:
        """Where webhooks may go."""
        return AddressPolicy(
            allowed=parse_allowed_ranges(self.watch_allowed_private),
            denied=parse_networks(self.watch_denied_networks),
            setting=ALLOWED,
        )

    @property
    def mail(self) -> MailServer | None:
        """By which server alerts go as e-mail; None where by none."""
        url = self.mail_server.get_secret_value()
        return read_mail_server(url) if url else None

    @property
    def watch_attempts(self) -> Attempts:
        """How often a delivery is attempted."""
        return Attempts(
            first_pause=timedelta(seconds=self.watch_retry_seconds), most=self.watch_attempts_max
        )


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _readable(value: str, parse: Callable[[str], object]) -> str:
    """Returns the value as it is; what pydantic is to name the setting of is a ValueError."""
    try:
        parse(value)
    except InvalidInput as error:
        raise ValueError(error.message) from error
    return value
