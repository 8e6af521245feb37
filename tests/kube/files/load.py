"""Asks the gateway at a steady pace and prints a line a search; ends by itself."""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc

from scops.api.v1alpha1 import search_service_pb2, search_service_pb2_grpc

SEARCHES_A_SECOND = 4.0
IN_FLIGHT_MAX = 16
SECONDS_MAX = 7200.0
DEADLINE_SECONDS = 15.0
TOKEN = Path("/load/token")
QUERIES = ("What does VACUUM do?", "columns of a table", "default value", "enum on disk", "index")


def search(stub: search_service_pb2_grpc.SearchServiceStub, place: int) -> None:
    """Asks once and prints how it went."""
    request = search_service_pb2.SearchRequest(
        query=QUERIES[place % len(QUERIES)], scopes=["scopes/manual"]
    )
    began, error, found = time.time(), "", 0
    try:
        metadata = (("authorization", f"Bearer {TOKEN.read_text().strip()}"),)
        answer = stub.Search(
            request, timeout=DEADLINE_SECONDS, wait_for_ready=True, metadata=metadata
        )
        found = len(answer.passages)
        error = "" if found else "nothing found"
    except grpc.RpcError as failed:
        error = f"{failed.code().name}: {failed.details()}"
    line = {"began": began, "seconds": round(time.time() - began, 3), "error": error}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Starts searches on time, as long as not too many wait."""
    stub = search_service_pb2_grpc.SearchServiceStub(grpc.insecure_channel("gateway:7300"))
    began = time.monotonic()
    with ThreadPoolExecutor(IN_FLIGHT_MAX) as pool:
        for place in range(int(SECONDS_MAX * SEARCHES_A_SECOND)):
            time.sleep(max(0.0, began + place / SEARCHES_A_SECOND - time.monotonic()))
            pool.submit(search, stub, place)


main()
