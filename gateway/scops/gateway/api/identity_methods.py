"""The methods of the public API that say who calls, as rows."""

from google.protobuf.descriptor import ServiceDescriptor

from scops.api.v1alpha1 import identity_service_pb2 as protos
from scops.common.access.permissions import Permission
from scops.gateway.api.arguments import results, same
from scops.gateway.api.method import Method
from scops.gateway.api.request_values import key_value, role_value
from scops.gateway.handlers import identity, keys, members, spending
from scops.gateway.requests.names import key_of

IDENTITY_METHODS: dict[ServiceDescriptor, tuple[Method, ...]] = {
    protos.DESCRIPTOR.services_by_name["IdentityService"]: (
        Method("WhoAmI", identity.who_am_i, same(), permissions=(Permission.WHO_AM_I,)),
        Method(
            "ClaimInstallation",
            identity.claim_installation,
            same("token"),
            permissions=(Permission.CLAIM,),
            read_only=False,
        ),
        Method(
            "CreateKey",
            keys.create_key,
            lambda request: {"wanted": key_value(request.key)},
            permissions=(Permission.MANAGE_OWN_KEYS,),
            read_only=False,
        ),
        Method("ListKeys", keys.list_keys, results, permissions=(Permission.MANAGE_OWN_KEYS,)),
        Method(
            "RevokeKey",
            keys.revoke_key,
            lambda request: {"key_id": key_of(request.name)},
            permissions=(Permission.END_OWN_KEY,),
            read_only=False,
        ),
        Method(
            "SetInstallationRole",
            members.set_installation_role,
            lambda request: {"role": role_value(request), **same("subject", "remove")(request)},
            permissions=(Permission.MANAGE_MEMBERS,),
            read_only=False,
        ),
        Method(
            "SetGroupMember",
            members.set_group_member,
            same("group", "subject", "remove"),
            permissions=(Permission.MANAGE_MEMBERS,),
            read_only=False,
        ),
        Method(
            "ListMembers",
            members.list_members,
            results,
            permissions=(Permission.MANAGE_MEMBERS,),
        ),
        Method(
            "GetQuotas",
            spending.get_quotas,
            same("principal"),
            permissions=(Permission.READ_OWN_QUOTAS,),
        ),
    ),
}
