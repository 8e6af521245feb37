"""JobService over gRPC."""

from typing import Any

from scops.api.v1alpha1 import job_service_pb2 as pb
from scops.api.v1alpha1.job_service_pb2_grpc import JobServiceServicer
from scops.gateway.adapters.grpc.calls import current_call
from scops.gateway.adapters.grpc.translate_jobs import job_message, job_view_message
from scops.gateway.handlers import jobs as job_requests
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.names import job_of, scope_of


class JobServicer(JobServiceServicer):
    """Translates and calls the use cases."""

    def __init__(self, ports: GatewayPorts) -> None:
        self._ports = ports

    async def CreateJob(self, request: pb.CreateJobRequest, context: Any) -> pb.CreateJobResponse:
        job = await job_requests.create_job(
            self._ports,
            current_call(),
            scope_id=scope_of(request.job.scope, field="job.scope"),
            urls=tuple(request.job.urls),
            page_limit=request.job.page_limit,
            request_id=request.request_id,
        )
        return pb.CreateJobResponse(job=job_message(job))

    async def GetJob(self, request: pb.GetJobRequest, context: Any) -> pb.GetJobResponse:
        view = await job_requests.get_job(self._ports, current_call(), job_of(request.name))
        return job_view_message(view)

    async def ListJobs(self, request: pb.ListJobsRequest, context: Any) -> pb.ListJobsResponse:
        jobs, token = await job_requests.list_jobs(
            self._ports,
            current_call(),
            scope_id=scope_of(request.scope, field="scope") if request.scope else None,
            page_size=request.page_size,
            page_token=request.page_token,
        )
        return pb.ListJobsResponse(jobs=[job_message(job) for job in jobs], next_page_token=token)

    async def CancelJob(self, request: pb.CancelJobRequest, context: Any) -> pb.CancelJobResponse:
        job = await job_requests.cancel_job(self._ports, current_call(), job_of(request.name))
        return pb.CancelJobResponse(job=job_message(job))
