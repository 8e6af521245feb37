"""The scopes that somebody may see, read page by page."""

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.standalone.terminal.client import GatewayClient

PAGE_SIZE = 100


def all_scopes(client: GatewayClient) -> list[pb.Scope]:
    """Returns every scope that the gateway lists."""
    scopes: list[pb.Scope] = []
    token = ""
    while True:
        request = pb.ListScopesRequest(page_size=PAGE_SIZE, page_token=token)
        answer = client.call(client.scopes.ListScopes, request)
        scopes += answer.scopes
        token = answer.next_page_token
        if not token:
            return scopes
