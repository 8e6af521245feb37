"""Chunks: whole blocks, packed by content, with a header and an id that hang on them alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scops.change_detector.chunking.atoms import Atom, atoms_of
from scops.change_detector.chunking.packing import pack
from scops.change_detector.chunking.token_counts import CHARACTERS_PER_TOKEN_MAX, CountTokens
from scops.change_detector.templates.blocks import kept_runs
from scops.common.contract import ids
from scops.common.contract.ids import ChunkId, PageId
from scops.common.contract.messages.content import Document, TrustTier
from scops.common.text.sentences import Span, sentence_spans

CHUNKER_VERSION = "2"
SPECIAL_TOKENS = 2
# The header `title > section` that is embedded with a chunk.
HEADER_TOKENS_MIN, HEADER_TOKENS_MAX = 16, 64
HEADER_SEPARATOR = " > "


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSizes:
    """How chunks are cut; all in tokens of the embedder.

    Attributes:
        tokens_min: from here on a chunk ends where the content allows.
        tokens_max: a chunk never has more, its overlap aside.
        header_tokens_max: longest header.
        overlap_tokens_max: sentences of the chunk before that are taken again; 0 for none.
    """

    tokens_min: int
    tokens_max: int
    overlap_tokens_max: int = 0
    header_tokens_max: int = HEADER_TOKENS_MAX

    def version(self) -> str:
        """Returns a name that differs when any text could be cut otherwise."""
        sizes = f"{self.tokens_min}-{self.tokens_max}-{self.header_tokens_max}"
        return f"cdc{CHUNKER_VERSION}/{sizes}-{self.overlap_tokens_max}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A chunk of a text; `text == clean_text[start:end]`.

    Attributes:
        read_by_ocr: some of it was read in a picture of the page.
    """

    chunk_id: ChunkId
    start: int
    end: int
    text: str
    header: str
    section_path: tuple[str, ...]
    trust: TrustTier = TrustTier.UNSPECIFIED
    read_by_ocr: bool = False


def header_room(sizes: ChunkSizes, *, embedder_tokens_max: int) -> int:
    """Returns the longest header for which header and chunk together fit the embedder."""
    room = embedder_tokens_max - SPECIAL_TOKENS - sizes.tokens_max - sizes.overlap_tokens_max
    return min(sizes.header_tokens_max, max(room, HEADER_TOKENS_MIN))


def chunk_text(
    page_id: PageId,
    text: str,
    document: Document,
    count_tokens: CountTokens,
    sizes: ChunkSizes,
    *,
    header_tokens_max: int,
    left_out: frozenset[int] = frozenset(),
) -> tuple[Chunk, ...]:
    """Cuts a text into chunks in reading order; they hold the characters of every other block.

    Args:
        header_tokens_max: from `header_room`.
        left_out: places of blocks that no chunk holds or reaches across.
    """
    occurrences: Counter[tuple[str, str]] = Counter()
    flagged = [
        (block.start, block.end)
        for block in document.blocks
        if block.trust is TrustTier.INSTRUCTION_LIKE
    ]
    recognised = [(block.start, block.end) for block in document.blocks if block.read_by_ocr]
    chunks: list[Chunk] = []
    for packed, follows in _packed(text, document, count_tokens, sizes, left_out):
        start, end = packed[0].start, packed[-1].end
        if follows and sizes.overlap_tokens_max:
            before = (chunks[-1].start, chunks[-1].end)
            start = _overlap_start(
                text,
                before,
                start,
                count_tokens,
                sizes.overlap_tokens_max,
                language=document.language,
            )
        path = _section_path(packed)
        header = header_of(document.title, path, count_tokens, tokens_max=header_tokens_max)
        content = text[start:end]
        occurrence = occurrences[header, content]
        occurrences[header, content] += 1
        chunks.append(
            Chunk(
                chunk_id=ids.chunk_id(page_id, header, content, occurrence),
                start=start,
                end=end,
                text=content,
                header=header,
                section_path=path,
                trust=_trust(flagged, start, end),
                read_by_ocr=_touches(recognised, start, end),
            )
        )
    return tuple(chunks)


def _packed(
    text: str,
    document: Document,
    count_tokens: CountTokens,
    sizes: ChunkSizes,
    left_out: frozenset[int],
) -> Iterator[tuple[Sequence[Atom], bool]]:
    """Yields the atoms of each chunk, and whether it follows another one in the same run."""
    for run in kept_runs(document.blocks, left_out):
        atoms = atoms_of(
            text, run, count_tokens, tokens_max=sizes.tokens_max, language=document.language
        )
        packs = pack(atoms, tokens_min=sizes.tokens_min, tokens_max=sizes.tokens_max)
        for place, packed in enumerate(packs):
            yield packed, place > 0


def header_of(
    title: str, section_path: Sequence[str], count_tokens: CountTokens, *, tokens_max: int
) -> str:
    """Returns `title > section > subsection`, shortened from the middle, then from the end.

    A heading that repeats the part before it (many pages repeat their title) is left out.
    """
    parts = [" ".join(part.split()) for part in (title, *section_path)]
    parts = [part for i, part in enumerate(parts) if part and part not in parts[:i]]
    while len(parts) > 2 and count_tokens(HEADER_SEPARATOR.join(parts)) > tokens_max:
        del parts[1]
    # No header that fits is longer, whatever is taken off its end.
    whole = HEADER_SEPARATOR.join(parts)[: CHARACTERS_PER_TOKEN_MAX * (tokens_max + 1)]
    words = whole.split(" ")
    while len(words) > 1 and count_tokens(" ".join(words)) > tokens_max:
        words.pop()
    header = " ".join(words).removesuffix(HEADER_SEPARATOR.rstrip())
    return header if count_tokens(header) <= tokens_max else ""


def _trust(flagged: Sequence[Span], start: int, end: int) -> TrustTier:
    """Returns the lowest tier of the blocks that a chunk has a part in."""
    touched = _touches(flagged, start, end)
    return TrustTier.INSTRUCTION_LIKE if touched else TrustTier.UNSPECIFIED


def _touches(spans: Sequence[Span], start: int, end: int) -> bool:
    return any(first < end and start < last for first, last in spans)


def _section_path(packed: Sequence[Atom]) -> tuple[str, ...]:
    """The path of the first piece that is no heading; a chunk of headings takes the first's."""
    bodies = (atom for atom in packed if not atom.is_heading)
    return next(bodies, packed[0]).section_path


def _overlap_start(
    text: str,
    before: Span,
    start: int,
    count_tokens: CountTokens,
    tokens_max: int,
    *,
    language: str,
) -> int:
    """Returns where a chunk begins when it repeats the last sentences of the one before."""
    offset = before[0]
    for first, _ in reversed(sentence_spans(text[slice(*before)], language)):
        if count_tokens(text[first + offset : before[1]]) > tokens_max:
            break
        start = first + offset
    return start
