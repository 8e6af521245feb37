"""Settings of the retriever; prefix `SCOPS_RETRIEVER_`."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from scops.common.settings import ServiceSettings


class RetrieverSettings(ServiceSettings):
    """How candidates are found and scored."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_RETRIEVER_")

    candidates: int = Field(
        200,
        ge=10,
        le=2000,
        description="Hits asked from each side of the store before anything is re-scored.",
        json_schema_extra={"unit": "passages"},
    )
    candidates_max: int = Field(
        3200,
        ge=10,
        le=10_000,
        description="The same, when too many hits had to be dropped and the search is widened.",
        json_schema_extra={"unit": "passages"},
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
    alpha: float = Field(
        0.8,
        ge=0,
        le=1,
        description="Weight of relevance against graph evidence; 1 while no graph has a say.",
        json_schema_extra={"unit": "share"},
    )
    beta: float = Field(
        0.2,
        ge=0,
        description="Weight of the scope prior's logarithm.",
        json_schema_extra={"unit": "factor"},
    )
    gamma: float = Field(
        0.1,
        ge=0,
        le=1,
        description="Scope prior of a passage in none of the scopes; has no effect while the "
        "scopes filter.",
        json_schema_extra={"unit": "share"},
    )
    delta: float = Field(
        0.0,
        ge=0,
        description="Weight of freshness; 0 unless the question wants the recent.",
        json_schema_extra={"unit": "factor"},
    )
    lexical_share: float = Field(
        0.2,
        ge=0,
        le=1,
        description="Share of BM25 in relevance; the rest is vector similarity.",
        json_schema_extra={"unit": "share"},
    )
    half_life_days: float = Field(
        90.0,
        gt=0,
        description="Age of a text at which its freshness is one half.",
        json_schema_extra={"unit": "days"},
    )
