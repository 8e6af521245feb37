"""A parser of the simulated web's bodies: implements the extractor's `Parser` port."""

import json
from dataclasses import dataclass, field, replace

from scops.common.contract import wire
from scops.common.contract.messages.content import (
    Block,
    BlockKind,
    Document,
    Link,
    LinkList,
    PageKind,
)
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.ports import PackedExtraction, ParseFailed


@dataclass
class SimParser:
    """Reads the JSON that `SimPage.body` writes.

    Attributes:
        failing: URLs whose next body fails to parse, once.
    """

    failing: set[str] = field(default_factory=set)

    async def parse(self, body: bytes, fetched: PageFetched) -> PackedExtraction:
        if body == b"poison":
            raise RuntimeError("poison")
        if fetched.canonical_url in self.failing:
            self.failing.discard(fetched.canonical_url)
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
        head = Document(title=title, language="en", extractor="simulated")
        links = LinkList(links=tuple(Link(url=url) for url in page["links"]))
        return PackedExtraction(
            kind=PageKind.ARTICLE,
            head=head,
            text=text.rstrip().encode(),
            document=wire.encode(replace(head, blocks=tuple(blocks))),
            links=wire.encode(links),
        )
