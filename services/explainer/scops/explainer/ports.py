"""What the explainer needs: the query plane, texts of versions, an embedder, time."""

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from scops.common.contract.messages.content import Block
from scops.common.contract.messages.explanation import TextProvenance
from scops.common.processes.compute import Compute, compute_at_once
from scops.common.query.ports import QueryClient
from scops.common.runtime.clock import Clock
from scops.explainer.citations.cited_pages import CitedPages
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.port import Embedder
from scops.libraries.model.language_model import LanguageModel


@dataclass(frozen=True, slots=True)
class VersionText:
    """The clean text of a version and its blocks, offsets in code points.

    Attributes:
        provenance: how far text and dates can be trusted.
        language: of the page; nothing where it is not known.
    """

    text: str
    blocks: tuple[Block, ...]
    provenance: TextProvenance = field(default_factory=TextProvenance)
    language: str = ""


class VersionTextReader(Protocol):
    """Texts of versions by the digest of their manifest."""

    async def get(self, manifest_digest: str) -> VersionText:
        """Returns the text that a manifest stands for.

        Raises:
            BlobMissing: the archive lacks the manifest, its text or its document.
            InvalidInput: a blob is not what the manifest says.
            StoreUnavailable: the archive does not answer.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainerPorts:
    """Everything the handlers reach.

    Attributes:
        bundle_key: signs what an answer was made of.
        random: makes the nonces of fences.
        model: words answers; None where none is configured.
        models: by name, those that a question may name, `model` among them.
        cited: counts which pages answers cite.
        compute: does what may take long with what a page holds.
    """

    query_client: QueryClient
    texts: VersionTextReader
    embedder: Callable[[], Awaitable[Embedder]]
    clock: Clock
    settings: ExplainerSettings
    bundle_key: bytes
    random: random.Random
    model: LanguageModel | None = None
    models: Mapping[str, LanguageModel] = field(default_factory=dict)
    cited: CitedPages = field(default_factory=CitedPages)
    compute: Compute = compute_at_once
