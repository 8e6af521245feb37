"""The methods of the public API that show and mend the installation, as rows."""

from google.protobuf.descriptor import ServiceDescriptor

from scops.api.v1alpha1 import operations_service_pb2 as protos
from scops.common.access.permissions import Permission
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.arguments import results, same
from scops.gateway.api.method import Method
from scops.gateway.handlers import operations
from scops.gateway.requests.names import letter_of

OPERATIONS_METHODS: dict[ServiceDescriptor, tuple[Method, ...]] = {
    protos.DESCRIPTOR.services_by_name["OperationsService"]: (
        Method(
            "GetHealth",
            operations.get_health,
            same(),
            permissions=(Permission.READ_HEALTH,),
            cost=CallCost.SEARCH,
        ),
        Method(
            "ListQueues",
            operations.list_queues,
            same(),
            permissions=(Permission.READ_HEALTH,),
        ),
        Method(
            "ListDeadLetters",
            operations.list_dead_letters,
            results,
            permissions=(Permission.READ_HEALTH,),
        ),
        Method(
            "ReplayDeadLetter",
            operations.replay_dead_letter,
            lambda request: {"letter_id": letter_of(request.name)},
            permissions=(Permission.MEND_DEAD_LETTERS,),
            read_only=False,
        ),
        Method(
            "DropDeadLetter",
            operations.drop_dead_letter,
            lambda request: {"letter_id": letter_of(request.name)},
            permissions=(Permission.MEND_DEAD_LETTERS,),
            read_only=False,
        ),
    ),
}
