"""Generates everything that follows from the protos: run by `make proto`, compared by a test.

Writes `proto/gen/` (protobuf and gRPC code, type stubs),
`services/common/scops/common/contract/messages/` (one frozen dataclass per message, one `StrEnum`
per enum), so that handlers never touch protobuf and the two can never differ; and
`gateway/scops/gateway/api/openapi.json`, the readable routes of the API.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import grpc_tools
import openapi
from google.protobuf import descriptor_pb2 as pb

ROOT = Path(__file__).resolve().parent
MATTERS = (
    "types",
    "crawl",
    "content",
    "change",
    "index",
    "retrieval",
    "explanation",
    "purge",
    "frame",
)

ID_TYPES = {
    "page_id": "PageId",
    "moved_to": "PageId",
    "fetch_id": "FetchId",
    "confirmed_fetch_id": "FetchId",
    "job_id": "JobId",
    "scope_id": "ScopeId",
    "version_id": "VersionId",
    "compared_with": "VersionId",
    "restored_version_id": "VersionId",
    "from_version_id": "VersionId",
    "to_version_id": "VersionId",
    "head_version_id": "VersionId",
    "chunk_id": "ChunkId",
    "chunk_ids": "ChunkId",
    "joined_chunk_ids": "ChunkId",
    "previous_chunk_id": "ChunkId",
    "lineage_id": "LineageId",
    "embedding_key": "EmbeddingKey",
    "removed_lineage_ids": "LineageId",
    "job_ids": "JobId",
    "unverified_page_ids": "PageId",
    "page_ids": "PageId",
    "after_page": "PageId",
    "next_page": "PageId",
    "purge_id": "PurgeId",
}
Field = pb.FieldDescriptorProto
SCALARS = {
    Field.TYPE_STRING: ("str", '""'),
    Field.TYPE_BYTES: ("bytes", 'b""'),
    Field.TYPE_BOOL: ("bool", "False"),
    Field.TYPE_DOUBLE: ("float", "0.0"),
    Field.TYPE_INT32: ("int", "0"),
    Field.TYPE_INT64: ("int", "0"),
    Field.TYPE_FIXED64: ("int", "0"),
}


class Member(NamedTuple):
    """A dataclass field: its name, type, default source text ('' for none) and comment.

    One that the proto redacts is left out of the `repr` too.
    """

    name: str
    annotation: str
    default: str
    comment: str


def main() -> None:
    """Regenerates both trees; `--out DIR` writes them below DIR instead, for comparison."""
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT.parent
    image = build_image()
    write_protobuf(out / "proto/gen")
    write_messages(image, out / "services/common/scops/common/contract/messages")
    openapi.write_document(image, out / "gateway/scops/gateway/api/openapi.json")


def include_paths() -> list[str]:
    """Returns the protoc include paths: ours, well-known types, googleapis."""
    import google.api

    wellknown = Path(grpc_tools.__file__).parent / "_proto"
    googleapis = Path(next(iter(google.api.__path__))).parents[1]
    return [f"-I{path}" for path in (ROOT, wellknown, googleapis)]


def sources() -> list[str]:
    return [str(path) for path in sorted((ROOT / "scops").rglob("*.proto"))]


def protoc(*arguments: str) -> None:
    command = [sys.executable, "-m", "grpc_tools.protoc", *include_paths(), *arguments, *sources()]
    subprocess.run(command, check=True)


def build_image(path: Path | None = None) -> pb.FileDescriptorSet:
    """Returns the descriptor set with comments; also written to `path` when given."""
    with tempfile.TemporaryDirectory() as folder:
        target = path or Path(folder) / "image.binpb"
        protoc("--include_imports", "--include_source_info", f"-o{target}")
        return pb.FileDescriptorSet.FromString(target.read_bytes())


def write_protobuf(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    plugin = Path(sys.executable).parent / "protoc-gen-mypy"
    protoc(f"--python_out={target}", f"--plugin=protoc-gen-mypy={plugin}", f"--mypy_out={target}")
    api = [source for source in sources() if "/api/" in source]
    grpc_plugin = Path(sys.executable).parent / "protoc-gen-mypy_grpc"
    command = [sys.executable, "-m", "grpc_tools.protoc", *include_paths()]
    command += [f"--grpc_python_out={target}", f"--plugin=protoc-gen-mypy_grpc={grpc_plugin}"]
    subprocess.run([*command, f"--mypy_grpc_out={target}", *api], check=True)


def write_messages(image: pb.FileDescriptorSet, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    package = '"""Messages as frozen values; generated from the protos by `make proto`."""\n'
    (target / "__init__.py").write_text(package)
    for matter in MATTERS:
        files = [file for file in image.file if file.package == f"scops.{matter}.v1"]
        (target / f"{matter}.py").write_text("\n".join(module_lines(matter, files)))
    ruff = [str(Path(sys.executable).parent / "ruff"), "format", "--quiet", "--isolated"]
    subprocess.run([*ruff, "--line-length=100", str(target)], check=True)


def module_lines(matter: str, files: Iterable[pb.FileDescriptorProto]) -> Iterator[str]:
    """Yields the source lines of one matter's module."""
    body: list[str] = []
    names: list[str] = []
    for file in files:
        comments = {tuple(at.path): at.leading_comments for at in file.source_code_info.location}
        for index, enum in enumerate(file.enum_type):
            body += ["", "", *enum_lines(enum, comments.get((5, index), ""))]
            names.append(enum.name)
        for index, message in enumerate(file.message_type):
            body += ["", "", *message_lines(matter, message, (4, index), comments)]
            names.append(message.name)
    text = "\n".join(body)
    yield f'"""Messages of the matter `{matter}`; generated by `make proto`, do not edit."""'
    yield ""
    yield from import_lines(matter, text)
    yield from body
    yield ""


