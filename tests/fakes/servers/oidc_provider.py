"""A real issuer of OpenID Connect tokens (npm's oidc-provider), and a browser to sign in by.

`make setup-issuer` installs it. People are `ann`, of the group `team`, and `bob`; services `robot`,
`mayfly`, whose tokens are good for a second, and `stranger`, whose tokens are for somebody else.
"""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx
from joserfc.jwk import RSAKey
from lxml import html

from tests.fakes.servers.machine import free_port
from tests.fakes.servers.node import NODE, installed_folder

SCRIPT = Path(__file__).parents[3] / "tools" / "oidc_provider" / "provider.mjs"
AUDIENCE = "urn:example:scops"
CLIENT_ID = "scops-cli"
STOP_SECONDS = 10.0
STEPS_MAX = 10


def signing_key(key_id: str) -> RSAKey:
    """Makes a key that an issuer signs with."""
    return RSAKey.generate_key(2048, {"kid": key_id, "use": "sig", "alg": "RS256"})


class OidcProvider:
    """The issuer as a process, on a port that it keeps when it is started again."""

    def __init__(self) -> None:
        self._port = free_port()
        self._process: subprocess.Popen[str] | None = None
        self.url = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> "OidcProvider":
        self.start([signing_key("first")])
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self, keys: Sequence[RSAKey]) -> None:
        """Starts it with keys; it remembers nobody who has signed in before."""
        private = [key.as_dict(private=True) for key in keys]
        folder = installed_folder("oidc-provider", target="setup-issuer")
        self._process = subprocess.Popen(
            [str(NODE), str(SCRIPT), json.dumps({"port": self._port, "keys": private})],
            env={**os.environ, "SCOPS_ISSUER_FOLDER": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        assert "ready\n" == self._process.stdout.readline(), "the issuer did not start"

    def stop(self) -> None:
        """Stops it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(STOP_SECONDS)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    @property
    def settings(self) -> list[dict[str, Any]]:
        """What an operator writes of it into the file of issuers."""
        scopes = ["openid", "email", "groups", "offline_access"]
        return [
            {
                "issuer": self.url,
                "audience": AUDIENCE,
                "client_id": CLIENT_ID,
                "oauth_scopes": scopes,
            }
        ]

    def service_token(self, client_id: str) -> str:
        """Returns a token of a service, by its secret."""
        form = {
            "grant_type": "client_credentials",
            "client_id": client_id,
            "client_secret": f"{client_id}-secret",
        }
        answer = httpx.post(f"{self.url}/token", data=form).raise_for_status()
        return str(answer.json()["access_token"])

    def confirm(self, url: str, *, person: str) -> str:
        """Opens the page of a login as somebody does, and says yes to everything.

        Args:
            url: with the code in it.

        Returns:
            What the last page says.
        """
        with httpx.Client(follow_redirects=True) as browser:
            answer = browser.get(url)
            for _ in range(STEPS_MAX):
                page: Any = html.fromstring(answer.text, base_url=str(answer.url))
                page.make_links_absolute()
                if not page.forms:
                    return str(page.text_content())
                form = page.forms[0]
                fields = {name: value or "" for name, value in form.fields.items()}
                if "login" in fields:
                    fields |= {"login": person, "password": "any"}
                answer = browser.post(form.action, data=fields)
        raise AssertionError(f"the login went on and on:\n{answer.text}")
