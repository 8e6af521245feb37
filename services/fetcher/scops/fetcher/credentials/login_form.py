"""A login by form: what is filled in, and what shows that it was taken."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree
from lxml.html import FormElement, HTMLParser, document_fromstring

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url, origin_of
from scops.fetcher.credentials.secret import Secret, inputs_of
from scops.fetcher.credentials.sessions import SignInRefused

FIELDS_MAX = 200
# Fields that browsers send empty, where lxml leaves out what has no value.
SENT_EMPTY = frozenset({"text", "email", "hidden", "tel", "url", "search"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledForm:
    """A form as it is sent.

    Args:
        action: canonical, of the origin of its page.
        fields: name and value; never shown.
    """

    action: str
    fields: tuple[tuple[str, str], ...] = field(repr=False)


def filled_form(page: bytes, secret: Secret, *, url: str) -> FilledForm:
    """Fills in the form of a login's page that asks for a password.

    What the page has filled in already goes along, hidden fields above all: they are what a
    server knows its own form by.

    Args:
        url: of the page.

    Raises:
        SignInRefused: there is no such form, or it would send the password elsewhere or in a URL.
    """
    form = _form_with_password(page)
    if form is None:
        raise SignInRefused(
            f"{url} has no form that asks for a password. Name the page that has it; a form that "
            "scripts write cannot be filled in: put cookies instead."
        )
    if form.method.upper() != "POST":
        raise SignInRefused(
            f"The form of {url} writes the password into a URL. Put cookies, or a header, instead."
        )
    action = _action(form, url)
    if origin_of(action) != origin_of(url):
        raise SignInRefused(
            f"The form of {url} sends the password to {origin_of(action)}. It is sent to its own "
            "origin alone: put cookies instead."
        )
    return FilledForm(action=action, fields=_filled(form, secret))


def _form_with_password(page: bytes) -> FormElement | None:
    try:
        root = document_fromstring(page, parser=HTMLParser(encoding=None, huge_tree=False))
    except (etree.LxmlError, ValueError):
        return None
    forms = (form for form in root.iter("form") if isinstance(form, FormElement))
    return next((form for form in forms if _password_name(form)), None)


def _password_name(form: FormElement) -> str:
    for one in form.iter("input"):
        if one.get("type", "").lower() == "password" and one.get("name"):
            return str(one.get("name"))
    return ""


def _action(form: FormElement, url: str) -> str:
    try:
        return canonical_url(form.get("action") or url, base=url)
    except InvalidInput:
        raise SignInRefused(f"The form of {url} leads to no address.") from None


def _filled(form: FormElement, secret: Secret) -> tuple[tuple[str, str], ...]:
    """Returns what a browser would send whose button of the form was pressed."""
    given: Mapping[str, str] = {
        **inputs_of(secret),
        _password_name(form): secret.fields["password"],
    }
    named = [(str(name), str(value)) for name, value in form.form_values()][:FIELDS_MAX]
    kept = [(name, given.get(name, value)) for name, value in (*named, *_button(form))]
    kept += [(name, "") for name in _empty_names(form) if name not in given]
    there = {name for name, _ in kept}
    return (*kept, *((name, value) for name, value in given.items() if name not in there))


def _empty_names(form: FormElement) -> list[str]:
    fields = (one for one in form.iter("input") if one.get("name") and one.get("value") is None)
    kept = (one for one in fields if one.get("type", "text").lower() in SENT_EMPTY)
    return [str(one.get("name")) for one in kept][:FIELDS_MAX]


def _button(form: FormElement) -> tuple[tuple[str, str], ...]:
    for one in form.iter("input", "button"):
        kind = one.get("type", "submit" if one.tag == "button" else "text").lower()
        if kind == "submit":
            name = one.get("name")
            return ((str(name), str(one.get("value", ""))),) if name else ()
    return ()
