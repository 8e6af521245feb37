"""Settings of the retriever; prefix `SCOPS_RETRIEVER_`."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings
from scops.retriever.scoring.window_vectors import KEPT_MAX


class RetrieverSettings(ServiceSettings):
    """How candidates are found and scored."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_RETRIEVER_")

    candidates: int = Field(
        50,
        ge=10,
        le=2000,
        description="Hits asked from each side of the store, and the best of both that are ranked.",
        json_schema_extra={"unit": "passages"},
    )
    candidates_rescored: int = Field(
        200,
        ge=10,
        le=2000,
        description="The same for a question that is ranked by more than the store knows: by "
        "time, freshness or preferred scopes.",
        json_schema_extra={"unit": "passages"},
    )
    candidates_max: int = Field(
        3200,
        ge=10,
        le=10_000,
        description="The same, when too many hits had to be dropped and the search is widened.",
        json_schema_extra={"unit": "passages"},
    )
    canary_share: float = Field(
        0.01,
        ge=0,
        le=1,
        description="Share of questions whose vector search is compared with a comparison of "
        "every object, after the answer.",
        json_schema_extra={"unit": "share"},
    )
    limit_default: int = Field(
        10,
        ge=1,
        description="Passages returned to a question that names no limit.",
        json_schema_extra={"unit": "passages"},
    )
    limit_max: int = Field(
        100,
        ge=1,
        description="Most passages that one question gets; a greater limit is lowered to it.",
        json_schema_extra={"unit": "passages"},
    )
    evidence_bytes_max: int = Field(
        384 * 1024,
        ge=4096,
        description="Most bytes of passages in one reply, which the bus bounds at 512 KiB.",
        json_schema_extra={"unit": "bytes"},
    )
    page_passages_max: int = Field(
        8,
        ge=0,
        description="Most passages of one page in a reply; 0 is no bound.",
        json_schema_extra={"unit": "passages"},
    )
    mirrors_max: int = Field(
        10,
        ge=0,
        le=100,
        description="Most pages named with a passage because they say the same; 0 names none.",
        json_schema_extra={"unit": "pages"},
    )
    joined_characters_max: int = Field(
        4000,
        ge=0,
        description="Longest passage that is put together from neighbours; 0 joins none.",
        json_schema_extra={"unit": "characters"},
    )
    query_characters_max: int = Field(
        8000,
        ge=1,
        description="Longest question.",
        json_schema_extra={"unit": "characters"},
    )
    scopes_max: int = Field(
        1000,
        ge=1,
        description="Most scopes that one question names.",
        json_schema_extra={"unit": "scopes"},
    )
    scope_matches_max: int = Field(
        20,
        ge=1,
        description="Most scopes listed with one passage.",
        json_schema_extra={"unit": "scopes"},
    )
    awaited_max: int = Field(
        100,
        ge=1,
        description="Most pages that one question waits for.",
        json_schema_extra={"unit": "pages"},
    )
    await_poll_seconds: float = Field(
        0.05,
        gt=0,
        description="Pause between two looks at the heads of awaited pages.",
        json_schema_extra={"unit": "seconds"},
    )
    await_max_seconds: float = Field(
        5.0,
        gt=0,
        description="Longest wait for awaited pages.",
        json_schema_extra={"unit": "seconds"},
    )
    beta: float = Field(
        1.0,
        ge=0,
        description="Weight of the scope prior's logarithm, where some scopes are preferred; "
        "recipe owlerlite has its own.",
        json_schema_extra={"unit": "factor"},
    )
    gamma: float = Field(
        0.003,
        ge=0,
        le=1,
        description="Odds that a passage outside of the preferred scopes is relevant, to those of "
        "one inside with the same score, where those scopes hold nothing that answers; they "
        "fall with what is expected to answer inside. Recipe owlerlite has its own.",
        json_schema_extra={"unit": "share"},
    )
    time_passages: int = Field(
        100,
        ge=10,
        le=400,
        description="Best passages whose sentences are held against the time asked for; only "
        "they can be returned to a question that names a time.",
        json_schema_extra={"unit": "passages"},
    )
    time_windows: int = Field(
        40,
        ge=1,
        le=2000,
        description="Most windows of their sentences embedded for one question.",
        json_schema_extra={"unit": "windows"},
    )
    windows_kept: int = Field(
        KEPT_MAX,
        ge=1,
        description="Vectors of windows kept in memory, 1.5 KB each.",
        json_schema_extra={"unit": "vectors"},
    )
    time_past_years: float = Field(
        20.0,
        gt=0,
        description="Distance at which a time before the one asked for counts 1/e: what began "
        "earlier may still hold.",
        json_schema_extra={"unit": "years"},
    )
    time_future_years: float = Field(
        4.0,
        gt=0,
        description="The same for a time after the one asked for.",
        json_schema_extra={"unit": "years"},
    )
    time_undated: float = Field(
        0.05,
        ge=0,
        le=1,
        description="What a sentence without any time counts where a time is asked for.",
        json_schema_extra={"unit": "share"},
    )
    time_begins_share: float = Field(
        0.29,
        ge=0,
        le=1,
        description="How much of the fit of a time is whether it begins and ends with the one "
        "asked for.",
        json_schema_extra={"unit": "share"},
    )
    time_begins_share_range: float = Field(
        0.5,
        ge=0,
        le=1,
        description="The same for a question from one time to another: what began and ended so "
        "answers it more often than what lies within.",
        json_schema_extra={"unit": "share"},
    )
    search_seconds: float = Field(
        5.0,
        gt=0,
        le=60,
        description="Longest wait for all searches of the index for one question together.",
        json_schema_extra={"unit": "seconds"},
    )
    reranker_folder: str = Field(
        "",
        description="Folder of a cross-encoder (`model.onnx`, `tokenizer.json`) that reads the "
        "best passages with the question; empty for none.",
        json_schema_extra={"unit": "path"},
    )
    reranker_passages: int = Field(
        10,
        ge=1,
        le=100,
        description="Passages that a reranker reads.",
        json_schema_extra={"unit": "passages"},
    )
    half_life_days: float = Field(
        90.0,
        gt=0,
        description="Age at which the freshness of a text is one half, on a site of which nothing "
        "is known yet.",
        json_schema_extra={"unit": "days"},
    )
    half_life_days_min: float = Field(
        7.0,
        gt=0,
        description="Shortest half-life that a site's pace gives.",
        json_schema_extra={"unit": "days"},
    )
    half_life_days_max: float = Field(
        365.0,
        gt=0,
        description="Longest half-life that a site's pace gives.",
        json_schema_extra={"unit": "days"},
    )
