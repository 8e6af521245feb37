"""Settings of the extractor; prefix `SCOPS_EXTRACTOR_`."""

import os

from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import MEBIBYTE, ServiceSettings, setting


class ExtractorSettings(ServiceSettings):
    """What a parse may take, and how many run at once."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_EXTRACTOR_")

    workers: int = setting(
        0,
        "Parsing processes; 0 takes one for each core this process may use.",
        unit="count",
        group="basic",
        ge=0,
        le=256,
    )
    worker_memory_bytes: int = setting(
        1024 * MEBIBYTE,
        "Address space of one parsing process; raise it where bodies end as out of memory.",
        unit="bytes",
        ge=256 * MEBIBYTE,
    )
    page_seconds: float = setting(
        10.0,
        "How long parsing one body may take before its process is killed; raise it where large "
        "documents end as timed out.",
        unit="seconds",
        gt=0,
        le=600,
    )

    @property
    def worker_count(self) -> int:
        """Parsing processes on this machine."""
        return self.workers or len(os.sched_getaffinity(0))
