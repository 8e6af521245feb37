"""Every embedder keeps the port's promises: the real ones, and the fake that other tests use."""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest

from scops.libraries.embedder.port import Embedder
from scops.libraries.embedder.registry import load_embedder
from tests.fakes.embedder import HashingEmbedder

TEXTS = ["Scops owls hunt at night.", "The yearly fee is 24 euros.", "", "eule " * 40]
LONG_TEXT = " ".join(f"Paragraph {number} says that owls sleep by day." for number in range(120))
LOADERS: dict[str, Callable[[], Embedder]] = {
    "int8": partial(load_embedder, "onnx-int8"),
    "fp32": partial(load_embedder, "onnx-fp32"),
    "e5": partial(load_embedder, "e5-int8"),
    "hashing": HashingEmbedder,
}
if find_spec("sentence_transformers") is not None:
    LOADERS["torch"] = partial(load_embedder, "torch-fp32")


@pytest.fixture(scope="module", params=LOADERS)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    """Returns each embedder in turn, loaded once."""
    loaded = LOADERS[request.param]()
    yield loaded
    loaded.close()


async def test_rows_have_unit_length_type_and_shape(embedder: Embedder) -> None:
    """Dot products of rows are cosines, for the empty text and a long one too."""
    vectors = await embedder.embed(["", "one", LONG_TEXT])

    assert (3, embedder.dimensions) == vectors.shape
    assert np.float32 == vectors.dtype
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


async def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    """An empty request is allowed."""
    assert (0, embedder.dimensions) == (await embedder.embed([])).shape


async def test_vector_does_not_depend_on_the_texts_beside_it(embedder: Embedder) -> None:
    """Vectors are cached by text and embedder_id, so they are equal to the last bit."""
    together = await embedder.embed([*TEXTS, LONG_TEXT])
    alone = [(await embedder.embed([text]))[0] for text in [*TEXTS, LONG_TEXT]]

    assert np.array_equal(np.stack(alone), together)


async def test_order_and_duplicates_are_kept(embedder: Embedder) -> None:
    """Rows follow the texts, whatever order they are computed in."""
    vectors = await embedder.embed(["b", LONG_TEXT, "a", "b"])
    reverse = await embedder.embed(["b", "a", LONG_TEXT, "b"])

    assert np.array_equal(vectors, reverse[::-1])
    assert np.array_equal(vectors[0], vectors[3])


async def test_end_of_a_long_text_counts(embedder: Embedder) -> None:
    """A text beyond `max_tokens` is embedded whole: its last words change its vector."""
    ended, other = await embedder.embed(
        [f"{LONG_TEXT} {'tax ' * 30}", f"{LONG_TEXT} {'sea ' * 30}"]
    )

    assert embedder.count_tokens(LONG_TEXT) > embedder.max_tokens
    assert not np.allclose(ended, other, atol=1e-4)


async def test_requests_at_once_get_their_own_rows(embedder: Embedder) -> None:
    """Many tasks may embed at the same time."""
    alone = await embedder.embed(TEXTS)
    together = await asyncio.gather(*(embedder.embed([text]) for text in TEXTS))

    assert np.array_equal(alone, np.concatenate(together))


async def test_tokens_stand_where_their_spans_say(embedder: Embedder) -> None:
    """In their order, whatever their number; the text's own vector is that of `embed`."""
    texts = ["Owls hunt at night.", "", LONG_TEXT]
    read = await embedder.embed_tokens(texts)

    assert np.array_equal(await embedder.embed(texts), np.stack([one.vector for one in read]))
    for text, one in zip(texts, read, strict=True):
        starts, ends = one.spans[:, 0], one.spans[:, 1]

        assert (embedder.count_tokens(text), embedder.dimensions) == one.tokens.shape
        assert len(one.tokens) == len(one.spans)
        assert np.linalg.norm(one.tokens, axis=1) == pytest.approx(1, abs=1e-5)
        assert np.all(np.diff(starts) >= 0)
        assert np.all((starts <= ends) & (ends <= len(text)))
        assert _letters(text) == _letters("".join(text[start:end] for start, end in one.spans))


async def test_same_word_is_close_to_itself_in_another_text(embedder: Embedder) -> None:
    """Closer than any other of its text."""
    (asked,) = await embedder.embed_tokens(["owls"], as_queries=True)
    text = "The fee is due when owls hunt."
    (read,) = await embedder.embed_tokens([text])
    cosines = read.tokens @ asked.tokens.mean(axis=0)
    _, end = read.spans[int(cosines.argmax())]

    assert text.index("owls") < end <= text.index("owls") + len("owls")


async def test_no_texts_have_no_tokens(embedder: Embedder) -> None:
    """An empty request is allowed."""
    assert [] == await embedder.embed_tokens([])


def test_tokens_are_counted_without_special_tokens(embedder: Embedder) -> None:
    """The empty text has none, and nothing is cut at the model's length."""
    none, word, many = (embedder.count_tokens(text) for text in ("", "word", "word " * 2000))

    assert (0, 1, 2000) == (none, word, many)


def test_embedder_has_an_identity(embedder: Embedder) -> None:
    """An index knows its embedder by a name and a number of dimensions."""
    assert embedder.embedder_id
    assert embedder.dimensions > 0


def _letters(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())
