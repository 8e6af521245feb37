"""Rights in a Weaviate that has roles: a user a role of Scops, in its organisation's collections.

The indexer writes chunks and the retriever reads them; neither makes, changes or drops a
collection, and neither sees one of another organisation. Users are called as the logins of the
database are, `scops_indexer` or `scops_acme_retriever`. The server knows them already, by its
environment or by a call of its administrator; who gives them their rights is an administrator.

Reference: https://docs.weaviate.io/weaviate/configuration/rbac
"""

from collections.abc import Iterable, Sequence
from typing import Any

from weaviate import WeaviateAsyncClient
from weaviate.exceptions import UnexpectedStatusCodeError
from weaviate.rbac.models import Permissions as Permit
from weaviate.rbac.models import PermissionsCreateType

from scops.common.contract.errors import InvalidInput
from scops.common.contract.organisations import schema_name
from scops.common.contract.service_table import Role
from scops.libraries.index.weaviate.schema import HISTORY, LIVE, prefix_of

# What follows the prefix in names of collections and aliases. No `_`, which is where the name of
# a longer organisation would go on. Weaviate takes patterns, but reads `*` in its own way.
LAST = "[0-9a-z]+"
NOT_FOUND = 404
# Without roles it answers calls about them so, and does nothing.
WITHOUT_ROLES = 200


async def give_rights(client: WeaviateAsyncClient, organisation_id: str) -> Sequence[str]:
    """Gives the users of an organisation the rights of their roles, and takes all others away.

    It may be repeated. A user's other roles stay.

    Returns:
        The users.

    Raises:
        InvalidInput: the server has no roles, or does not know a user.
    """
    users = []
    for role, permissions in rights_of(organisation_id).items():
        name = schema_name(organisation_id, role.value)
        try:
            await _set_role(client, name, permissions)
            await client.users.db.assign_roles(user_id=name, role_names=[name])
        except UnexpectedStatusCodeError as error:
            raise _told(error, name) from error
        users.append(name)
    return users


def rights_of(organisation_id: str) -> dict[Role, PermissionsCreateType]:
    """Returns what each role that has a user may do."""
    live = f"{prefix_of(organisation_id)}{LAST}"
    names = [live, HISTORY + live.removeprefix(LIVE)]
    seen = [
        *Permit.collections(collection=names, read_config=True),
        *(one for name in names for one in Permit.alias(alias=name, collection=name, read=True)),
    ]
    written = Permit.data(collection=names, create=True, read=True, update=True, delete=True)
    return {
        Role.INDEXER: [*seen, *written],
        Role.RETRIEVER: [*seen, *Permit.data(collection=names, read=True)],
    }


async def _set_role(
    client: WeaviateAsyncClient, name: str, permissions: PermissionsCreateType
) -> None:
    """Makes a role, or has it hold these permissions and no other; at no time fewer."""
    if not await client.roles.exists(name):
        await client.roles.create(role_name=name, permissions=permissions)
        return
    await client.roles.add_permissions(role_name=name, permissions=permissions)
    held = await client.roles.get(name)
    wanted = set(_each(permissions))
    for one in held.permissions if held else ():
        stale = {action for action, about in _each([one]) if (action, about) not in wanted}
        if stale:
            taken = one.model_copy(update={"actions": stale})
            await client.roles.remove_permissions(role_name=name, permissions=taken)


def _each(permissions: Iterable[Any]) -> Iterable[tuple[Any, ...]]:
    """Yields every action with what it may be done to."""
    for one in permissions:
        about = tuple(sorted((key, value) for key, value in one if key != "actions"))
        for action in one.actions:
            yield (action, about)


def _told(error: UnexpectedStatusCodeError, user: str) -> Exception:
    if error.status_code == NOT_FOUND:
        return InvalidInput(
            f"Weaviate knows no user {user}. Name it in its AUTHENTICATION_APIKEY_USERS, with its "
            "key at the same place of AUTHENTICATION_APIKEY_ALLOWED_KEYS, and start it again.",
            reason="INDEX_USER_UNKNOWN",
            user=user,
        )
    if error.status_code == WITHOUT_ROLES:
        return InvalidInput(
            "Weaviate has no roles. Start it with AUTHORIZATION_RBAC_ENABLED=true and the user of "
            "this key in AUTHORIZATION_RBAC_ROOT_USERS, or leave out --index-rights.",
            reason="INDEX_WITHOUT_ROLES",
        )
    return error
