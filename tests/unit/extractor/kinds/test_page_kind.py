"""Kinds of pages: recognised by signs that ordinary pages do not show."""

import pytest

from scops.common.contract.messages.content import PageKind
from tests.unit.extractor.pages import ARTICLE, SENTENCES, extracted

LONG = ARTICLE * 10
LOGIN = '<form><input type="text"><input type="password"><button>Log in</button></form>'


@pytest.mark.parametrize(
    ("title", "body", "kind"),
    [
        ("Owls", f"<p>{SENTENCES[0]}</p>", PageKind.ARTICLE),
        ("Owls", f"<h1>Owls</h1>{LOGIN}{LONG}", PageKind.ARTICLE),
        (
            "Sign in",
            f"<h1>Sign in</h1><p>Please sign in to read this page.</p>{LOGIN}",
            PageKind.LOGIN_WALL,
        ),
        (
            "404 Not Found",
            "<h1>Not Found</h1><p>The requested URL was not found.</p>",
            PageKind.SOFT_404,
        ),
        ("Seite nicht gefunden", "<p>Diese Seite gibt es hier nicht.</p>", PageKind.SOFT_404),
        ("Shop", "<h1>This page doesn't exist</h1><p>Try the search.</p>", PageKind.SOFT_404),
        ("404 Not Found explained", f"<h1>404 Not Found</h1>{LONG}", PageKind.ARTICLE),
        ("How owls are found", "<p>The page found by owls.</p>", PageKind.ARTICLE),
        ("Peugeot 404", "<p>A car built until 1975, and loved ever since.</p>", PageKind.ARTICLE),
        ("4040 owls", "<p>They were counted in spring.</p>", PageKind.ARTICLE),
        ("App", '<div id="root">Loading…</div><script src="a.js"></script>', PageKind.APP_SHELL),
        ("App", f'<div id="root">{LONG}</div><script src="a.js"></script>', PageKind.ARTICLE),
        ("App", f'<div id="app"><p>{SENTENCES[0]}</p></div>', PageKind.ARTICLE),
        ("Nothing", "<div></div>", PageKind.EMPTY),
    ],
)
def test_kind_follows_signs_and_amount_of_text(title: str, body: str, kind: PageKind) -> None:
    """In doubt a page is an article."""
    assert extracted(body, head=f"<title>{title}</title>").kind is kind


@pytest.mark.parametrize(
    ("refresh", "text", "kind"),
    [
        ('http-equiv="refresh" content="0; url=/en/terms"', SENTENCES[0], PageKind.EMPTY),
        ("content='3;URL=/en/terms' http-equiv='Refresh'", SENTENCES[0], PageKind.EMPTY),
        ('http-equiv="refresh" content="0; url=/en/terms"', LONG, PageKind.ARTICLE),
        ('http-equiv="refresh" content="300; url=/en/terms"', SENTENCES[0], PageKind.ARTICLE),
        ('http-equiv="refresh" content="5"', SENTENCES[0], PageKind.ARTICLE),
    ],
)
def test_a_stub_that_sends_browsers_elsewhere_is_no_article(
    refresh: str, text: str, kind: PageKind
) -> None:
    """`refresh` within seconds, to another page, and little text of its own."""
    found = extracted(f"<html><head><meta {refresh}></head><body><p>{text}</p></body></html>")

    assert kind is found.kind
