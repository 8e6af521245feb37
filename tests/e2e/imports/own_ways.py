"""Ways that ask no API: files of this machine, captures, WARC files."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from scops.client import NotFound, Scops
from tests.e2e.imports.ways import LONG, MAY, Source, html, said
from tests.e2e.system import Ended
from tests.fakes.files.warc_files import HTML, WarcMaker
from tests.fakes.servers.origin import Origin


class Files(Source):
    """`scops add` of a folder."""

    way: ClassVar[str] = "files"
    outside: ClassVar[str] = "links"
    long: ClassVar[str] = "3000000 are taken at most"
    damaged: ClassVar[str] = "save it anew"

    @classmethod
    def rules(cls, origin: Origin) -> list[str]:
        return [f"file://{name}" for name in ("cited", "dated", "bounded", "killed")]

    def url(self, animal: str) -> str:
        return f"file://{self.name}/{animal}.md"

    def came_by(self, animal: str) -> str:
        return "local"

    def put(self, animal: str, euros: int, at: datetime) -> None:
        text = "\n\n".join(said(animal, self.way, euros))
        (self.folder / f"{animal}.md").write_text(f"# {animal} of {self.way}\n\n{text}\n")

    def put_outside(self, url: str) -> None:
        secret = self.folder.parent / "secret.md"
        secret.write_text("Nobody is to read this.")
        (self.folder / "link.md").symlink_to(secret)

    def put_long(self, animal: str) -> None:
        (self.folder / f"{animal}.md").write_text(LONG)

    def put_damaged(self) -> None:
        (self.folder / "damaged.docx").write_bytes(b"PK\x03\x04 no archive")

    def words(self, *, newest: bool = False) -> tuple[str, ...]:
        return ("add", str(self.folder), "--scope", self.scope, "--name", self.name)


class Lines(Files):
    """`scops add` of JSON lines."""

    way: ClassVar[str] = "lines"
    damaged: ClassVar[str] = "no JSON"

    def url(self, animal: str) -> str:
        return f"file://{self.name}/records.jsonl/{animal}"

    def put(self, animal: str, euros: int, at: datetime) -> None:
        text = "\n\n".join(said(animal, self.way, euros))
        self._put(animal, {"id": animal, "title": f"{animal} of {self.way}", "text": text})

    def put_long(self, animal: str) -> None:
        self._put(animal, {"id": animal, "text": LONG})

    def put_damaged(self) -> None:
        with (self.folder / "records.jsonl").open("a") as file:
            file.write("no json\n")

    def _put(self, animal: str, record: dict[str, str]) -> None:
        file = self.folder / "records.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        kept = [line for line in lines if f'"id": "{animal}"' not in line]
        file.write_text("\n".join([*kept, json.dumps(record)]) + "\n")


@dataclass
class Captures(Source):
    """`scops page capture` of saved pages, one after the other."""

    way: ClassVar[str] = "captures"
    keeps_history: ClassVar[bool] = True
    is_dated: ClassVar[bool] = True
    outside: ClassVar[str] = "keeps out"
    excluded: ClassVar[str] = "prefix:https://captures.example.org/out/"
    long: ClassVar[str] = "3000000"
    damaged: ClassVar[str] = "cannot be read"

    # URL and time of each file, in the order in which they were saved.
    saved: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def came_by(self, animal: str) -> str:
        return "local"

    def named(self, animal: str) -> str:
        return self.names[self.url(animal)]

    def put(self, animal: str, euros: int, at: datetime) -> None:
        self._save(f"{animal}-{euros}", html(animal, self.way, euros), self.url(animal), at)

    def put_outside(self, url: str) -> None:
        # A capture adds its page to the scope, but where a rule keeps it out.
        out = self.excluded.removeprefix("prefix:")
        self._save("outside", html("Nobody", self.way, 1), f"{out}page", MAY)

    def put_long(self, animal: str) -> None:
        self._save(animal, f"<p>{LONG}", self.url(animal), MAY)

    def put_damaged(self) -> None:
        self.saved[str(self.folder / "missing.html")] = (self.url("missing"), MAY)

    def bring(self, *, newest: bool = False) -> Ended:
        files = list(self.saved)
        ended = [self.system.run(*self._words(file)) for file in (files[-1:] if newest else files)]
        for file, one in zip(files[-1:] if newest else files, ended, strict=True):
            if one.code == 0:
                self.names[self.saved[file][0]] = one.json["name"]
                self._wait(one.json["name"], self.saved[file][1])
        codes, outs, errors = zip(*((one.code, one.out, one.err) for one in ended), strict=True)
        return Ended(max(codes), "".join(outs), "".join(errors))

    def words(self, *, newest: bool = False) -> tuple[str, ...]:
        return self._words(next(iter(self.saved)))

    def _save(self, name: str, content: str, url: str, at: datetime) -> None:
        file = self.folder / f"{name}.html"
        file.write_text(content)
        self.saved[str(file)] = (url, at)

    def _words(self, file: str) -> tuple[str, ...]:
        url, at = self.saved[file]
        return (
            *("page", "capture", file, "--url", url, "--scope", self.scope),
            *("--time", at.isoformat()),
        )

    def _wait(self, name: str, at: datetime) -> None:
        """Waits until a version of that time is in the index."""
        with Scops(self.system.address) as scops:

            def is_there() -> bool:
                try:
                    versions = scops.page_history(name).versions
                except NotFound:
                    return False
                return any(one.observed_from_time == at for one in versions)

            self.system.until(is_there, seconds=60)


@dataclass
class Warc(Source):
    """`scops import warc` of files at URLs: one of what was there before, one of what came."""

    way: ClassVar[str] = "warc"
    keeps_history: ClassVar[bool] = True
    is_dated: ClassVar[bool] = True
    damaged: ClassVar[str] = "without HTTP headers"
    barred: ClassVar[str] = "noindex"
    unbounded: ClassVar[str] = ""

    records: dict[str, WarcMaker] = field(default_factory=dict)
    newest: dict[str, str] = field(default_factory=dict)

    def came_by(self, animal: str) -> str:
        return f"warc:{self.newest[animal]}.warc.gz"

    def put(self, animal: str, euros: int, at: datetime) -> None:
        content = html(animal, self.way, euros).encode()
        self._add(animal, at, lambda warc: warc.response(self.url(animal), content, at=at))

    def put_outside(self, url: str) -> None:
        self._add("outside", MAY, lambda warc: warc.response(url, b"<p>Nobody.</p>", at=MAY))

    def put_long(self, animal: str) -> None:
        content = f"<p>{LONG}".encode()
        self._add(animal, MAY, lambda warc: warc.response(self.url(animal), content, at=MAY))

    def put_damaged(self) -> None:
        url = self.url("damaged")
        self._add("damaged", MAY, lambda warc: warc.raw("response", url, b"no HTTP", at=MAY))

    def put_barred(self, animal: str) -> None:
        headers = (*HTML, ("X-Robots-Tag", "noindex"))
        content, url = html(animal, self.way, 1).encode(), self.url(animal)
        self._add(animal, MAY, lambda warc: warc.response(url, content, headers=headers, at=MAY))

    def words(self, *, newest: bool = False) -> tuple[str, ...]:
        assert self.origin is not None, "files lie at URLs"
        names = list(self.records)[-1:] if newest else list(self.records)[::-1]
        urls = [f"{self.origin.url}/{self.name}/{name}.warc.gz" for name in names]
        return ("import", "warc", *urls, "--scope", self.scope)

    def _add(self, animal: str, at: datetime, record: Callable[[WarcMaker], object]) -> None:
        name = f"of-{at:%Y-%m}"
        warc = self.records.setdefault(name, WarcMaker())
        record(warc)
        self.newest[animal] = name
        assert self.origin is not None, "files lie at URLs"
        self.origin.replace(f"/{self.name}/{name}.warc.gz", warc.data)
