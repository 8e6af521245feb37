"""Settings of the fetcher."""

from collections.abc import Callable
from urllib.parse import urlsplit

from pydantic import SecretStr, ValidationInfo, field_validator
from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import MEBIBYTE, ServiceSettings, setting
from scops.common.contract.errors import InvalidInput
from scops.common.egress.address import parse_allowed_ranges, parse_networks
from scops.common.scope.limits import PAGE_LIMIT_DEFAULT
from scops.fetcher.credentials.sealing import parse_keys
from scops.fetcher.fetch.egress import check_proxy
from scops.fetcher.politeness.delays import parse_delays
from scops.libraries.papers.port import PAPER_SERVICES

# Of the network time of a fetch: what a lease outlives it by, for a database that is slow.
LEASE_MARGIN_SHARE = 0.25


class FetcherSettings(ServiceSettings):
    """How pages are scheduled, requested and accounted for; prefix `SCOPS_FETCHER_`."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_FETCHER_")

    workers: int = setting(
        8,
        "Fetches in flight at once, over all hosts.",
        unit="count",
        group="basic",
        ge=1,
        le=4096,
    )
    now_workers: int = setting(
        2,
        "Further fetches kept free for the lane `now`, for which a person waits.",
        unit="count",
        ge=1,
        le=64,
    )
    host_delay_seconds: float = setting(
        1.0,
        "Pause between the end of one request to a host and the next.",
        unit="seconds",
        group="basic",
        ge=0,
        le=3600,
    )
    response_factor: float = setting(
        10.0,
        "A host rests so many times as long as it takes to answer, at most 30 seconds; "
        "hosts that `delays` names do not.",
        unit="ratio",
        ge=0,
        le=100,
    )
    delays: str = setting(
        "",
        "Other delays for literal addresses, such as 127.0.0.0/8=0.02,10.0.0.0/8=0.1.",
        unit="CIDR=seconds, with commas",
        group="basic",
    )
    allowed_private: str = setting(
        "",
        "Addresses fetched from although not public: CIDR, CIDR:port or CIDR:*.",
        unit="CIDR:port, with commas",
        group="basic",
    )
    denied_networks: str = setting(
        "",
        "Addresses never fetched from, such as the cluster's own.",
        unit="CIDR, with commas",
    )
    proxy: SecretStr = setting(
        SecretStr(""),
        "Proxy that makes every connection to the web, as http://user:password@host:port (by "
        "CONNECT) or socks5://…; it is given addresses, never names. Empty connects straight.",
        unit="URL",
        group="basic",
    )
    credential_keys: SecretStr = setting(
        SecretStr(""),
        "Keys that seal credentials of scopes: 32 bytes as base64, with commas; the first seals, "
        "all open. Without one, and without a command, no credential is kept.",
        group="basic",
    )
    credential_key_command: str = setting(
        "",
        "Command that prints those keys in their place, once a start and without a shell, such "
        "as a KMS that decrypts a file.",
    )
    browser: SecretStr = setting(
        SecretStr("auto"),
        "Browser for pages that only scripts fill: `auto` takes a Chromium of this machine where "
        "the extra `browser` is installed, `off` none; else the path of one, or the address of a "
        "`scops browser`, ws://browser:7400/token.",
        group="basic",
    )
    browser_pages: int = setting(
        2, "Pages in the browser at once; others wait.", unit="pages", ge=1, le=64
    )
    rendered_per_day: int = setting(
        1000,
        "Pages that the browser shows in a day for a scope that names no number; 0 for none.",
        unit="pages",
        group="basic",
        ge=0,
    )
    callback_url: str = setting(
        "",
        "Public address of the gateway's HTTP, such as https://answers.example.org, by which hubs "
        "of feeds reach it (WebSub). Empty subscribes nowhere.",
        unit="URL",
        group="basic",
    )
    contact_url: str = setting(
        "", "Page about this crawler, named in User-Agent.", unit="URL", group="basic"
    )
    request_seconds_max: float = setting(
        60.0,
        "Network time of one fetch, redirects included; a host's lease is a quarter longer, and "
        "so is the wait after a crash.",
        unit="seconds",
        gt=0,
        le=600,
    )
    body_bytes_max: int = setting(
        16 * MEBIBYTE,
        "Size of a body, as transferred and with its encoding removed.",
        unit="bytes",
        ge=1024,
    )
    backoff_first_seconds: float = setting(
        5.0,
        "Pause of a host after 429, 503 or a broken connection; doubles each time.",
        unit="seconds",
        gt=0,
    )
    attempts_max: int = setting(
        4,
        "Fetches of one page before a repeatable failure becomes its outcome.",
        unit="count",
        ge=1,
        le=20,
    )
    retry_first_seconds: float = setting(
        5.0,
        "Delay before the second fetch of a failed page; grows fourfold each time.",
        unit="seconds",
        gt=0,
    )
    page_limit: int = setting(
        PAGE_LIMIT_DEFAULT,
        "Pages of a crawl whose scope and command name no limit.",
        unit="pages",
        group="basic",
        ge=1,
    )
    depth_limit: int = setting(
        20, "Links from a seed to a page, for scopes that name no limit.", unit="links", ge=1
    )
    llms_txt: bool = setting(
        True,
        "Whether a crawl also starts from the pages that a host's llms.txt links to.",
        unit="true or false",
    )
    paper_services: str = setting(
        ",".join(PAPER_SERVICES),
        "Scholarly services that scopes may have asked for papers, each with =URL where it is "
        "asked elsewhere, such as crossref=https://mirror.example.org; empty lets none be asked.",
        unit="names, with commas",
    )
    pending_max: int = setting(
        500,
        "Messages pending at one stage downstream above which crawls wait, but those of sites that "
        "have less than their share of as many pages on their way.",
        unit="messages",
        ge=1,
    )
    recrawl_per_day: int = setting(
        2000,
        "Fetches a day that keep the pages of an organisation fresh, for scopes without a budget "
        "of their own; 0 for none.",
        unit="fetches",
        group="basic",
        ge=0,
    )
    recrawl_hours_min: float = setting(
        1.0, "No page is due sooner after its last check.", unit="hours", ge=0
    )
    recrawl_days_max: float = setting(
        120.0,
        "Every page is due again by then, whatever it is worth: nothing starves.",
        unit="days",
        gt=0,
    )
    recrawl_stale_min: float = setting(
        0.02,
        "Probability of a change below which a page is not fetched, however much of the budget "
        "is left.",
        unit="probability",
        ge=0,
        lt=1,
    )

    @field_validator("delays")
    @classmethod
    def _readable_delays(cls, value: str) -> str:
        return _readable(value, parse_delays)

    @field_validator("paper_services")
    @classmethod
    def _readable_services(cls, value: str) -> str:
        return _readable(value, parse_services)

    @field_validator("allowed_private")
    @classmethod
    def _readable_ranges(cls, value: str) -> str:
        return _readable(value, parse_allowed_ranges)

    @field_validator("callback_url")
    @classmethod
    def _usable_callback(cls, value: str) -> str:
        url = urlsplit(value)
        is_usable = url.scheme in ("http", "https") and url.hostname and not url.query
        if value and (not is_usable or url.fragment or url.username):
            raise ValueError("name scheme and host, such as https://answers.example.org")
        return value.rstrip("/")

    @field_validator("denied_networks")
    @classmethod
    def _readable_networks(cls, value: str) -> str:
        return _readable(value, parse_networks)

    @field_validator("proxy")
    @classmethod
    def _usable_proxy(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value():
            check_proxy(value.get_secret_value())
        return value

    @field_validator("credential_keys")
    @classmethod
    def _usable_keys(cls, value: SecretStr) -> SecretStr:
        _readable(value.get_secret_value(), parse_keys)
        return value

    @field_validator("credential_key_command")
    @classmethod
    def _keys_from_one_place(cls, value: str, info: ValidationInfo) -> str:
        keys = info.data.get("credential_keys")
        if value and keys is not None and keys.get_secret_value():
            raise ValueError("SCOPS_FETCHER_CREDENTIAL_KEYS has keys already: set one of them")
        return value

    @property
    def lease_margin_seconds(self) -> float:
        """What a lease on a host outlives the longest request by."""
        return self.request_seconds_max * LEASE_MARGIN_SHARE

    @property
    def lease_seconds(self) -> float:
        """How long a lease on a host holds: longer than any request under it."""
        return self.request_seconds_max + self.lease_margin_seconds


def parse_services(value: str) -> dict[str, str]:
    """Returns the URLs of scholarly services by name; empty for the usual one.

    Raises:
        InvalidInput: one is unknown, or has no URL after its name.
    """
    servers: dict[str, str] = {}
    for words in filter(None, (part.strip() for part in value.split(","))):
        name, equals, url = words.partition("=")
        if name not in PAPER_SERVICES or (equals and not url.startswith(("http://", "https://"))):
            raise InvalidInput(
                f"{words!r} names no scholarly service. There are {', '.join(PAPER_SERVICES)}, "
                "each with =https://… where it is asked elsewhere.",
                reason="UNKNOWN_SERVICE",
            )
        servers[name] = url
    return servers


def _readable(value: str, parse: Callable[[str], object]) -> str:
    """Returns the value as it is; what pydantic is to name the setting of is a ValueError."""
    try:
        parse(value)
    except InvalidInput as error:
        raise ValueError(error.message) from error
    return value
