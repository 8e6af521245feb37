"""`scops credential …`: what pages behind a login are asked for with.

A secret comes from a file or from standard input. It is never an argument: those are in the
shell's history, and every process of the machine can list them.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.instants import parse_instant
from scops.standalone.terminal.output import Output, line, link, print_json, short_time

app = typer.Typer(
    help="What a scope's pages behind a login are asked for with.", no_args_is_help=True
)
SECRET_BYTES_MAX = 64 * 1024
STDIN = "-"

Scope = Annotated[str, typer.Argument(help="The scope that alone has the pages.")]
Origin = Annotated[
    str, typer.Argument(help="Such as https://docs.example.org; it is sent nowhere else.")
]


Header = Annotated[
    str, typer.Option(help="Name of a header whose value is the secret.", metavar="NAME")
]
Basic = Annotated[
    str, typer.Option(help="Username whose password is the secret.", metavar="USERNAME")
]
Bearer = Annotated[bool, typer.Option("--bearer", help="The secret is a token.")]
Cookies = Annotated[
    bool,
    typer.Option(
        "--cookies",
        help="The secret is cookies: `name=value; name=value`, or a cookies.txt of them.",
    ),
]
OAuth = Annotated[
    str,
    typer.Option(
        "--oauth",
        help="Where a client of OAuth is granted tokens; its secret is the secret.",
        metavar="TOKEN_URL",
    ),
]
Client = Annotated[str, typer.Option(help="With --oauth: the client's id.", metavar="ID")]
TokenScope = Annotated[
    str, typer.Option(help="With --oauth: what tokens are to be good for.", metavar="SCOPE")
]
Form = Annotated[
    str,
    typer.Option(
        help="Page with the form of a login; the password is the secret.", metavar="LOGIN_URL"
    ),
]
Fill = Annotated[
    list[str] | None,
    typer.Option(help="With --form: a field, and what it gets.", metavar="NAME=VALUE"),
]
Shows = Annotated[
    str, typer.Option(help="With --form: words that only who is logged in sees.", metavar="WORDS")
]
File = Annotated[str, typer.Option("--from", help="File with the secret; - reads standard input.")]
Expires = Annotated[
    str, typer.Option(help="When it ends: an instant, or a date; it is not sent after.")
]


@app.command()
def put(
    scope: Scope,
    origin: Origin,
    header: Header = "",
    basic: Basic = "",
    bearer: Bearer = False,
    cookies: Cookies = False,
    oauth: OAuth = "",
    client: Client = "",
    token_scope: TokenScope = "",
    form: Form = "",
    fill: Fill = None,
    shows: Shows = "",
    file: File = STDIN,
    expires: Expires = "",
) -> None:
    """Keeps a credential for an origin of a scope, in place of what was kept.

    Name one of --header, --basic, --bearer, --cookies, --oauth and --form. Pages of the origin
    are fetched with it from the next crawl on, and are answered from in this scope alone.
    """
    check_one_kind(header, basic, bearer, cookies, oauth, form)
    secret = read_secret(file)
    request = pb.PutCredentialRequest(name=f"scopes/{scope}", origin=origin)
    if header:
        request.header.CopyFrom(pb.HeaderSecret(header=header, value=secret))
    elif basic:
        request.basic.CopyFrom(pb.BasicSecret(username=basic, password=secret))
    elif bearer:
        request.bearer.CopyFrom(pb.BearerSecret(token=secret))
    elif oauth:
        granted = {"token_uri": oauth, "client_id": client, "token_scope": token_scope}
        request.oauth_client.CopyFrom(pb.OAuthClientSecret(**granted, client_secret=secret))
    elif form:
        recipe = pb.FormSecret(login_uri=form, inputs=read_inputs(fill or ()), shows=shows)
        request.form.CopyFrom(recipe)
        request.form.password = secret
    else:
        request.cookies.CopyFrom(pb.CookiesSecret(cookies=read_cookies(secret)))
    if expires:
        request.expire_time.CopyFrom(parse_instant(expires))
    with open_gateway() as client_of_it:
        answer = client_of_it.call(client_of_it.scopes.PutCredential, request)
    if Output.is_json():
        print_json(answer)
        return
    line(_summary(answer.credential))
    line(f"try it: scops credential test {escape(scope)} {escape(answer.credential.origin)}/")


def check_one_kind(*named: str | bool) -> None:
    """Checks that one kind of secret is named.

    Raises:
        CommandError: none is, or several are.
    """
    if [bool(one) for one in named].count(True) != 1:
        raise CommandError(
            "Name one of --header, --basic, --bearer, --cookies, --oauth and --form: it says what "
            "the secret is.",
            code=Exit.INVALID_INPUT,
            reason="CREDENTIAL_KIND_MISSING",
        )


def read_inputs(named: Iterable[str]) -> list[pb.FormInput]:
    """Reads fields of a form as they are named: `NAME=VALUE`.

    Raises:
        CommandError: one has no name, or no equals sign.
    """
    split = [one.partition("=") for one in named]
    if not all(name and equals for name, equals, _ in split):
        raise CommandError(
            "--fill takes NAME=VALUE: the name of a field of the form, and what it gets.",
            code=Exit.INVALID_INPUT,
            reason="FORM_INPUT_MALFORMED",
        )
    return [pb.FormInput(input=name, value=value) for name, _, value in split]


@app.command("list")
def list_credentials(scope: Scope) -> None:
    """Lists the credentials of a scope; what is secret of them is never told."""
    with open_gateway() as client:
        request = pb.ListCredentialsRequest(name=f"scopes/{scope}")
        answer = client.call(client.scopes.ListCredentials, request)
    if Output.is_json():
        print_json(answer)
        return
    for one in answer.credentials:
        line(_summary(one))


@app.command()
def delete(scope: Scope, origin: Origin) -> None:
    """Forgets a credential; nobody reads what was fetched with it any more."""
    with open_gateway() as client:
        request = pb.DeleteCredentialRequest(name=f"scopes/{scope}", origin=origin)
        answer = client.call(client.scopes.DeleteCredential, request)
    if Output.is_json():
        print_json(answer)
        return
    line(f"forgotten; {escape(scope)} asks {escape(origin)} as anybody")


@app.command()
def test(
    scope: Scope,
    page: Annotated[str, typer.Argument(metavar="URL", help="A page behind the login.")],
) -> None:
    """Asks for a page with the credential for its origin, and keeps nothing of it."""
    with open_gateway() as client:
        request = pb.TestCredentialRequest(name=f"scopes/{scope}", uri=page)
        answer = client.call(client.scopes.TestCredential, request)
    if Output.is_json():
        print_json(answer)
    else:
        _show(answer)
    if answer.outcome != "fetched" or answer.asks_password:
        raise typer.Exit(Exit.INVALID_INPUT)


def _show(answer: pb.TestCredentialResponse) -> None:
    if answer.outcome != "fetched":
        line(f"{answer.outcome} ({escape(answer.reason)}): {escape(answer.detail)}")
        return
    line(f"fetched {link(answer.final_uri)}: {answer.size} bytes of {escape(answer.media_type)}")
    if answer.asks_password:
        line("it has a field for a password: the server may not know the credential")


def _summary(one: pb.Credential) -> str:
    kind = pb.SecretKind.Name(one.kind).removeprefix("SECRET_KIND_").lower()
    ends = f", until {short_time(one.expire_time)}" if one.HasField("expire_time") else ""
    put = f"put {short_time(one.put_time)} by {escape(one.principal)}"
    return f"{escape(one.origin)}: {kind}, {put}{ends}"


def read_secret(file: str) -> str:
    """Returns a secret without the line ends that files and shells add to it.

    Args:
        file: its path; `-` reads standard input, and asks without showing where that is a terminal.

    Raises:
        CommandError: it cannot be read, is empty or too long.
    """
    try:
        if file == STDIN:
            if sys.stdin.isatty():
                found: str = typer.prompt("Secret", hide_input=True, err=True)
                return found
            data = sys.stdin.buffer.read(SECRET_BYTES_MAX + 1)
        else:
            with Path(file).open("rb") as opened:
                data = opened.read(SECRET_BYTES_MAX + 1)
        text = data.decode()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise _unreadable(f"{file} cannot be read: {why}") from None
    if not text.strip() or len(data) > SECRET_BYTES_MAX:
        raise _unreadable(f"{file} is empty, or longer than {SECRET_BYTES_MAX} bytes")
    return text.strip("\r\n")


def _unreadable(why: str) -> CommandError:
    return CommandError(
        f"{why}. Name a file that holds the secret and nothing else, or pipe it in.",
        code=Exit.INVALID_INPUT,
        reason="FILE_UNREADABLE",
    )


def read_cookies(text: str) -> list[pb.Cookie]:
    """Reads cookies as a browser's header has them, or a cookies.txt: seven columns with tabs."""
    if "\t" in text:
        rows = [row.split("\t") for row in text.splitlines()]
        pairs = [(row[5], row[6]) for row in rows if len(row) == 7]
    else:
        parts = text.removeprefix("Cookie:").split(";")
        split = [part.partition("=") for part in parts if part.strip()]
        pairs = [(name.strip(), value.strip()) for name, _, value in split]
    return [pb.Cookie(cookie=name, value=value) for name, value in pairs]
