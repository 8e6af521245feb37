"""`scops export warc|wacz`: the versions of a scope as files for tools of web archives."""

from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from scops.api.v1alpha1 import transfer_service_pb2 as pb
from scops.standalone.commands.transfer.extra import needs_extra
from scops.standalone.commands.transfer.patience import ask
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, line, print_json

if TYPE_CHECKING:
    from scops.standalone.commands.warc.record_index import RecordIndex
    from scops.standalone.commands.warc.writing import WarcFileWriter

DATA = "data.warc.gz"
Scope = Annotated[str, typer.Option(help="The scope whose versions are written.")]


def give_warc(
    file: Annotated[Path, typer.Argument(help="A new file, such as docs.warc.gz.")], scope: Scope
) -> None:
    """Writes the versions of a scope with their bodies as a WARC file.

    A body that is kept is a resource record of the time at which it was observed; of others the
    clean text is a conversion record. See docs/warc.md.
    """
    _check(file)
    written = _write(file, scope)
    _say(scope, file, written)


def give_wacz(
    file: Annotated[Path, typer.Argument(help="A new file, such as docs.wacz.")], scope: Scope
) -> None:
    """Writes the versions of a scope as a WACZ file, which ReplayWeb.page and pywb open.

    It holds what `scops export warc` writes, with index and list of pages. See docs/warc.md.
    """
    needs_extra(("surt",))
    _check(file)
    from scops.standalone.commands.warc.record_index import RecordIndex
    from scops.standalone.commands.warc.wacz import write_wacz

    inner = file.with_name(f"{file.name}.{DATA}")
    try:
        with RecordIndex() as index:
            written = _write(inner, scope, name=DATA, index=index)
            write_wacz(file, inner, index, name=DATA, title=scope, now=datetime.now(UTC))
    finally:
        inner.unlink(missing_ok=True)
    _say(scope, file, written)


def _write(
    file: Path, scope: str, *, name: str = "", index: "RecordIndex | None" = None
) -> "WarcFileWriter":
    from scops.standalone.commands.warc.writing import WarcFileWriter

    software = f"scops/{version('scops')}"
    opened = WarcFileWriter(file, software, name=name or file.name, index=index)
    with opened as writer, open_gateway() as client:
        request = pb.ExportPagesRequest(scope=f"scopes/{scope}", with_bodies=True)
        while True:
            answer = ask(client, client.transfers.ExportPages, request)
            for page in answer.pages:
                for one in page.versions:
                    writer.add(page.uri, one)
            if not answer.next_page_token:
                break
            request.page_token = answer.next_page_token
        writer.finish()
    return writer


def _say(scope: str, file: Path, written: "WarcFileWriter") -> None:
    said = {"bodies": written.bodies, "texts": written.texts, "left_out": written.left_out}
    if Output.is_json():
        print_json({"scope": scope, "file": str(file), **said})
        return
    left_out = f", {written.left_out} not kept" if written.left_out else ""
    line(escape(f"{file}: {written.bodies} bodies, {written.texts} texts{left_out}"))


def _check(file: Path) -> None:
    if file.exists():
        raise CommandError(
            f"{file} exists. Name a new file, or remove this one.",
            code=Exit.INVALID_INPUT,
            reason="EXPORT_EXISTS",
        )
