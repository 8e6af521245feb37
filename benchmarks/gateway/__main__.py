"""What the gateway's door costs, and what it does when more is asked than can be answered.

    python -m benchmarks.gateway [--data DIR] [--seconds N] [--streams] --json

`scops up` has crawled 200 pages, and is started in turns without identity, where everybody is
`local` and nobody is refused, and with it, where each caller has an API key. Load comes from the
event loop of one process on the same machine; no query is asked twice in a run. Budgets of
principals are off, so that what is measured is what the machine can do.

Keys:
    auth_overhead_ms: median of WhoAmI with an API key less the median of the same call without
        identity; starts of both in turns, sequential calls. `token_check_ms`: median of checking a
        token (RS256) of an issuer whose keys are at hand, in this process.
    clients: by number of clients that each ask again as soon as they are answered or refused (after
        the time that a refusal names): `throughput` of answers a second, `p50_ms` and `p95_ms` of
        them, `refused_share` of all calls.
    capacity: most answers a second of those, and of the same without identity.
    overload_p95_ratio: p95 of what is let in when four times the capacity is asked, steadily and
        whatever comes back, by the p95 of one client alone. `overload_throughput_share`: answers a
        second by the capacity; `overload_refused_share` of calls;
        `overload_refusal_p95_ms`: how soon those are told.
    grpc_p50_ms: median of ListScopes without identity. `http_overhead_ms`, `mcp_overhead_ms`:
        medians of the same by `GET /v1/scopes` and by the tool `list_scopes`, less that; in turns.
    first_source_p50_ms, `first_source_p95_ms`: from a question until StreamAnswer shows what was
        found, over gRPC. `streamed_answer_p50_ms`: until its last part.
    without: `clients` and the last four for the gateway without identity, which refuses what is
        more than 64 at once and nothing else; calls that end by their deadline of 20 s count as
        that long.
"""

import asyncio
import statistics
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.embed import DEFAULT_DATA
from benchmarks.gateway.door import Door, doors
from benchmarks.gateway.load import Load, closed, open_loop
from benchmarks.gateway.streams import doors_and_streams
from benchmarks.gateway.token import token_check_ms
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.crawling import warm_up
from benchmarks.shared.system.html_pages import read_pages
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.system import System

PAGES = 200
SCOPE = "bench"
CLIENTS = (1, 8, 64)
OVER = 4
# Starts of each side, for the cost of a credential.
TURNS = 2
SECONDS = 20.0
# What a gateway learns how much it can do in, before anything counts.
LEARN_SECONDS = 15.0


def main() -> None:
    parser = command_parser(__doc__, data="folder of HTML files", default=DEFAULT_DATA)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each load")
    parser.add_argument("--streams", action="store_true", help="only doors and streams")
    args = parser.parse_args()
    print_result(measure(args.data, seconds=args.seconds, only_streams=args.streams), args)


def measure(data: Path, *, seconds: float = SECONDS, only_streams: bool = False) -> dict[str, Any]:
    """Returns the figures that the module's docstring names.

    Args:
        only_streams: whether only the doors and streams are measured.
    """
    bodies = read_pages(data, limit=PAGES)
    with tempfile.TemporaryDirectory(prefix="scops-bench-") as scratch:
        folder = Path(scratch)
        _crawl(bodies, folder)
        alone = {identity: [] for identity in (False, True)}  # type: dict[bool, list[float]]
        for _ in range(0 if only_streams else TURNS):
            for identity, taken in alone.items():
                with doors(folder, SCOPE, identity=identity) as door:
                    taken.append(asyncio.run(door.who_am_i()))
        with doors(folder, SCOPE, identity=False) as door:
            streams = doors_and_streams(door)
            progress(f"doors and streams: {streams}")
            if only_streams:
                return {**streams, "pages": len(bodies)}
            plain = _by_clients(door, seconds)
        overhead = statistics.median(alone[True]) - statistics.median(alone[False])
        progress(f"a key costs {1000 * overhead:.3f} ms")
        with doors(folder, SCOPE, identity=True) as door:
            asyncio.run(closed(door, CLIENTS[-1], LEARN_SECONDS))
            clients = _by_clients(door, seconds)
            loads = (*plain.values(), *clients.values())
            capacity = max(one["throughput"] for one in loads)
            overrun = _overloaded(door, capacity, seconds)
        with doors(folder, SCOPE, identity=False) as door:
            without = {"clients": plain, **_overloaded(door, capacity, seconds)}
    return {
        "auth_overhead_ms": round(1000 * overhead, 3),
        "token_check_ms": round(asyncio.run(token_check_ms()), 3),
        **streams,
        "clients": clients,
        "capacity": capacity,
        **overrun,
        "without": without,
        "pages": len(bodies),
    }


def _crawl(bodies: dict[str, bytes], folder: Path) -> None:
    origin = Origin(bodies)
    with origin.running(), System(folder).running() as system, Client(system.address) as client:
        warm_up(system, client)
        client.create_scope(SCOPE, origin)
        counts = client.wait(SCOPE, client.start_crawl(SCOPE))
    progress(f"crawled {counts.indexed} pages")


def _by_clients(door: Door, seconds: float) -> dict[str, dict[str, float]]:
    found = {}
    for clients in CLIENTS:
        found[str(clients)] = asyncio.run(closed(door, clients, seconds)).figures()
        progress(f"{clients} clients: {found[str(clients)]}")
    return found


def _overloaded(door: Door, capacity: float, seconds: float) -> dict[str, Any]:
    alone = asyncio.run(closed(door, 1, seconds))
    asyncio.run(open_loop(door, OVER * capacity, LEARN_SECONDS))
    load: Load = asyncio.run(open_loop(door, OVER * capacity, seconds))
    figures = {
        "overload_p95_ratio": round(load.answered(95) / alone.answered(95), 2),
        "overload_throughput_share": round(load.throughput / capacity, 2),
        "overload_refused_share": round(load.refused_share, 3),
        "overload_refusal_p95_ms": load.refusal_p95_ms,
    }
    progress(f"{OVER * capacity:.0f} calls a second: {figures}")
    return figures


if __name__ == "__main__":
    main()
