"""The extractive answer: sentences of the passages found, quoted word for word."""

from collections.abc import Sequence
from dataclasses import dataclass

from scops.common.contract.messages.retrieval import Evidence
from scops.common.observe.tracing import stage
from scops.explainer import metrics
from scops.explainer.ports import ExplainerPorts, VersionText
from scops.explainer.quotes.selection import choose, covered, preselect, support
from scops.explainer.quotes.spans import Quote, joined, quotes_of


@dataclass(frozen=True, slots=True)
class ReadablePassages:
    """Passages with their versions' texts, by place."""

    evidence: tuple[Evidence, ...] = ()
    versions: tuple[VersionText, ...] = ()


async def extract(question: str, found: ReadablePassages, ports: ExplainerPorts) -> list[Quote]:
    """Returns the quotes of the answer in reading order; none to abstain."""
    with stage(metrics.STAGE_SECONDS, "quote"):
        return await _chosen(question, found, ports)


async def _chosen(question: str, found: ReadablePassages, ports: ExplainerPorts) -> list[Quote]:
    settings = ports.settings
    quoted = found.evidence[: settings.passages]
    candidates = preselect(question, _quotes(quoted, found.versions), quoted, settings)
    metrics.SENTENCES.observe(len(candidates))
    if not candidates:
        return []
    embedder = await ports.embedder()
    texts = [entry.quote.embedded_text for entry in candidates]
    vectors = await embedder.embed([question, *texts])
    asked, rows = vectors[0], vectors[1:]
    named = covered(question, quoted)
    if support(candidates, asked, rows, covered=named) < settings.support_min:
        return []
    return joined(choose(candidates, asked, rows, settings), found.versions)


def _quotes(evidence: Sequence[Evidence], versions: Sequence[VersionText]) -> list[Quote]:
    return [
        quote
        for place, passage in enumerate(evidence)
        for quote in quotes_of(place, passage, versions[place])
    ]
