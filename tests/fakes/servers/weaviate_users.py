"""Users of a Weaviate that has them, as its administrator: keys and roles, given and taken back."""

import json
import urllib.request
from typing import Any

from tests.fakes.servers.weaviate import WeaviateServer

ADMIN, ADMIN_KEY = "root-of-the-test", "key-of-the-root"
# Its own roles: all rights, and those to read.
ALL, READ = "admin", "viewer"
# What a server is started with that has users.
WITH_USERS = {
    "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "false",
    "AUTHENTICATION_APIKEY_ENABLED": "true",
    "AUTHENTICATION_APIKEY_USERS": ADMIN,
    "AUTHENTICATION_APIKEY_ALLOWED_KEYS": ADMIN_KEY,
    "AUTHENTICATION_DB_USERS_ENABLED": "true",
    "AUTHORIZATION_RBAC_ENABLED": "true",
    "AUTHORIZATION_RBAC_ROOT_USERS": ADMIN,
}


class WeaviateUser:
    """A user with a key of its own, on a server that was started `WITH_USERS`.

    Args:
        role: that it has; none means that it may do nothing.
    """

    def __init__(self, server: WeaviateServer, name: str, *, role: str = ALL) -> None:
        self._url = server.settings["SCOPS_WEAVIATE_URL"]
        self._name = name
        self.key = str(self._do(f"users/db/{name}")["apikey"])
        if role:
            self.give_role(role)

    def deactivate(self) -> None:
        """Takes the key back."""
        self._do(f"users/db/{self._name}/deactivate", revoke_key=False)

    def activate(self) -> None:
        """Gives the key again."""
        self._do(f"users/db/{self._name}/activate")

    def give_role(self, role: str) -> None:
        """Gives it a role."""
        self._do(f"authz/users/{self._name}/assign", roles=[role], userType="db")

    def take_role(self, role: str) -> None:
        """Takes a role back."""
        self._do(f"authz/users/{self._name}/revoke", roles=[role], userType="db")

    def _do(self, path: str, **words: Any) -> Any:
        headers = {"Authorization": f"Bearer {ADMIN_KEY}", "Content-Type": "application/json"}
        request = urllib.request.Request(
            f"{self._url}/v1/{path}", json.dumps(words).encode(), headers, method="POST"
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or "null")
