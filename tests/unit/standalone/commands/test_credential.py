"""`scops credential`: where secrets are read from, and where they are not."""

import io
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scops.standalone.commands.credential import (
    SECRET_BYTES_MAX,
    app,
    read_cookies,
    read_inputs,
    read_secret,
)
from scops.standalone.terminal.exits import CommandError

ORIGIN = "https://docs.example.org"
COOKIES_TXT = """# Netscape HTTP Cookie File
docs.example.org\tFALSE\t/\tTRUE\t1790000000\tsid\ts-12345
#HttpOnly_docs.example.org\tFALSE\t/\tTRUE\t0\tlang\ten
"""


@pytest.mark.parametrize("kind", ["--bearer", "--cookies"])
def test_a_secret_is_no_argument(kind: str) -> None:
    """It would stand in the shell's history and in the list of processes."""
    result = CliRunner().invoke(app, ["put", "docs", ORIGIN, kind, "s-12345"])

    assert 2 == result.exit_code
    assert "unexpected extra argument" in result.output


@pytest.mark.parametrize(
    "kinds",
    [
        [],
        ["--bearer", "--cookies"],
        ["--bearer", "--basic", "ann"],
        ["--oauth", "https://a.example/token", "--form", "https://a.example/login"],
    ],
)
def test_a_secret_is_of_one_kind(kinds: list[str]) -> None:
    """What it is decides how it is sent."""
    result = CliRunner().invoke(app, ["put", "docs", ORIGIN, *kinds], input="s-12345")

    assert isinstance(result.exception, CommandError)
    assert "Name one of" in result.exception.message


def test_a_secret_comes_from_a_file_or_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the line end that an editor or `echo` adds; spaces are its own."""
    file = tmp_path / "secret"
    file.write_bytes(b" s 12345 \r\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"piped\n")))

    assert [" s 12345 ", "piped"] == [read_secret(str(file)), read_secret("-")]


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe", b"s" * (SECRET_BYTES_MAX + 1), None])
def test_what_is_no_secret_is_not_sent(tmp_path: Path, content: bytes | None) -> None:
    """Empty, no text, endless or not there."""
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CommandError):
        read_secret(str(file))


@pytest.mark.parametrize(
    "text",
    [COOKIES_TXT, "sid=s-12345; lang=en", "Cookie: sid=s-12345; lang=en;"],
    ids=["cookies.txt", "header", "whole-header"],
)
def test_cookies_are_read_as_browsers_write_them(text: str) -> None:
    """In a file of an extension, or copied from the developer tools."""
    found = [(one.cookie, one.value) for one in read_cookies(text)]

    assert [("sid", "s-12345"), ("lang", "en")] == found


def test_the_value_of_a_cookie_may_have_an_equals_sign() -> None:
    """Base64 ends in them."""
    (found,) = read_cookies("sid=YWJj==")

    assert ("sid", "YWJj==") == (found.cookie, found.value)


def test_fields_of_a_form_are_named_with_their_values() -> None:
    """A value may have an equals sign, and may be empty."""
    found = read_inputs(["user=ann", "token=a=b", "empty="])

    assert [("user", "ann"), ("token", "a=b"), ("empty", "")] == [
        (one.input, one.value) for one in found
    ]
    for wrong in ("user", "=ann"):
        with pytest.raises(CommandError, match="NAME=VALUE"):
            read_inputs([wrong])
