"""Character encoding: who declares it, and what happens when nobody does."""

import pytest

from scops.extractor.text.charset import decode_body

TEXT = "Käuzchen – „hören“ Mäuse über große Entfernungen hinweg."


def _decoded(body: bytes, charset: str = "") -> tuple[str, float]:
    decoded = decode_body(body, media_type="text/html", charset=charset)
    return decoded.text, decoded.replacement_share


def test_byte_order_mark_wins_over_http() -> None:
    """A byte order mark beats the header."""
    assert _decoded(TEXT.encode("utf-16"), charset="latin-1") == (TEXT, 0.0)


def test_http_wins_over_meta() -> None:
    """The header beats the meta element."""
    body = f'<meta charset="utf-8">{TEXT}'.encode("cp1252")

    assert _decoded(body, charset="windows-1252") == (f'<meta charset="utf-8">{TEXT}', 0.0)


def test_meta_counts_where_http_is_silent() -> None:
    """Without a header the meta element decides."""
    text = f'<meta charset="windows-1252">{TEXT}'

    assert _decoded(text.encode("cp1252")) == (text, 0.0)


@pytest.mark.parametrize("cut", [0, 1])
def test_bytes_that_are_surely_utf8_win_over_meta(cut: int) -> None:
    """A recoded page may have kept its meta element, and may end within a character."""
    text = f'<meta charset="gb2312">{"谷歌的人工智能公司" * 5}'
    body = text.encode()

    assert _decoded(body[: len(body) - cut])[0].startswith(text[:-1])


@pytest.mark.parametrize("encoding", ["gb2312", "big5", "shift_jis", "euc_jp"])
def test_meta_counts_where_the_bytes_are_no_utf8(encoding: str) -> None:
    """Text of another encoding stays what it says it is."""
    text = f'<meta charset="{encoding}">{"人工大小山川" * 20}'

    assert _decoded(text.encode(encoding)) == (text, 0.0)


def test_few_characters_beyond_ascii_do_not_overrule_meta() -> None:
    """Two letters of windows-1252 may be valid UTF-8 by chance."""
    text = '<meta charset="windows-1252">Ã¼ is what Ã¤ looks like'

    assert _decoded(text.encode("cp1252")) == (text, 0.0)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_undeclared_encoding_is_detected(encoding: str) -> None:
    """Bytes that are valid UTF-8 are UTF-8; others are detected."""
    assert _decoded((TEXT * 5).encode(encoding)) == (TEXT * 5, 0.0)


def test_unknown_declared_encoding_is_ignored() -> None:
    """A charset that nobody knows is as none."""
    assert _decoded(TEXT.encode(), charset="klingon-8") == (TEXT, 0.0)


def test_undecodable_bytes_are_counted() -> None:
    """Each byte without meaning becomes one replacement character and is counted."""
    text, share = _decoded(b"abc\xff\xfe\xff" + b"d" * 94, charset="utf-8")

    assert text.count("\ufffd") == 3
    assert share == pytest.approx(0.03)
