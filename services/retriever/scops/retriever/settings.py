"""Settings of the retriever; prefix `SCOPS_RETRIEVER_`."""

from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings, setting


class RetrieverSettings(ServiceSettings):
    """What an operator turns; weights and inner bounds are constants beside their use."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_RETRIEVER_")

    candidates: int = setting(
        50,
        "Hits asked from each side of the store, and the best of both that are ranked; four times "
        "as many where time, freshness, preferred scopes or mentions rank beside the store. More "
        "find more in large scopes, and take longer.",
        unit="passages",
        group="basic",
        ge=10,
        le=800,
    )
    page_passages_max: int = setting(
        8,
        "Most passages of one page in a reply, unless the request names its own; 0 is no bound.",
        unit="passages",
        ge=0,
    )
    half_life_days: float = setting(
        90.0,
        "Age at which the freshness of a text is one half, on a site of which nothing is known "
        "yet. Shorter for news, longer for archives.",
        unit="days",
        gt=0,
    )
    reranker_folder: str = setting(
        "",
        "Folder of a cross-encoder (`model.onnx`, `tokenizer.json`) that reads the best passages "
        "with the question; empty for none.",
        unit="path",
        group="basic",
    )
    reranker_passages: int = setting(
        10,
        "Passages that a reranker reads; each costs what an embedding costs.",
        unit="passages",
        ge=1,
        le=100,
    )
    search_seconds: float = setting(
        5.0,
        "Longest wait for all searches of the index for one question together.",
        unit="seconds",
        gt=0,
        le=60,
    )
    await_max_seconds: float = setting(
        5.0,
        "Longest wait for pages that a question wants verified first.",
        unit="seconds",
        gt=0,
    )
    canary_share: float = setting(
        0.01,
        "Share of questions whose vector search is compared with a comparison of every object, "
        "after the answer.",
        unit="share",
        ge=0,
        le=1,
    )
