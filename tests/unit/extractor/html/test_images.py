"""Images: what they show is text where the page says it, and only there."""

import pytest

from scops.common.contract.messages.content import BlockKind
from tests.unit.extractor.pages import SENTENCES, blocks_of, extracted, shown, texts

ALT = "A tawny owl with a vole in its claws"
IMAGE = f'<img src="owl.jpg" alt="{ALT}">'


def _around(image: str) -> str:
    return f"<h1>Owls</h1><p>{SENTENCES[0]}</p>{image}<p>{SENTENCES[1]}</p><p>{SENTENCES[2]}</p>"


@pytest.mark.parametrize(
    "image",
    [IMAGE, f"<figure>{IMAGE}</figure>", f"<p>{IMAGE}</p>", f'<a href="/owl.JPG">{IMAGE}</a>'],
)
def test_what_an_image_shows_is_a_block_of_its_own(image: str) -> None:
    """It stands where the image stands, and is told apart from what is written."""
    found = extracted(_around(image))

    assert texts(found) == ["Owls", SENTENCES[0], ALT, *SENTENCES[1:]]
    assert found.document.blocks[2].kind is BlockKind.IMAGE


def test_sentence_around_an_image_is_not_torn() -> None:
    """An image inside a paragraph follows it."""
    assert shown(blocks_of(f"<p>It hunts {IMAGE} at night.</p>")) == [
        (BlockKind.PARAGRAPH, "It hunts at night."),
        (BlockKind.IMAGE, ALT),
    ]


@pytest.mark.parametrize(
    "image",
    [
        '<img alt="">',
        "<img>",
        '<img alt="Ada Wren">',
        '<img alt="tawny owl at night 2.jpg">',
        f'<a href="/other">{IMAGE}</a>',
        f"<figure>{IMAGE}<figcaption>{ALT}.</figcaption></figure>",
        f'<img hidden alt="{ALT}">',
        f"<nav>{IMAGE}</nav>",
    ],
    ids=["empty", "none", "name", "file", "link", "caption", "hidden", "navigation"],
)
def test_image_that_adds_nothing_is_left_out(image: str) -> None:
    """Decoration, names, files, links elsewhere and repeated captions are no text."""
    kinds = {block.kind for block in extracted(_around(image)).document.blocks}

    assert BlockKind.IMAGE not in kinds


def test_image_outside_of_the_main_text_is_left_out() -> None:
    """What stands behind the last kept block belongs to something else."""
    found = extracted(f"<main>{_around('')}</main>{IMAGE}")

    assert texts(found) == ["Owls", *SENTENCES]


def test_image_is_shown_once() -> None:
    """Copies for other screens repeat it."""
    assert texts(extracted(_around(IMAGE + IMAGE))).count(ALT) == 1


def test_words_without_spaces_are_words() -> None:
    """Chinese and Japanese set no spaces."""
    assert shown(blocks_of('<img alt="一只猫头鹰在树上休息">')) == [
        (BlockKind.IMAGE, "一只猫头鹰在树上休息")
    ]
