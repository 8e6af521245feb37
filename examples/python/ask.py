"""Asks a running Scops (`scops up`) a question: `python examples/python/ask.py "How often …?"`."""

import os
import sys

import grpc

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.api.v1alpha1.search_service_pb2_grpc import SearchServiceStub

address = os.environ.get("SCOPS_COMMAND_ADDRESS", "127.0.0.1:7300")
with grpc.insecure_channel(address) as channel:
    request = pb.AnswerRequest(query=" ".join(sys.argv[1:]), scopes=["*"])
    answer = SearchServiceStub(channel).Answer(request, timeout=30)
for statement in answer.statements:
    print(statement.text, list(statement.citation_numbers))
for citation in answer.citations:
    print(f"[{citation.number}]", citation.fragment_uri or citation.uri)
if answer.shortfall_reason:
    print(answer.shortfall_reason)
