"""Settings of the explainer; prefix `SCOPS_EXPLAINER_`."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import MEBIBYTE, ServiceSettings


class ExplainerSettings(ServiceSettings):
    """How an extractive answer and its explanation are put together."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_EXPLAINER_")

    passages: int = Field(
        10,
        ge=1,
        le=50,
        description="Fewest passages asked from the retriever; the first as many are quoted.",
        json_schema_extra={"unit": "passages"},
    )
    sentences_embedded: int = Field(
        16,
        ge=1,
        le=100,
        description="Sentences that are compared with the question by their vectors.",
        json_schema_extra={"unit": "sentences"},
    )
    quotes_max: int = Field(
        5,
        ge=1,
        le=20,
        description="Most quotes in an answer.",
        json_schema_extra={"unit": "quotes"},
    )
    words_max: int = Field(
        80,
        ge=20,
        description="Most words that the quotes of an answer hold together.",
        json_schema_extra={"unit": "words"},
    )
    diversity: float = Field(
        0.2,
        ge=0,
        le=1,
        description="How much a quote's likeness to a chosen one counts against it (MMR).",
        json_schema_extra={"unit": "share"},
    )
    relative_min: float = Field(
        0.6,
        ge=0,
        le=1,
        description="Score, relative to the best, below which a third or later quote is left out.",
        json_schema_extra={"unit": "share"},
    )
    support_min: float = Field(
        0.3,
        ge=0,
        le=1,
        description="Probability that the passages answer, below which there is no answer.",
        json_schema_extra={"unit": "probability"},
    )
    model_url: str = Field(
        "",
        description="OpenAI-compatible endpoint that words answers, up to /v1; empty for none.",
        json_schema_extra={"unit": "URL"},
    )
    model_name: str = Field(
        "", description="Model asked at that endpoint.", json_schema_extra={"unit": ""}
    )
    model_key: SecretStr = Field(
        SecretStr(""), description="Key of that endpoint.", json_schema_extra={"unit": ""}
    )
    model_timeout_seconds: float = Field(
        8.0,
        gt=0,
        le=300,
        description="Longest wait for a model; the caller's deadline may be shorter.",
        json_schema_extra={"unit": "seconds"},
    )
    model_json: bool = Field(
        False,
        description="Asks the endpoint for a JSON object (`response_format`), which keeps small "
        "models in form; not every endpoint knows it.",
        json_schema_extra={"unit": ""},
    )
    model_retries: int = Field(
        1,
        ge=0,
        le=5,
        description="Further attempts after a model refused or could not be reached.",
        json_schema_extra={"unit": "attempts"},
    )
    model_tokens_max: int = Field(
        700,
        ge=50,
        description="Longest answer of a model.",
        json_schema_extra={"unit": "tokens"},
    )
    model_passages: int = Field(
        6,
        ge=1,
        le=50,
        description="Passages that a model reads.",
        json_schema_extra={"unit": "passages"},
    )
    model_summaries: int = Field(
        0,
        ge=0,
        le=50,
        description="Passages that a model first sums up for the question, a request each.",
        json_schema_extra={"unit": "passages"},
    )
    model_input_price: float = Field(
        0.0,
        ge=0,
        description="Price of a million tokens that a model reads, in your currency.",
        json_schema_extra={"unit": "price"},
    )
    model_output_price: float = Field(
        0.0,
        ge=0,
        description="Price of a million tokens that a model writes, in your currency.",
        json_schema_extra={"unit": "price"},
    )
    history_turns_max: int = Field(
        10,
        ge=0,
        le=100,
        description="Last turns of a conversation that a model reads.",
        json_schema_extra={"unit": "turns"},
    )
    change_rate_prior: float = Field(
        0.008,
        gt=0,
        description="Changes of meaning a day that a page of unknown history is taken to have.",
        json_schema_extra={"unit": "per day"},
    )
    bundle_key: SecretStr = Field(
        SecretStr(""),
        description="Key that signs evidence bundles; empty keeps one in the data folder.",
        json_schema_extra={"unit": ""},
    )
    reply_bytes_max: int = Field(
        448 * 1024,
        ge=4096,
        description="Size of passages and evidence bundle above which the bundle is left out.",
        json_schema_extra={"unit": "bytes"},
    )
    lineage_versions: int = Field(
        5,
        ge=2,
        le=50,
        description="Versions of a page that an explanation lists, the cited one among them.",
        json_schema_extra={"unit": "versions"},
    )
    history_versions: int = Field(
        200,
        ge=2,
        le=500,
        description="Newest versions of a page among which the cited one is looked for.",
        json_schema_extra={"unit": "versions"},
    )
    diff_characters: int = Field(
        600,
        ge=1,
        description="Most characters of the diff shown with the cited version.",
        json_schema_extra={"unit": "characters"},
    )
    resolve_versions_max: int = Field(
        500,
        ge=2,
        le=500,
        description="Newest versions of a page among which a stored citation's is looked for.",
        json_schema_extra={"unit": "versions"},
    )
    resolve_citations_max: int = Field(
        50,
        ge=1,
        le=500,
        description="Most stored citations that are looked up again in one call.",
        json_schema_extra={"unit": "citations"},
    )
    deadline_seconds: float = Field(
        10.0,
        gt=0,
        le=60,
        description="Longest wait for the retriever; the caller's deadline may be shorter.",
        json_schema_extra={"unit": "seconds"},
    )
    lineage_seconds: float = Field(
        2.0,
        gt=0,
        le=60,
        description="Longest wait for all lineages of one explanation; late ones are left out.",
        json_schema_extra={"unit": "seconds"},
    )
    freshness_seconds: float = Field(
        0.5,
        gt=0,
        le=60,
        description="Longest wait for the histories of cited pages where no explanation is asked.",
        json_schema_extra={"unit": "seconds"},
    )
    revalidate_risk_max: float = Field(
        0.3,
        ge=0,
        le=1,
        description="Risk above which `if_risky` has the cited pages checked.",
        json_schema_extra={"unit": "probability"},
    )
    revalidate_seconds: float = Field(
        4.0,
        gt=0,
        le=60,
        description="Longest wait for a check of the cited pages.",
        json_schema_extra={"unit": "seconds"},
    )
    revalidate_age_seconds: float = Field(
        60.0,
        ge=0,
        description="A page checked so short a time ago is not asked again.",
        json_schema_extra={"unit": "seconds"},
    )
    texts_bytes_max: int = Field(
        32 * MEBIBYTE,
        ge=0,
        description="VersionTextReader of versions kept in memory, as encoded.",
        json_schema_extra={"unit": "bytes"},
    )
