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
    worker_pages_max: int = Field(
        2_000,
        ge=1,
        description="Pages after which a parsing process is replaced, to return its memory.",
        json_schema_extra={"unit": "count"},
    )
    worker_start_seconds: float = Field(
        60.0,
        gt=0,
        description="How long a parsing process may take to start.",
        json_schema_extra={"unit": "seconds"},
    )
    page_seconds: float = Field(
        10.0,
        gt=0,
        le=600,
        description="How long parsing one body may take before its process is killed.",
        json_schema_extra={"unit": "seconds"},
    )
    text_characters_max: int = Field(
        2_000_000,
        ge=1_000,
        description="Length at which a clean text is cut and flagged `truncated`.",
        json_schema_extra={"unit": "characters"},
    )

    @property
    def worker_count(self) -> int:
        """Parsing processes on this machine."""
        return self.workers or len(os.sched_getaffinity(0))
