"""Settings of the change-detector; prefix `SCOPS_CHANGE_DETECTOR_`."""

from typing import Literal

from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings, setting


class ChangeDetectorSettings(ServiceSettings):
    """How texts are chunked and labelled, and how long versions are kept."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_CHANGE_DETECTOR_")

    strategy: Literal["salient", "owlerlite"] = setting(
        "salient", "Strategy that labels changes; storage never depends on it.", group="basic"
    )
    salience_min: float = setting(
        0.25,
        "Salience from which a change without a critical edit is semantic; lower reports more.",
        unit="share",
        gt=0,
        le=1,
    )
    chunk_tokens_min: int = setting(
        200,
        "Tokens from which a chunk ends where the content allows it; another embedder may want "
        "others.",
        unit="tokens",
        ge=1,
    )
    chunk_tokens_max: int = setting(400, "Most tokens of a chunk.", unit="tokens", ge=1)
    chunk_overlap_tokens: int = setting(
        0,
        "Sentences repeated from the chunk before; above 0 edits embed neighbours.",
        unit="tokens",
        ge=0,
    )
    pin_days: int = setting(
        400,
        "How long a pin keeps a version where its caller sets no days.",
        unit="days",
        group="basic",
        ge=1,
    )
    retention_poll_seconds: float = setting(
        3_600.0,
        "Pause between two looks for versions that outlived their retention.",
        unit="seconds",
        gt=0,
    )
    garbage_hours: float = setting(
        24.0,
        "How long nobody has put a blob, and no version refers to it, before it is deleted.",
        unit="hours",
        gt=0,
    )
    concurrency: int = setting(
        4,
        "Observations handled at once per lane in one process: twice as many of quick sites, half "
        "as many of costly ones (ADR 43).",
        unit="count",
        ge=1,
    )
