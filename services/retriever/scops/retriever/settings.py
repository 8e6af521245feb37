"""Settings of the retriever."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from scops.common.settings import ServiceSettings


class RetrieverSettings(ServiceSettings):
    """How candidates are found and scored."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_prefix="SCOPS_RETRIEVER_")

    candidates: int = Field(
        default=200,
        ge=10,
        le=2000,
        description="Hits asked from each side of the store before anything is re-scored.",
        json_schema_extra={"unit": "passages"},
    )
    limit_max: int = Field(
        default=100,
        ge=1,
        description="Most passages that one query returns.",
        json_schema_extra={"unit": "passages"},
    )
    scopes_max: int = Field(
        default=1000,
        ge=1,
        description="Most scopes that one query names.",
        json_schema_extra={"unit": "scopes"},
    )
    alpha: float = Field(
        default=0.8,
        ge=0,
        le=1,
        description="Weight of relevance against graph evidence; 1 while no graph has a say.",
        json_schema_extra={"unit": "share"},
    )
    beta: float = Field(
        default=0.2,
        ge=0,
        description="Weight of the scope prior's logarithm.",
        json_schema_extra={"unit": "factor"},
    )
    gamma: float = Field(
        default=0.1,
        gt=0,
        le=1,
        description="Scope prior of a passage outside the scopes; used when scopes are preferred.",
        json_schema_extra={"unit": "share"},
    )
    delta: float = Field(
        default=0.0,
        ge=0,
        description="Weight of freshness; 0 unless the question wants the recent.",
        json_schema_extra={"unit": "factor"},
    )
    lexical_share: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="Share of BM25 in relevance; the rest is vector similarity.",
        json_schema_extra={"unit": "share"},
    )
    half_life_days: float = Field(
        default=90.0,
        gt=0,
        description="Age of a text at which its freshness is one half.",
        json_schema_extra={"unit": "days"},
    )
    await_poll_seconds: float = Field(
        default=0.05,
        gt=0,
        description="Pause between two looks at the heads of awaited pages.",
        json_schema_extra={"unit": "seconds"},
    )
    await_max_seconds: float = Field(
        default=5.0,
        gt=0,
        description="Longest wait for awaited pages.",
        json_schema_extra={"unit": "seconds"},
    )
    manifests_cached: int = Field(
        default=2000,
        ge=1,
        description="Manifests kept in memory, by digest.",
        json_schema_extra={"unit": "manifests"},
    )
