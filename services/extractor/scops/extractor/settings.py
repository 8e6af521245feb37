"""Settings of the extractor; prefix `SCOPS_EXTRACTOR_`."""

import os

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import MEBIBYTE, ServiceSettings


class ExtractorSettings(ServiceSettings):
    """What a parse may take, and how many run at once."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_EXTRACTOR_")

    workers: int = Field(
        0,
        ge=0,
        le=256,
        description="Parsing processes; 0 takes one for each core this process may use.",
        json_schema_extra={"unit": "count"},
    )
    worker_memory_bytes: int = Field(
        1024 * MEBIBYTE,
        ge=256 * MEBIBYTE,
        description="Address space of one parsing process; what a body needs beyond it fails.",
        json_schema_extra={"unit": "bytes"},
    )
    page_seconds: float = Field(
        10.0,
        gt=0,
        le=600,
        description="How long parsing one body may take before its process is killed.",
        json_schema_extra={"unit": "seconds"},
    )

    @property
    def worker_count(self) -> int:
        """Parsing processes on this machine."""
        return self.workers or len(os.sched_getaffinity(0))
