"""Settings of the extractor; prefix `SCOPS_EXTRACTOR_`."""

from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings, setting


class ExtractorSettings(ServiceSettings):
    """What a parse may take."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_EXTRACTOR_")

    page_seconds: float = setting(
        10.0,
        "How long parsing one body may take before its process is killed; raise it where large "
        "documents end as timed out.",
        unit="seconds",
        gt=0,
        le=600,
    )
