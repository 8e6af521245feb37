"""Texts of versions out of the archive."""

import pytest

from scops.common.archive.opening import open_archive
from scops.common.contract.errors import BlobMissing
from scops.explainer.adapters.archive_texts import ArchiveTexts
from tests.fakes.worlds.explainer import ABSENT, stored
from tests.fakes.worlds.indexed_pages import page_of

PAGES = [page_of(f"https://docs.example.org/{n}", f"Page {n}. " + "word " * 100) for n in range(3)]


async def test_longest_unused_text_is_forgotten_first() -> None:
    """Memory is bounded by bytes; what was used last stays."""
    archive = open_archive("memory://", "main")
    digests = [await stored(archive, page) for page in PAGES]
    texts = ArchiveTexts(archive, bytes_max=1200)
    first = await texts.get(digests[0])
    second = await texts.get(digests[1])
    assert first is await texts.get(digests[0])
    await texts.get(digests[2])

    assert first is await texts.get(digests[0])
    again = await texts.get(digests[1])
    assert second is not again
    assert second == again


async def test_missing_blob_is_told() -> None:
    """An absent manifest is no empty text."""
    texts = ArchiveTexts(open_archive("memory://", "main"), bytes_max=1000)
    with pytest.raises(BlobMissing):
        await texts.get(ABSENT.digest)
