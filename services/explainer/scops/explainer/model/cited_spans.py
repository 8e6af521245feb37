"""The spans that a model's claims cite, found in the passages; what is not there is dropped."""

from dataclasses import dataclass, field

from scops.common.contract.messages.explanation import Citation
from scops.common.processes.compute import Compute
from scops.common.text.instructions import speaks_to_a_model
from scops.explainer.answer.evidence import ReadablePassages
from scops.explainer.citations.citation import cite
from scops.explainer.model.grounding import is_grounded
from scops.explainer.model.reply import CitedClaim, ClaimedQuote
from scops.explainer.quotes.alignment import align_quote
from scops.explainer.quotes.spans import Quote


@dataclass(slots=True)
class CitedSpans:
    """Citations in the order of the statements, each span once.

    Attributes:
        places: of the passages cited.
        dropped: claimed quotes that no passage holds.
    """

    found: ReadablePassages
    compute: Compute
    citations: list[Citation] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    dropped: int = 0

    async def numbers(self, claim: CitedClaim) -> tuple[int, ...]:
        """Returns the citations of a claim; none where it is not borne out by what it quotes."""
        found = [await self._span(quote) for quote in claim.quotes]
        spans = [span for span in found if span is not None]
        self.dropped += len(claim.quotes) - len(spans)
        about = " ".join(" ".join((span.title, *span.section_path)) for span in spans)
        if speaks_to_a_model(claim.text):
            return ()
        if not is_grounded(claim.text, [span.text for span in spans], about=about):
            return ()
        return tuple(dict.fromkeys(self._number(span) for span in spans))

    async def _span(self, claimed: ClaimedQuote) -> Quote | None:
        """Returns the span that a claimed quote stands for; None where there is none."""
        evidence = self.found.evidence
        order = list(range(len(evidence)))
        if 0 <= claimed.place < len(evidence):
            order.insert(0, claimed.place)
        for place in dict.fromkeys(order):
            text = evidence[place].text
            # Each token of a quote that is not there word for word meets each of the passage's;
            # a pair of characters that meet costs as much as a character that is read.
            met = 0 if claimed.quote in text else len(claimed.quote) * len(text)
            span = await self.compute(
                align_quote, claimed.quote, text, claimed.start, characters=met
            )
            if span is not None:
                return self._quote(place, *span)
        return None

    def _number(self, quote: Quote) -> int:
        """Returns the number of a span's citation."""
        for known in self.citations:
            span = (known.version_id, known.start, known.end)
            if span == (quote.version_id, quote.start, quote.end):
                return known.number
        evidence, version = self.found.evidence[quote.passage], self.found.versions[quote.passage]
        self.citations.append(cite(len(self.citations) + 1, quote, evidence, version))
        self.places.append(quote.passage)
        return len(self.citations)

    def _quote(self, place: int, start: int, end: int) -> Quote | None:
        passage, version = self.found.evidence[place], self.found.versions[place]
        start, end = passage.start + start, passage.start + end
        text = version.text[start:end]
        if speaks_to_a_model(text):
            return None
        return Quote(
            passage=place,
            version_id=passage.version_id,
            start=start,
            end=end,
            text=text,
            title=passage.title,
            section_path=passage.section_path,
        )
