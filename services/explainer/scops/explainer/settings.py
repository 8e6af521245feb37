"""Settings of the explainer."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from scops.common.settings import ServiceSettings


class ExplainerSettings(ServiceSettings):
    """How an extractive answer is put together."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_prefix="SCOPS_EXPLAINER_")

    passages: int = Field(
        default=8,
        ge=1,
        le=50,
        description="Passages asked from the retriever for an answer.",
        json_schema_extra={"unit": "passages"},
    )
    sentences_embedded: int = Field(
        default=20,
        ge=1,
        le=100,
        description="Sentences that are compared with the question by their vectors.",
        json_schema_extra={"unit": "sentences"},
    )
    quotes_max: int = Field(
        default=5,
        ge=1,
        le=20,
        description="Most sentences in an answer.",
        json_schema_extra={"unit": "sentences"},
    )
    words_max: int = Field(
        default=80,
        ge=20,
        description="Most words that the quotes of an answer hold together.",
        json_schema_extra={"unit": "words"},
    )
    diversity: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="How much a sentence's likeness to a chosen one counts against it (MMR).",
        json_schema_extra={"unit": "share"},
    )
    support_min: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="Support of the best sentence below which the question is not answered.",
        json_schema_extra={"unit": "score"},
    )
    lineage_versions: int = Field(
        default=5,
        ge=1,
        le=50,
        description="Versions of a cited page that an explanation lists.",
        json_schema_extra={"unit": "versions"},
    )
    deadline_seconds: float = Field(
        default=10.0,
        gt=0,
        le=60,
        description="Longest wait for the retriever and the change-detector together.",
        json_schema_extra={"unit": "seconds"},
    )
    texts_cached: int = Field(
        default=256,
        ge=1,
        description="Texts of versions kept in memory.",
        json_schema_extra={"unit": "versions"},
    )
