"""Forms of logins are filled in as a browser would, and sent to their own origin alone."""

import pytest

from scops.common.contract.messages.crawl import SecretKind
from scops.fetcher.credentials.login_form import filled_form
from scops.fetcher.credentials.secret import Secret
from scops.fetcher.credentials.sessions import SignInRefused

URL = "https://docs.example/login?next=/plan"
SECRET = Secret(
    kind=SecretKind.FORM,
    fields={"url": URL, "shows": "", "password": "p-12345", "input:user": "ann"},
)
PAGE = b"""<html><body>
<form action="/search"><input name=q></form>
<form action="/session" method="post">
  <input type=hidden name=csrf value="c&amp;1">
  <input name=user><input name=pw type="Password"><input name=pot>
  <input type=checkbox name=stay value=1><input type=checkbox name=news value=1 checked>
  <select name=site><option value=a>A<option value=b selected>B</select>
  <button name=do value=in>Sign in</button><button name=do value=forgot>Forgot?</button>
</form></body></html>"""


def test_a_form_is_filled_in_as_a_browser_would() -> None:
    """With what the page has filled in, boxes as they are ticked, and the first button."""
    form = filled_form(PAGE, SECRET, url=URL)

    assert "https://docs.example/session" == form.action
    assert [
        ("csrf", "c&1"),
        ("do", "in"),
        ("news", "1"),
        ("pot", ""),
        ("pw", "p-12345"),
        ("site", "b"),
        ("user", "ann"),
    ] == sorted(form.fields)
    assert "p-12345" not in repr(form)


def test_what_the_form_does_not_have_is_sent_too() -> None:
    """Scripts add fields; a box may be ticked by name."""
    ticked = Secret(kind=SECRET.kind, fields={**SECRET.fields, "input:stay": "1"})
    form = filled_form(PAGE, ticked, url=URL)

    assert ("stay", "1") in form.fields


@pytest.mark.parametrize(
    ("page", "why"),
    [
        (b"", "no form"),
        (b"<p>Welcome", "no form"),
        (b"<form method=post><input name=user></form>", "no form"),
        (b"<form method=post><input type=password></form>", "no form"),
        (b"<form><input type=password name=p></form>", "into a URL"),
        (
            b"<form method=post action=https://evil.example/><input type=password name=p></form>",
            "https://evil.example",
        ),
        (
            b"<form method=post action=http://docs.example/><input type=password name=p></form>",
            "http://docs.example",
        ),
        (
            b"<form method=post action='javascript:x'><input type=password name=p></form>",
            "no address",
        ),
    ],
)
def test_a_password_goes_nowhere_else(page: bytes, why: str) -> None:
    """Not to another origin, not into a URL, and not where nobody asked for it."""
    with pytest.raises(SignInRefused, match=why):
        filled_form(page, SECRET, url=URL)
