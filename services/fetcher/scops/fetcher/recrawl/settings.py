"""Settings of the recrawl: its budget, its policy and its bounds."""

from pydantic import Field

from scops.common.config.settings import ServiceSettings
from scops.fetcher.recrawl.crawl_policy import PolicyName


class RecrawlSettings(ServiceSettings):
    """How pages are kept fresh without anybody asking; part of the fetcher's settings."""

    recrawl_per_day: int = Field(
        default=2000,
        ge=0,
        description=(
            "Fetches a day that keep the pages of an organisation fresh, for scopes without a "
            "budget of their own; 0 for none."
        ),
        json_schema_extra={"unit": "fetches"},
    )
    recrawl_policy: PolicyName = Field(
        default=PolicyName.OPTIMAL,
        description="What decides which page is due: `uniform`, `proportional` or `optimal`.",
        json_schema_extra={"unit": "name"},
    )
    recrawl_seconds: float = Field(
        default=120.0,
        gt=0,
        description="How often pages that are due are taken up, a job for each scope.",
        json_schema_extra={"unit": "seconds"},
    )
    recrawl_batch: int = Field(
        default=200,
        ge=1,
        le=1000,
        description="Most pages that one budget takes up at once.",
        json_schema_extra={"unit": "pages"},
    )
    recrawl_hours_min: float = Field(
        default=1.0,
        ge=0,
        description="No page is due sooner after its last check.",
        json_schema_extra={"unit": "hours"},
    )
    recrawl_days_max: float = Field(
        default=120.0,
        gt=0,
        description="Every page is due again by then, whatever it is worth: nothing starves.",
        json_schema_extra={"unit": "days"},
    )
    recrawl_stale_min: float = Field(
        default=0.02,
        ge=0,
        lt=1,
        description=(
            "Probability of a change below which a page is not fetched, however much of the "
            "budget is left."
        ),
        json_schema_extra={"unit": "probability"},
    )
    recrawl_sitemap_hours: float = Field(
        default=24.0,
        gt=0,
        description="How often a recrawl reads the sitemaps and feeds of a scope again.",
        json_schema_extra={"unit": "hours"},
    )
    rate_half_life_days: float = Field(
        default=90.0,
        gt=0,
        description="Age at which a check of a page counts half for its rate of change.",
        json_schema_extra={"unit": "days"},
    )
    verify_pages_max: int = Field(
        default=20,
        ge=1,
        description="Pages that one `verify` may name.",
        json_schema_extra={"unit": "pages"},
    )
