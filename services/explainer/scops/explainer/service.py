"""Composes the explainer."""

from functools import partial

from scops.common.access.asked import AssertedIdentity, checked_bindings
from scops.common.contract.service_table import Role
from scops.common.processes.compute import ChildCompute, compute_tasks
from scops.common.runtime.platform import Platform
from scops.common.runtime.service import Loop, Service, query_bindings
from scops.explainer.adapters.archive_texts import ArchiveTexts
from scops.explainer.adapters.bundle_key import bundle_key
from scops.explainer.answer.gaps import unanswered
from scops.explainer.citations.anchors import find_again
from scops.explainer.ports import ExplainerPorts
from scops.explainer.quotes.alignment import align_quote
from scops.explainer.quotes.selection import preselected
from scops.explainer.quotes.spans import quotes_in
from scops.explainer.router import ANSWERS
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.opening import shared_embedder
from scops.libraries.model.openai_model import OpenAIModel

PUBLISH_SECONDS = 60.0
# Further attempts after a model refused or could not be reached.
MODEL_RETRIES = 1
# For one answer; what is done at once takes at most 0.2 s, whatever the text.
COMPUTE_SECONDS = 5.0
INLINE_CHARACTERS_MAX = 40_000


def build(settings: ExplainerSettings, platform: Platform) -> Service:
    """Returns the explainer on the shared ports of a process."""
    models = _models(settings, platform)
    ports = ExplainerPorts(
        query_client=platform.query_client,
        texts=ArchiveTexts(platform.archive),
        embedder=shared_embedder(platform),
        clock=platform.clock,
        settings=settings,
        bundle_key=bundle_key(
            settings.bundle_key.get_secret_value(),
            platform.common.data_dir / "explainer" / "bundle.key",
            organisation_id=platform.common.organisation_id,
        ),
        random=platform.random,
        model=models.get(settings.model_name),
        models=models,
        compute=ChildCompute(
            platform.children,
            seconds=COMPUTE_SECONDS,
            inline_characters_max=INLINE_CHARACTERS_MAX,
        ),
    )
    publish = partial(_publish_cited, ports, platform)

    async def close() -> None:
        await publish()
        for model in models.values():
            await model.close()

    return Service(
        role=Role.EXPLAINER,
        child_tasks=compute_tasks(quotes_in, preselected, align_quote, find_again, unanswered),
        queries=checked_bindings(
            query_bindings(ANSWERS, ports), AssertedIdentity(platform.scope_book, platform.clock)
        ),
        loops=(
            Loop.every(
                PUBLISH_SECONDS, publish, name="cited", pause=platform.clock.sleep, waits_first=True
            ),
        ),
        close=close,
    )


async def _publish_cited(ports: ExplainerPorts, platform: Platform) -> None:
    await ports.cited.publish(
        platform.publisher,
        organisation_id=platform.common.organisation_id,
        now=platform.clock.now(),
        chance=platform.random,
    )


def _models(settings: ExplainerSettings, platform: Platform) -> dict[str, OpenAIModel]:
    """Returns the models that a question may name, the one that it has otherwise first."""
    if not settings.model_url:
        return {}
    return {
        name: OpenAIModel(
            url=settings.model_url,
            name=name,
            key=settings.model_key.get_secret_value(),
            retries=MODEL_RETRIES,
            clock=platform.clock,
        )
        for name in (settings.model_name, *settings.model_names)
    }
