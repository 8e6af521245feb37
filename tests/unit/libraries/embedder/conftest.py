"""Loads each precision once; the weights are fetched by `make setup` or by the first test."""

from collections.abc import Iterator

import pytest

from scops.libraries.embedder.models import E5
from scops.libraries.embedder.onnx_embedder import OnnxEmbedder


@pytest.fixture(scope="session")
def fp32() -> Iterator[OnnxEmbedder]:
    embedder = OnnxEmbedder.load("fp32")
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def int8() -> Iterator[OnnxEmbedder]:
    embedder = OnnxEmbedder.load("int8")
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def e5() -> Iterator[OnnxEmbedder]:
    embedder = OnnxEmbedder.load("int8", model=E5)
    yield embedder
    embedder.close()
