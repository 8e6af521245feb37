"""What people said by turns is read whole, whatever they wrote."""

import pytest

from scops.extractor.text.charset import DecodedBody
from scops.extractor.text.plain_text import read_markdown
from scops.standalone.commands.apis.documents import conversation
from tests.unit.extractor.pages import fetched

ANSWER = "<section><h2>grebe</h2><p>It is 4 feet.</p></section>"


@pytest.mark.parametrize(
    "said",
    [
        "<p>Short.</p>",
        "<pre><code>one\n\n    two\n \n\nthree</code></pre>",
        "<pre>\r\n\r\n# no heading\r\n</pre>",
        "<!-- <p>hidden</p> --><p>Seen.</p>",
    ],
)
def test_everything_is_read_in_its_order(said: str) -> None:
    """Short answers, and code with empty lines, which end HTML in Markdown."""
    served = conversation("Tariff <b> & more", [said, ANSWER])
    decoded = DecodedBody(text=served.body.decode(), encoding="utf-8", replacement_share=0.0)
    reading = read_markdown(decoded, fetched())
    text = "\n".join(block.text for block in reading.blocks)

    assert "text/markdown" == served.media_type
    assert "Tariff <b> & more" == reading.blocks[0].text
    assert ["grebe", "It is 4 feet."] == [block.text for block in reading.blocks[-2:]]
    assert "hidden" not in text
    assert all(word in text for word in ("one", "    two", "three", "# no") if word in said)
    assert "<section>" not in text
