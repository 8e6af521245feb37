"""What a process of one role does without: modules that only others, or nobody, need there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scops.common.contract.service_table import Role
from scops.standalone.process.parts import PARTS, RolePart

# Composes the roles as `scops run` does, and tells what is imported by then.
COMPOSED = """
import asyncio, json, sys
from scops.common.contract.service_table import Role
from scops.common.runtime.platform import open_platform
from scops.standalone.process.parts import parts_of
from scops.standalone.process.roles import load_common

async def nobody(*_):
    raise AssertionError("nothing is asked while a role is composed")

async def compose(roles):
    common = load_common(parts_of(roles))
    platform = await open_platform(
        common, publisher=nobody, query_client=nobody, backlog=nobody, scope_publisher=nobody
    )
    services = [part.build(part.settings.load(), platform) for part in parts_of(roles)]
    assert [service.role for service in services] == list(roles)
    await platform.close()

asyncio.run(compose((Role(sys.argv[1]),)))
print(json.dumps(sorted(sys.modules)))
"""

# With why a fetcher needs none of them.
NOT_IN_A_FETCHER = {
    "numpy": "vectors are the indexer's and the retriever's",
    "scipy": "as numpy",
    "onnx": "the embedder's graph",
    "onnxruntime": "the embedder",
    "tokenizers": "the embedder",
    "sentencepiece": "the embedder",
    "grpc": "the gateway's",
    "weaviate": "the chunk store",
    "trafilatura": "the extractor's",
    "resiliparse": "the extractor's",
    "pypdfium2": "the extractor's",
    "obstore": "the archive is a folder here",
    "asyncpg": "the state is a file here",
    "sqlalchemy.dialects.postgresql": "the state is a file here",
    "sqlalchemy.ext.asyncio": "statements run in the loop here",
    "sqlalchemy.orm": "the core is enough",
    "alembic": "who provisions migrates",
    "opentelemetry.sdk": "no collector is named",
    "rich": "for pretty tracebacks, which would show page texts",
    "pygments": "as rich",
    "twisted": "structlog and Prometheus offer to work with it",
    "requests": "a second HTTP client",
    "tldextract": "20 MB for a list of suffixes",
    "uvicorn": "FastStream offers to serve ASGI by it",
    "click": "uvicorn's command",
    "lxml": "listings are parsed in a child, and pages by the extractor",
    "joserfc": "who asks is checked by those who answer inside of scopes",
    "cryptography": "until there is a key for credentials",
    "courlan": "until a URL has a query",
    "babel": "as courlan",
}

# With the only role that may have it.
OWN = {"trafilatura": {Role.EXTRACTOR}, "grpc": {Role.GATEWAY}}


@pytest.mark.parametrize("role", [part.role for part in PARTS])
def test_a_role_brings_no_other(role: Role, tmp_path: Path) -> None:
    """Packages of other services, and the libraries of one role alone, stay away."""
    imported = _imported_by(role, tmp_path)

    packages = {part.role.value.replace("-", "_"): part.role for part in PARTS}
    assert [role] == [found for name, found in packages.items() if f"scops.{name}" in imported]
    assert not [name for name, roles in OWN.items() if name in imported and role not in roles]


def test_a_fetcher_imports_nothing_it_does_not_need(tmp_path: Path) -> None:
    """Each of them is memory that every fetcher would hold."""
    imported = _imported_by(Role.FETCHER, tmp_path)

    assert [] == [name for name in NOT_IN_A_FETCHER if name in imported]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.role)
def test_a_prefix_is_known_without_the_settings(part: RolePart) -> None:
    """What the environment says to other roles is told from mistakes by it."""
    assert part.env_prefix == part.settings.model_config.get("env_prefix")


def _imported_by(role: Role, folder: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", COMPOSED, role.value],
        env={"SCOPS_DATA_DIR": str(folder), "SCOPS_LOG_FORMAT": "json"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_what_runs_services_does_without_what_asks_the_gateway() -> None:
    """`scops run` holds no channel to a gateway: its words are refused before anything starts."""
    told = (
        "import sys; sys.argv = ['scops', 'run', 'owl']\n"
        "import scops.standalone.__main__ as command\n"
        "try:\n    command.main()\n"
        "except SystemExit as left:\n    print(left.code, 'grpc' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)

    assert "2 False" == done.stdout.strip()
    assert "owl" in done.stderr
