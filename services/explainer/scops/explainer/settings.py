"""Settings of the explainer; prefix `SCOPS_EXPLAINER_`."""

from pydantic import SecretStr
from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings, setting


class ExplainerSettings(ServiceSettings):
    """What an operator turns; weights and inner bounds are constants beside their use."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_EXPLAINER_")

    support_min: float = setting(
        0.35,
        "Probability that the passages answer, below which there is no answer. Higher answers "
        "less often and errs less.",
        unit="probability",
        group="basic",
        ge=0,
        le=1,
    )
    model_url: str = setting(
        "",
        "OpenAI-compatible endpoint that words answers, up to /v1; empty for none.",
        unit="URL",
        group="basic",
    )
    model_name: str = setting("", "Model asked at that endpoint.", group="basic")
    model_names: tuple[str, ...] = setting(
        (),
        "Further models of that endpoint, with commas, that a question may name. Each is counted "
        "at the same prices: give those of the dearest where costs are bounded.",
    )
    model_key: SecretStr = setting(SecretStr(""), "Key of that endpoint.", group="basic")
    model_timeout_seconds: float = setting(
        8.0,
        "Longest wait for a model; the caller's deadline may be shorter.",
        unit="seconds",
        gt=0,
        le=300,
    )
    model_json: bool = setting(
        False,
        "Asks the endpoint for a JSON object (`response_format`), which keeps small models in "
        "form; not every endpoint knows it.",
    )
    model_passages: int = setting(
        6, "Passages that a model reads; fewer for a small one.", unit="passages", ge=1, le=50
    )
    model_reads_orders: bool = setting(
        False,
        "Shows a model also passages that give orders to models, such as pages about prompt "
        "injection hold.",
    )
    model_tokens_max: int = setting(700, "Longest answer of a model.", unit="tokens", ge=50)
    model_summaries: int = setting(
        0,
        "Passages that a model first sums up for the question, a request each.",
        unit="passages",
        ge=0,
        le=50,
    )
    model_input_price: float = setting(
        0.0,
        "Price of a million tokens that a model reads, in your currency.",
        unit="price",
        ge=0,
    )
    model_output_price: float = setting(
        0.0,
        "Price of a million tokens that a model writes, in your currency.",
        unit="price",
        ge=0,
    )
    bundle_key: SecretStr = setting(
        SecretStr(""),
        "Key that signs evidence bundles, at least 32 bytes, the same on every instance; empty "
        "keeps one in the data folder.",
    )
    revalidate_age_seconds: float = setting(
        60.0,
        "A cited page that was checked so short a time ago is not checked again for an answer.",
        unit="seconds",
        ge=0,
    )