def import_lines(matter: str, text: str) -> Iterator[str]:
    fields = ", field" if "= field(" in text else ""
    yield f"from dataclasses import dataclass{fields}"
    if "datetime" in text:
        yield "from datetime import datetime"
    if "(StrEnum)" in text:
        yield "from enum import StrEnum"
    yield ""
    used = sorted({name for name in ID_TYPES.values() if name in text})
    if used:
        yield f"from scops.common.contract.ids import {', '.join(used)}"
    foreign = (other for other in MATTERS if other != matter)
    others = [other for other in foreign if re.search(rf"\b{other}\.[A-Z]", text)]
    if others:
        yield f"from scops.common.contract.messages import {', '.join(sorted(others))}"


def enum_lines(enum: pb.EnumDescriptorProto, comment: str) -> Iterator[str]:
    yield f"class {enum.name}(StrEnum):"
    yield f'    """{" ".join(comment.split())}"""'
    yield ""
    common = enum.value[0].name.removesuffix("UNSPECIFIED")
    for value in enum.value:
        short = value.name.removeprefix(common)
        short = f"KIND_{short}" if short[0].isdigit() else short
        yield f'    {short} = "{short.lower()}"'


def message_lines(
    matter: str,
    message: pb.DescriptorProto,
    path: tuple[int, ...],
    comments: dict[tuple[int, ...], str],
) -> Iterator[str]:
    members = [
        member(matter, message, field, comments.get((*path, 2, index), ""))
        for index, field in enumerate(message.field)
    ]
    yield "@dataclass(frozen=True, slots=True, kw_only=True)"
    yield f"class {message.name}:"
    yield f'    """{" ".join(comments.get(path, "").split())}"""'
    if members:
        yield ""
    for name, annotation, default, comment in members:
        for line in comment.strip().splitlines():
            yield f"    # {line.strip()}"
        yield f"    {name}: {annotation}" + (f" = {default}" if default else "")


def member(matter: str, message: pb.DescriptorProto, field: Field, comment: str) -> Member:
    """Translates a field; `optional` may be unset, other message fields are required."""
    nested = {entry.name for entry in message.nested_type if entry.options.map_entry}
    if field.type_name.rsplit(".", 1)[-1] in nested:
        return Member(field.name, "dict[str, str]", "", comment)
    annotation, default = base_type(matter, field)
    if field.options.debug_redact:
        return Member(field.name, annotation, f"field(default={default}, repr=False)", comment)
    if field.label == Field.LABEL_REPEATED:
        return Member(field.name, f"tuple[{annotation}, ...]", "()", comment)
    if field.proto3_optional:
        return Member(field.name, f"{annotation} | None", "None", comment)
    return Member(field.name, annotation, default, comment)


def base_type(matter: str, field: Field) -> tuple[str, str]:
    if field.type in (Field.TYPE_MESSAGE, Field.TYPE_ENUM):
        if field.type_name == ".google.protobuf.Timestamp":
            return "datetime", ""
        _, _, other, _, name = field.type_name.split(".")
        annotation = name if other == matter else f"{other}.{name}"
        return annotation, f"{annotation}.UNSPECIFIED" if field.type == Field.TYPE_ENUM else ""
    annotation, default = SCALARS[field.type]
    if field.name in ID_TYPES:
        return ID_TYPES[field.name], f'{ID_TYPES[field.name]}("")'
    return annotation, default


if __name__ == "__main__":
    main()
