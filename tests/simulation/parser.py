"""A parser of the simulated web's bodies: implements the extractor's `Parser` port."""

import json
from dataclasses import dataclass, field

from scops.common.contract import wire
from scops.common.contract.messages.content import (
    Block,
    BlockKind,
    Document,
    Link,
    LinkList,
    PageKind,
    TrustTier,
)
from scops.extractor.ports import BodyFacts, PackedExtraction, ParseFailed


@dataclass
class SimParser:
    """Reads the JSON that `SimPage.body` writes.

    Attributes:
        failing: URLs whose next body fails to parse, once.
    """

    failing: set[str] = field(default_factory=set)

    async def parse(self, body: bytes, facts: BodyFacts) -> PackedExtraction:
        if body == b"poison":
            raise RuntimeError("poison")
        if facts.url in self.failing:
            self.failing.discard(facts.url)
            raise ParseFailed("The parser was told to fail once.")
        page = json.loads(body)
        title, paragraphs = page["title"], page["paragraphs"]
        text, blocks = "", []
        for paragraph in paragraphs:
            start = len(text)
            text += paragraph
            block = Block(kind=BlockKind.PARAGRAPH, start=start, end=len(text))
            blocks.append(block)
            text += "\n\n"
        document = Document(title=title, language="en", blocks=tuple(blocks))
        links = LinkList(links=tuple(Link(url=url) for url in page["links"]))
        return PackedExtraction(
            kind=PageKind.ARTICLE,
            text=text.rstrip().encode(),
            document=wire.encode(document),
            links=wire.encode(links),
            title=title,
            language="en",
            stated=(),
            flags=(),
            extractor="simulated",
            trust=TrustTier.UNSPECIFIED,
        )
