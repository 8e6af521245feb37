"""The walk: which blocks an HTML body has."""

import pytest

from scops.common.contract.messages.content import BlockKind
from tests.unit.extractor.pages import blocks_of, shown

PARAGRAPH, HEADING, ITEM = BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST_ITEM
ROW, CODE, QUOTE = BlockKind.TABLE_ROW, BlockKind.CODE, BlockKind.QUOTE


def test_text_around_blocks_is_kept_in_order() -> None:
    """Loose text before, between and after elements makes paragraphs where it stands."""
    assert shown(blocks_of("one<p>two <b>bold</b> end</p>three<div>four</div>five")) == [
        (PARAGRAPH, "one"),
        (PARAGRAPH, "two bold end"),
        (PARAGRAPH, "three"),
        (PARAGRAPH, "four"),
        (PARAGRAPH, "five"),
    ]


def test_nested_list_items_are_blocks_of_their_own() -> None:
    """An item ends where its nested list begins."""
    assert shown(blocks_of("<ul><li>owl<ul><li>tawny</li></ul></li><li>vole</li></ul>")) == [
        (ITEM, "owl"),
        (ITEM, "tawny"),
        (ITEM, "vole"),
    ]


def test_definition_list_gives_terms_and_definitions() -> None:
    """Terms and definitions are items in order."""
    assert shown(blocks_of("<dl><dt>FULL</dt><dd><p>All of it.</p></dd></dl>")) == [
        (ITEM, "FULL"),
        (ITEM, "All of it."),
    ]


def test_table_rows_join_their_cells() -> None:
    """A row is one block; an empty cell keeps its place, trailing ones do not."""
    table = (
        "<table><caption>Owls</caption><thead><tr><th>Name</th><th>Size</th></tr></thead>"
        "<tr><td><p>Tawny</p><p>owl</p></td><td>38 cm</td></tr>"
        "<tr><td></td><td>1</td></tr><tr><td>x</td><td></td></tr></table>"
    )

    assert shown(blocks_of(table)) == [
        (PARAGRAPH, "Owls"),
        (ROW, "Name | Size"),
        (ROW, "Tawny owl | 38 cm"),
        (ROW, "| 1"),
        (ROW, "x"),
    ]


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><td><h2>Owls</h2><p>They hunt.</p></td><td>Menu</td></tr></table>",
        '<table role="presentation"><tr><td><b>Owls</b><p>They hunt.</p></td><td>Menu</td></table>',
    ],
)
def test_layout_table_is_walked_as_text(table: str) -> None:
    """A table that lays out a page is no table."""
    assert ROW not in {block.kind for block in blocks_of(table)}
    assert [block.text for block in blocks_of(table)] == ["Owls", "They hunt.", "Menu"]


def test_two_line_breaks_end_a_paragraph() -> None:
    """Pages without paragraphs separate them by two breaks; one break is white space."""
    assert shown(blocks_of("one<br>line<br> <br>two")) == [
        (PARAGRAPH, "one line"),
        (PARAGRAPH, "two"),
    ]


def test_code_lines_are_verbatim() -> None:
    """Elements and breaks inside code only end lines."""
    code = "<pre><div>a  = 1</div><div>  b</div>c<br>d</pre>"

    assert shown(blocks_of(code)) == [(CODE, "a  = 1\n  b\nc\nd")]


def test_line_numbers_beside_code_are_dropped() -> None:
    """A column of line numbers is no text."""
    listing = "<table><tr><td><pre>1\n2</pre></td><td><pre>x = 1\ny = 2</pre></td></tr></table>"

    assert shown(blocks_of(listing)) == [(CODE, "x = 1\ny = 2")]


def test_quote_is_marked() -> None:
    """Paragraphs of a quotation are quotes."""
    assert shown(blocks_of("<blockquote><p>Hoo.</p></blockquote><p>It said.</p>")) == [
        (QUOTE, "Hoo."),
        (PARAGRAPH, "It said."),
    ]


def test_formula_stands_in_its_sentence_sign_by_sign() -> None:
    """MathML is seen; what it sets apart by place is set apart by a space: a half is not 12."""
    formula = "<math><mi>a</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"

    assert shown(blocks_of(f"<p>Where {formula}, owls hunt.</p>")) == [
        (PARAGRAPH, "Where a = 1 2, owls hunt.")
    ]


def test_permalink_sign_is_no_part_of_a_heading() -> None:
    """The sign that links to a heading is dropped; other links in it stay."""
    heading = '<h2><a href="/o">Owls</a> at night<a class="headerlink" href="#o">¶</a></h2>'

    assert shown(blocks_of(heading)) == [(HEADING, "Owls at night")]


def test_title_of_a_note_opens_no_section() -> None:
    """The heading inside a warning is a paragraph."""
    assert shown(blocks_of('<div class="warning"><h3>Warning</h3><p>It bites.</p></div>')) == [
        (PARAGRAPH, "Warning"),
        (PARAGRAPH, "It bites."),
    ]


def test_block_inside_a_heading_stays_in_it() -> None:
    """A heading is one block whatever it holds."""
    assert shown(blocks_of("<h1><div>Owls</div><div>of Europe</div></h1>")) == [
        (HEADING, "Owls of Europe")
    ]


def test_boilerplate_is_marked() -> None:
    """Navigation, page header and footer are marked; the header of an article is not."""
    blocks = blocks_of(
        "<header>site</header><nav>menu</nav><div class='navheader'>up</div>"
        "<article><header>lede</header>text</article><footer>imprint</footer>"
    )

    assert {block.text for block in blocks if block.boilerplate} == {
        "site",
        "menu",
        "up",
        "imprint",
    }


def test_link_share_is_the_share_of_anchor_text() -> None:
    """A block made of links says so."""
    (linked, half) = blocks_of('<p><a href="/a">owls</a></p><p><a href="/a">owls</a>hunt</p>')

    assert (linked.link_share, half.link_share) == (1.0, 0.5)
