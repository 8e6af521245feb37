"""Settings of the fetcher."""

from collections.abc import Callable

from pydantic import Field, field_validator
from pydantic_settings import SettingsConfigDict

from scops.common.contract.errors import InvalidInput
from scops.fetcher.fetch.address import parse_allowed_ranges, parse_networks
from scops.fetcher.politeness.delays import parse_delays
from scops.fetcher.recrawl.settings import RecrawlSettings

MIB = 1024 * 1024


class FetcherSettings(RecrawlSettings):
    """How pages are scheduled, requested and accounted for; prefix `SCOPS_FETCHER_`."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_FETCHER_")

    workers: int = Field(
        default=8,
        ge=1,
        le=4096,
        description="Fetches in flight at once, over all hosts.",
        json_schema_extra={"unit": "count"},
    )
    now_workers: int = Field(
        default=2,
        ge=1,
        le=64,
        description="Further fetches kept free for the lane `now`, for which a person waits.",
        json_schema_extra={"unit": "count"},
    )
    host_delay_seconds: float = Field(
        default=1.0,
        ge=0,
        le=3600,
        description="Pause between the end of one request to a host and the next.",
        json_schema_extra={"unit": "seconds"},
    )
    response_factor: float = Field(
        default=10.0,
        ge=0,
        le=100,
        description="A host rests so many times as long as it takes to answer, at most 30 seconds; "
        "hosts that `delays` names do not.",
        json_schema_extra={"unit": "ratio"},
    )
    delays: str = Field(
        default="",
        description="Other delays for literal addresses, such as 127.0.0.0/8=0.02,10.0.0.0/8=0.1.",
        json_schema_extra={"unit": "CIDR=seconds, with commas"},
    )
    allowed_private: str = Field(
        default="",
        description="Addresses fetched from although not public: CIDR, CIDR:port or CIDR:*.",
        json_schema_extra={"unit": "CIDR:port, with commas"},
    )
    denied_networks: str = Field(
        default="",
        description="Addresses never fetched from, such as the cluster's own.",
        json_schema_extra={"unit": "CIDR, with commas"},
    )
    contact_url: str = Field(
        default="",
        description="Page about this crawler, named in User-Agent.",
        json_schema_extra={"unit": "URL"},
    )
    request_seconds_max: float = Field(
        default=60.0,
        gt=0,
        le=600,
        description="Network time of one fetch, redirects included.",
        json_schema_extra={"unit": "seconds"},
    )
    lease_margin_seconds: float = Field(
        default=15.0,
        gt=0,
        le=600,
        description="What a host's lease outlives the longest fetch by; after a crash the host "
        "waits for both.",
        json_schema_extra={"unit": "seconds"},
    )
    body_bytes_max: int = Field(
        default=16 * MIB,
        ge=1024,
        description="Size of a body, as transferred and with its encoding removed.",
        json_schema_extra={"unit": "bytes"},
    )
    backoff_first_seconds: float = Field(
        default=5.0,
        gt=0,
        description="Pause of a host after 429, 503 or a broken connection; doubles each time.",
        json_schema_extra={"unit": "seconds"},
    )
    backoff_max_seconds: float = Field(
        default=600.0,
        gt=0,
        description="Longest such pause.",
        json_schema_extra={"unit": "seconds"},
    )
    retry_after_max_seconds: float = Field(
        default=3600.0,
        gt=0,
        description="Longest Retry-After that is waited for.",
        json_schema_extra={"unit": "seconds"},
    )
    attempts_max: int = Field(
        default=4,
        ge=1,
        le=20,
        description="Fetches of one page before a repeatable failure becomes its outcome.",
        json_schema_extra={"unit": "count"},
    )
    retry_first_seconds: float = Field(
        default=5.0,
        gt=0,
        description="Delay before the second fetch of a failed page; grows fourfold each time.",
        json_schema_extra={"unit": "seconds"},
    )
    robots_age_seconds: int = Field(
        default=86_400,
        ge=1,
        le=86_400,
        description="How long a robots.txt is believed; RFC 9309 allows a day.",
        json_schema_extra={"unit": "seconds"},
    )
    robots_unreachable_seconds: int = Field(
        default=300,
        ge=1,
        le=86_400,
        description="How long a host without a readable robots.txt is left alone.",
        json_schema_extra={"unit": "seconds"},
    )
    robots_silent_days_max: int = Field(
        default=30,
        ge=1,
        description=(
            "After so long without a readable robots.txt its last copy holds, and without one "
            "everything is allowed (RFC 9309 section 2.3.1.4)."
        ),
        json_schema_extra={"unit": "days"},
    )
    page_limit: int = Field(
        default=10_000,
        ge=1,
        description="Pages of a crawl whose scope and command name no limit.",
        json_schema_extra={"unit": "pages"},
    )
    depth_limit: int = Field(
        default=20,
        ge=1,
        description="Links from a seed to a page, for scopes that name no limit.",
        json_schema_extra={"unit": "links"},
    )
    audit_share: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description=(
            "Share of the conditional requests, of pages with an old body, that are sent without "
            "conditions, to learn whether a site's 304 can be believed."
        ),
        json_schema_extra={"unit": "ratio"},
    )
    audit_days: float = Field(
        default=7.0,
        ge=0,
        description="Age of a page's body from which on its validators are audited.",
        json_schema_extra={"unit": "days"},
    )
    links_per_page_max: int = Field(
        default=2000,
        ge=1,
        description="Links taken from one page.",
        json_schema_extra={"unit": "links"},
    )
    path_segments_max: int = Field(
        default=16,
        ge=1,
        description="Path segments of a link that is followed.",
        json_schema_extra={"unit": "segments"},
    )
    segment_repeats_max: int = Field(
        default=2,
        ge=1,
        description="Times that one path segment may stand in a link that is followed.",
        json_schema_extra={"unit": "count"},
    )
    query_parameters_max: int = Field(
        default=8,
        ge=0,
        description="Query parameters of a link that is followed.",
        json_schema_extra={"unit": "count"},
    )
    calendar_pages_max: int = Field(
        default=50,
        ge=0,
        description="Pages of one calendar that a crawl follows links to: URLs that end in a date.",
        json_schema_extra={"unit": "pages"},
    )
    query_pages_max: int = Field(
        default=1000,
        ge=0,
        description="Pages that a crawl follows links to, of one path with queries of one shape.",
        json_schema_extra={"unit": "pages"},
    )
    sitemaps_per_job_max: int = Field(
        default=50,
        ge=0,
        description="Sitemaps read for one crawl.",
        json_schema_extra={"unit": "files"},
    )
    sitemap_depth_max: int = Field(
        default=2,
        ge=0,
        description="Sitemap indexes that may stand above a sitemap.",
        json_schema_extra={"unit": "levels"},
    )
    llms_txt: bool = Field(
        default=True,
        description="Whether a crawl also starts from the pages that a host's llms.txt links to.",
        json_schema_extra={"unit": "true or false"},
    )
    sitemap_bytes_max: int = Field(
        default=50 * MIB,
        ge=1024,
        description="Size of a sitemap, unpacked.",
        json_schema_extra={"unit": "bytes"},
    )
    pending_max: int = Field(
        default=500,
        ge=1,
        description="Messages pending at one stage downstream above which no crawl is fetched for.",
        json_schema_extra={"unit": "messages"},
    )
    pending_check_seconds: float = Field(
        default=2.0,
        gt=0,
        description="How long a count of pending messages is believed.",
        json_schema_extra={"unit": "seconds"},
    )
    idle_seconds: float = Field(
        default=5.0,
        gt=0,
        description="Longest sleep of an idle worker; new work wakes it at once.",
        json_schema_extra={"unit": "seconds"},
    )
    progress_pages: int = Field(
        default=20,
        ge=1,
        description="Outcomes after which a job's progress is published.",
        json_schema_extra={"unit": "pages"},
    )
    progress_seconds: float = Field(
        default=1.0,
        gt=0,
        description="Time after which the next outcome publishes a job's progress.",
        json_schema_extra={"unit": "seconds"},
    )
    sizes_seconds: float = Field(
        default=15.0,
        gt=0,
        description="Interval at which frontier and jobs are counted for the metrics.",
        json_schema_extra={"unit": "seconds"},
    )
    lost_check_seconds: float = Field(
        default=15.0,
        gt=0,
        description="Interval of the search for lost fetches.",
        json_schema_extra={"unit": "seconds"},
    )
    lost_quiet_seconds: float = Field(
        default=60.0,
        gt=0,
        description="Age at which a fetch without outcome is lost if nothing is pending.",
        json_schema_extra={"unit": "seconds"},
    )
    lost_late_seconds: float = Field(
        default=3600.0,
        gt=0,
        description="Age at which a fetch without outcome is lost in any case.",
        json_schema_extra={"unit": "seconds"},
    )
    lost_attempts_max: int = Field(
        default=3,
        ge=0,
        description="Times that a lost fetch is published again before it ends as dead(lost).",
        json_schema_extra={"unit": "count"},
    )
    lost_batch: int = Field(
        default=100,
        ge=1,
        description="Lost fetches handled in one round.",
        json_schema_extra={"unit": "fetches"},
    )
    fetch_kept_days: int = Field(
        default=8,
        ge=1,
        description="How long a closed fetch is kept; longer than any redelivery.",
        json_schema_extra={"unit": "days"},
    )
    known_urls_page_size_max: int = Field(
        default=500,
        ge=1,
        le=1000,
        description="Pages in one answer to `known_urls`.",
        json_schema_extra={"unit": "pages"},
    )
    outcomes_max: int = Field(
        default=1500,
        ge=1,
        description="Outcomes in one answer to `job_status`; failures come first.",
        json_schema_extra={"unit": "pages"},
    )

    @field_validator("delays")
    @classmethod
    def _readable_delays(cls, value: str) -> str:
        return _readable(value, parse_delays)

    @field_validator("allowed_private")
    @classmethod
    def _readable_ranges(cls, value: str) -> str:
        return _readable(value, parse_allowed_ranges)

    @field_validator("denied_networks")
    @classmethod
    def _readable_networks(cls, value: str) -> str:
        return _readable(value, parse_networks)

    @property
    def lease_seconds(self) -> float:
        """How long a lease on a host holds: longer than any request under it."""
        return self.request_seconds_max + self.lease_margin_seconds


def _readable(value: str, parse: Callable[[str], object]) -> str:
    """Returns the value as it is; what pydantic is to name the setting of is a ValueError."""
    try:
        parse(value)
    except InvalidInput as error:
        raise ValueError(error.message) from error
    return value
