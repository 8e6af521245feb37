"""`scops login`, `scops logout`, `scops whoami`: who asks the gateway."""

from typing import Annotated

import typer
from rich.markup import escape

from scops.api.v1alpha1 import identity_service_pb2 as pb
from scops.client.errors import ScopsError
from scops.client.login.credentials import Credential
from scops.client.login.device_flow import (
    Client,
    DeviceCode,
    IssuedTokens,
    start,
    wait,
)
from scops.client.login.endpoints import IssuerClient, IssuerError
from scops.client.login.saved import SavedLogin, own_logins
from scops.client.target import GatewayTarget
from scops.standalone.terminal.client import GatewayClient, checked_target, open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, diagnostics, line, link, print_json

KINDS = {
    pb.CREDENTIAL_KIND_LOCAL: "no identity is asked here",
    pb.CREDENTIAL_KIND_NONE: "no credential; run `scops login`",
    pb.CREDENTIAL_KIND_KEY: "an API key",
    pb.CREDENTIAL_KIND_TOKEN: "a token",
    pb.CREDENTIAL_KIND_PROXY: "a proxy",
}


def login(
    issuer: Annotated[
        str, typer.Option(help="Where to log in, if the gateway trusts several issuers.")
    ] = "",
    keyring: Annotated[
        bool, typer.Option(help="Whether tokens go to the system's keyring, where there is one.")
    ] = True,
) -> None:
    """Logs in by a browser, on this machine or any other, and keeps the login for the gateway."""
    target = checked_target()
    target.check_private()
    with GatewayClient(target) as client:
        answer = client.call(client.identity.WhoAmI, pb.WhoAmIRequest())
    chosen = _chosen(answer, issuer)
    who = Client(client_id=chosen.client_id, audience=chosen.audience, secret=chosen.client_secret)
    with IssuerClient(chosen.issuer, ca=target.ca) as asked:
        tokens = _confirmed(asked, who, " ".join(chosen.oauth_scopes), target)
    with GatewayClient(target, Credential(tokens.token, target)) as client:
        known = client.call(client.identity.WhoAmI, pb.WhoAmIRequest())
    logins = own_logins()
    with logins.alone():
        saved = logins.save(
            target.address,
            SavedLogin(issuer=chosen.issuer, client=who, tokens=tokens),
            keyring=keyring,
        )
    if not Output.is_json():
        where = "the system's keyring" if saved.in_keyring else escape(str(logins.path))
        line(f"logged in at {escape(target.address)}; the login is kept in {where}")
    _show(known)


def logout() -> None:
    """Forgets the login at the gateway, and has the issuer end it where it can."""
    target = checked_target()
    logins = own_logins()
    with logins.alone():
        found = logins.find(target.address)
        removed = logins.remove(target.address)
    ended = found is not None and _revoked(found, target)
    if Output.is_json():
        print_json({"server": target.address, "logged_out": removed, "revoked": ended})
    elif not removed:
        line(f"nobody was logged in at {escape(target.address)}")
    else:
        rest = "" if ended else "; what was given goes on to count until it ends"
        line(f"logged out of {escape(target.address)}{rest}")


def whoami() -> None:
    """Says as whom the gateway is asked, and what that may apart from any scope."""
    with open_gateway() as client:
        _show(client.call(client.identity.WhoAmI, pb.WhoAmIRequest()))


def _chosen(answer: pb.WhoAmIResponse, wanted: str) -> pb.TokenIssuer:
    """Returns the issuer to log in at.

    Raises:
        CommandError: there is none, or it is not clear which.
    """
    if answer.credential == pb.CREDENTIAL_KIND_LOCAL:
        raise CommandError(
            "The gateway asks nobody who they are, so that there is nothing to log in to.",
            code=Exit.INVALID_INPUT,
            reason="IDENTITY_OFF",
        )
    offered = [one for one in answer.issuers if one.client_id]
    fitting = [one for one in offered if wanted in ("", one.issuer)]
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(one.issuer for one in offered)
    if not offered:
        message = (
            "The gateway names no issuer that people log in at by a code. Use an API key "
            "(SCOPS_TOKEN), or have its operator set client_id; see docs/identity.md."
        )
    elif wanted:
        message = f"The gateway names no issuer {wanted!r}. It names: {names}."
    else:
        message = f"The gateway names several issuers. Choose one by --issuer: {names}."
    raise CommandError(message, code=Exit.INVALID_INPUT, reason="ISSUER_NOT_CHOSEN")


def _confirmed(
    issuer: IssuerClient, client: Client, scope: str, target: GatewayTarget
) -> IssuedTokens:
    """Returns the tokens of a login that somebody has confirmed."""
    endpoints = issuer.endpoints()
    if not endpoints.device or not endpoints.token:
        raise CommandError(
            f"The issuer {issuer.issuer} offers no login by a code (RFC 8628). Use an API key "
            "(SCOPS_TOKEN).",
            code=Exit.INVALID_INPUT,
            reason="DEVICE_FLOW_MISSING",
        )
    code = start(issuer, endpoints.device, client, scope)
    _show_code(code, issuer.issuer, target)
    return wait(issuer, endpoints.token, client, code)


def _show_code(code: DeviceCode, issuer: str, target: GatewayTarget) -> None:
    diagnostics.print(
        f"To log in at {escape(target.address)} by {escape(issuer)}, open", soft_wrap=True
    )
    diagnostics.print("  ", link(code.uri, code.complete_uri), soft_wrap=True)
    diagnostics.print(f"and enter the code [bold]{escape(code.user_code)}[/bold]", soft_wrap=True)
    if code.complete_uri:
        diagnostics.print("or open", link(code.complete_uri), soft_wrap=True)


def _revoked(login: SavedLogin, target: GatewayTarget) -> bool:
    """Returns whether the issuer has ended a login (RFC 7009)."""
    if not login.tokens.refresh_token:
        return False
    form = {
        "token": login.tokens.refresh_token,
        "token_type_hint": "refresh_token",
        "client_id": login.client.client_id,
        "client_secret": login.client.secret,
    }
    try:
        with IssuerClient(login.issuer, ca=target.ca) as issuer:
            url = issuer.endpoints().revocation
            if url:
                issuer.post(url, form)
            return bool(url)
    except (ScopsError, IssuerError):
        # The login is forgotten here either way.
        return False


def _show(who: pb.WhoAmIResponse) -> None:
    if Output.is_json():
        print_json(who)
        return
    email = f" ({escape(who.email)})" if who.email else ""
    line(f"[bold]{escape(who.principal)}[/bold]{email}, by {KINDS.get(who.credential, 'unknown')}")
    roles = [pb.InstallationRole.Name(one).removeprefix("INSTALLATION_ROLE_") for one in who.roles]
    for words, names in (
        ("groups", who.groups),
        ("is", [role.lower() for role in roles]),
        ("may, apart from any scope:", who.permissions),
    ):
        if names:
            line(f"  {words} {escape(', '.join(names))}")
    for issuer in who.issuers:
        line(f"  issuer {escape(issuer.issuer)}")
