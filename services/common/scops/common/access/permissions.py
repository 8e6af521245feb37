"""The one table of permissions: what each role may, which every door asks.

A right is granted in a scope by its owner, by a grant's role, or by name beside a role. Some are
granted by a role in the installation, for every scope or apart from any.
"""

from enum import StrEnum

from scops.common.access.principal import ROLES_IN_ORDER, InstallationRole
from scops.common.contract.messages.types import ScopeRole


class Permission(StrEnum):
    """What may be done. The value is the name that grants and the API use."""

    # In a scope.
    VIEW_SCOPE = "view_scope"
    ASK = "ask"
    ADD_PAGES = "add_pages"
    CAPTURE = "capture"
    REVALIDATE = "revalidate"
    CHANGE_RULES = "change_rules"
    CRAWL = "crawl"
    PIN = "pin"
    RECHUNK = "rechunk"
    PURGE = "purge"
    SHARE = "share"
    TRANSFER = "transfer"
    DELETE_SCOPE = "delete_scope"
    EXPORT = "export"
    KEEP_CREDENTIALS = "keep_credentials"
    # Of the installation.
    WHO_AM_I = "who_am_i"
    CLAIM = "claim"
    CREATE_SCOPE = "create_scope"
    END_OWN_KEY = "end_own_key"
    MANAGE_OWN_KEYS = "manage_own_keys"
    KEEP_CHATS = "keep_chats"
    READ_OWN_QUOTAS = "read_own_quotas"
    MANAGE_KEYS = "manage_keys"
    MANAGE_MEMBERS = "manage_members"
    PURGE_ANYTHING = "purge_anything"
    IMPORT_PAGES = "import_pages"
    READ_AUDIT = "read_audit"
    READ_QUOTAS = "read_quotas"
    READ_HEALTH = "read_health"
    MEND_DEAD_LETTERS = "mend_dead_letters"


_VIEWER = frozenset({Permission.VIEW_SCOPE, Permission.ASK})
_CONTRIBUTOR = _VIEWER | {Permission.ADD_PAGES, Permission.CAPTURE, Permission.REVALIDATE}
_EDITOR = _CONTRIBUTOR | {Permission.CHANGE_RULES, Permission.CRAWL, Permission.PIN}
_OWNER = _EDITOR | {
    Permission.RECHUNK,
    Permission.PURGE,
    Permission.SHARE,
    Permission.TRANSFER,
    Permission.DELETE_SCOPE,
    Permission.EXPORT,
    Permission.KEEP_CREDENTIALS,
}
IN_SCOPE: dict[ScopeRole, frozenset[Permission]] = {
    ScopeRole.UNSPECIFIED: frozenset(),
    ScopeRole.VIEWER: _VIEWER,
    ScopeRole.CONTRIBUTOR: _CONTRIBUTOR,
    ScopeRole.EDITOR: _EDITOR,
    ScopeRole.OWNER: _OWNER,
}
# Rights that a grant may name beside its role. To hand a scope on, or to delete it, is its owner's.
GRANTABLE = _OWNER - _VIEWER - {Permission.TRANSFER, Permission.DELETE_SCOPE}
# In scopes that are not shared with them: the definition, never the pages.
IN_EVERY_SCOPE: dict[InstallationRole, frozenset[Permission]] = {
    InstallationRole.OPERATOR: frozenset({Permission.VIEW_SCOPE}),
    InstallationRole.ADMINISTRATOR: frozenset(
        {
            Permission.VIEW_SCOPE,
            Permission.SHARE,
            Permission.TRANSFER,
            Permission.DELETE_SCOPE,
        }
    ),
}
# With any credential, or none: to say who one is.
ANYBODY = frozenset({Permission.WHO_AM_I, Permission.CLAIM})
# With any credential, however bounded: a key may always be ended by what holds it.
BEARER = ANYBODY | {Permission.END_OWN_KEY}
# With a credential that is for all that its bearer may.
EVERYBODY = BEARER | {
    Permission.CREATE_SCOPE,
    Permission.MANAGE_OWN_KEYS,
    Permission.KEEP_CHATS,
    Permission.READ_OWN_QUOTAS,
}
OF_INSTALLATION: dict[InstallationRole, frozenset[Permission]] = {
    InstallationRole.OPERATOR: frozenset(
        {
            Permission.PURGE_ANYTHING,
            Permission.IMPORT_PAGES,
            Permission.READ_AUDIT,
            Permission.READ_QUOTAS,
            Permission.READ_HEALTH,
            Permission.MEND_DEAD_LETTERS,
        }
    ),
    InstallationRole.ADMINISTRATOR: frozenset(
        {
            Permission.MANAGE_KEYS,
            Permission.MANAGE_MEMBERS,
            Permission.READ_AUDIT,
            Permission.READ_QUOTAS,
            Permission.READ_HEALTH,
        }
    ),
}
SCOPE_PERMISSIONS = _OWNER


def lower(first: ScopeRole, second: ScopeRole) -> ScopeRole:
    """Returns the role of two that may less."""
    return min(first, second, key=ROLES_IN_ORDER.index)


def higher(first: ScopeRole, second: ScopeRole) -> ScopeRole:
    """Returns the role of two that may more."""
    return max(first, second, key=ROLES_IN_ORDER.index)
