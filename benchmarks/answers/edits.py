"""Later versions of documents, made by edits whose effect on every sentence is known."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scops.common.text.sentences import sentence_spans

# Far enough that no other block could be said to have moved instead.
MOVE_DISTANCE_MIN = 4
WORDS_MIN = 5
INSERTED = "Visitors of the archive are asked to leave note {number} of {page} where it lies."


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of the first version and what became of it: same, moved or superseded."""

    text: str
    state: str = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedDocument:
    """Blocks of text as they stand now, each with the sentences that it still holds.

    Attributes:
        sentences: of the first version that stand in it once; ids by their place.
        held: places of the sentences by block; a block that was inserted holds none.
    """

    blocks: tuple[str, ...]
    held: tuple[tuple[int, ...], ...]
    sentences: tuple[Sentence, ...]

    @property
    def states(self) -> dict[str, str]:
        """What became of each sentence of the first version."""
        return {sentence.text: sentence.state for sentence in self.sentences}


def first_version(blocks: Sequence[str]) -> EditedDocument:
    """Returns a document before any edit; sentences that stand in it twice are not followed."""
    whole = "\n".join(blocks)
    found: list[Sentence] = []
    held: list[tuple[int, ...]] = []
    counts = Counter(text for block in blocks for text in _sentences(block))
    for block in blocks:
        places = []
        for text in _sentences(block):
            if counts[text] == 1 and whole.count(text) == 1:
                places.append(len(found))
                found.append(Sentence(text=text))
        held.append(tuple(places))
    return EditedDocument(blocks=tuple(blocks), held=tuple(held), sentences=tuple(found))


def next_version(document: EditedDocument, page: str, chance: random.Random) -> EditedDocument:
    """Returns the document after a handful of edits: insert, drop, move and change a word."""
    document = _inserted(document, page, chance)
    document = _moved(document, chance)
    document = _reworded(document, chance)
    return _dropped(document, chance)


def _sentences(block: str) -> list[str]:
    texts = (block[start:end] for start, end in sentence_spans(block))
    return [text for text in texts if len(text.split()) >= WORDS_MIN]


def _inserted(document: EditedDocument, page: str, chance: random.Random) -> EditedDocument:
    place = chance.randint(0, len(document.blocks))
    text = INSERTED.format(number=chance.randint(1000, 9999), page=page)
    return replace(
        document,
        blocks=(*document.blocks[:place], text, *document.blocks[place:]),
        held=(*document.held[:place], (), *document.held[place:]),
    )


def _moved(document: EditedDocument, chance: random.Random) -> EditedDocument:
    places = [i for i, held in enumerate(document.held) if held and _all(document, held, "same")]
    if not places:
        return document
    source = chance.choice(places)
    rest = [i for i in range(len(document.blocks)) if i != source]
    targets = [j for j in range(len(rest) + 1) if abs(j - source) >= MOVE_DISTANCE_MIN]
    if not targets:
        return document
    target = chance.choice(targets)
    order = [*rest[:target], source, *rest[target:]]
    moved = replace(
        document,
        blocks=tuple(document.blocks[i] for i in order),
        held=tuple(document.held[i] for i in order),
    )
    return _marked(moved, document.held[source], "moved")


def _reworded(document: EditedDocument, chance: random.Random) -> EditedDocument:
    """Changes one word in the middle of a sentence."""
    places = [(i, k) for i, held in enumerate(document.held) for k in held]
    if not places:
        return document
    block, place = chance.choice(places)
    text = document.sentences[place].text
    if document.blocks[block].count(text) != 1:
        return document
    words = text.split(" ")
    middle = len(words) // 2
    words[middle] = f"no-{chance.randint(100, 999)}"
    changed = document.blocks[block].replace(text, " ".join(words))
    return _without(
        replace(document, blocks=_put(document.blocks, block, changed)), block, (place,)
    )


def _dropped(document: EditedDocument, chance: random.Random) -> EditedDocument:
    places = [i for i, held in enumerate(document.held) if held]
    if len(places) <= MOVE_DISTANCE_MIN:
        return document
    block = chance.choice(places)
    gone = _without(document, block, document.held[block])
    return replace(
        gone,
        blocks=(*gone.blocks[:block], *gone.blocks[block + 1 :]),
        held=(*gone.held[:block], *gone.held[block + 1 :]),
    )


def _without(document: EditedDocument, block: int, places: Sequence[int]) -> EditedDocument:
    left = tuple(place for place in document.held[block] if place not in places)
    held = (*document.held[:block], left, *document.held[block + 1 :])
    return _marked(replace(document, held=held), places, "superseded")


def _marked(document: EditedDocument, places: Sequence[int], state: str) -> EditedDocument:
    sentences = list(document.sentences)
    for place in places:
        sentences[place] = replace(sentences[place], state=state)
    return replace(document, sentences=tuple(sentences))


def _all(document: EditedDocument, places: Sequence[int], state: str) -> bool:
    return all(document.sentences[place].state == state for place in places)


def _put(blocks: tuple[str, ...], place: int, text: str) -> tuple[str, ...]:
    return (*blocks[:place], text, *blocks[place + 1 :])
