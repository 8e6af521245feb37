"""The mention extractor that the settings name."""

from importlib.util import find_spec

from scops.common.contract.errors import InvalidInput, PermanentError
from scops.common.processes.compute import Compute
from scops.common.runtime.clock import Clock
from scops.indexer.settings import IndexerSettings
from scops.libraries.mentions.model_extractor import ModelBounds, ModelExtractor
from scops.libraries.mentions.port import MentionExtractor
from scops.libraries.mentions.rules import RuleExtractor
from scops.libraries.mentions.spacy_extractor import SpacyExtractor
from scops.libraries.model.openai_model import OpenAIModel

# A chunk that a model failed on is read by the rules; asking again would hold the page up.
RETRIES = 0


def mention_extractor(
    settings: IndexerSettings, clock: Clock, compute: Compute
) -> MentionExtractor:
    """Returns the extractor; what it needs is loaded at its first call.

    Args:
        compute: where the rules read texts that take long.

    Raises:
        InvalidInput: a model is to read, and none is named.
        PermanentError: a model is to read, and the package that asks it is missing.
    """
    if settings.mentions == "spacy":
        return SpacyExtractor(settings.mentions_spacy_pipeline)
    if settings.mentions == "model":
        return _by_model(settings, clock)
    return RuleExtractor(compute)


def _by_model(settings: IndexerSettings, clock: Clock) -> ModelExtractor:
    if not settings.mentions_model_url:
        raise InvalidInput(
            "SCOPS_INDEXER_MENTIONS is `model`, but SCOPS_INDEXER_MENTIONS_MODEL_URL is empty. "
            "Name an endpoint, or unset both.",
            reason="MODEL_UNNAMED",
        )
    if find_spec("openai") is None:
        raise PermanentError(
            "SCOPS_INDEXER_MENTIONS is `model`, but the package `openai` is missing. "
            "Install scops[model], or unset the variable.",
            reason="MODEL_EXTRA_MISSING",
        )
    model = OpenAIModel(
        url=settings.mentions_model_url,
        name=settings.mentions_model_name,
        key=settings.mentions_model_key.get_secret_value(),
        retries=RETRIES,
        clock=clock,
    )
    return ModelExtractor(model, ModelBounds(), clock, as_json=settings.mentions_model_json)
