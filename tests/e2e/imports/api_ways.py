"""Ways that ask an API or a server, of which stand-ins answer here."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime
from typing import Any, ClassVar

from tests.e2e.imports.ways import LONG, MAY, Source, html, said
from tests.fakes.servers.firecrawl import Firecrawl
from tests.fakes.servers.github import NAME, SITE, Github
from tests.fakes.servers.origin import Origin
from tests.fakes.servers.stackexchange import SITE as EXCHANGE
from tests.fakes.servers.stackexchange import URL, StackExchange
from tests.fakes.servers.wiki import Wiki


@dataclass
class Asking(Source):
    """A way that asks a stand-in.

    Attributes:
        server: the stand-in on the origin, which all tests of the way share.
    """

    stand_in: ClassVar[Callable[[Origin], Any]]
    unbounded: ClassVar[str] = "more than 20000000 bytes"

    server: Any = None


@dataclass
class MediaWiki(Asking):
    """`scops import mediawiki` of the titles that begin with the test's name."""

    way: ClassVar[str] = "mediawiki"
    keeps_history: ClassVar[bool] = True
    is_dated: ClassVar[bool] = True
    barred: ClassVar[str] = "__NOINDEX__"
    stand_in: ClassVar[Callable[[Origin], Any]] = Wiki

    @classmethod
    def rules(cls, origin: Origin) -> list[str]:
        return [f"prefix:{origin.url}/wiki/"]

    def url(self, animal: str) -> str:
        return str(self.server.page_url(self._title(animal)))

    def came_by(self, animal: str) -> str:
        return f"mediawiki:{self.server.pages[self._title(animal)][-1].revision_id}"

    def put(self, animal: str, euros: int, at: datetime) -> None:
        shown = "".join(f"<p>{part}</p>" for part in said(animal, self.way, euros))
        self.server.save(self._title(animal), at, shown)

    def put_outside(self, url: str) -> None:
        self.server.urls[self._title("outside")] = url
        self.server.save(self._title("outside"), MAY, "<p>Nobody.</p>")

    def put_long(self, animal: str) -> None:
        self.server.save(self._title(animal), MAY, LONG)

    def put_damaged(self) -> None:
        self.server.damaged.add(self.server.save(self._title("damaged"), MAY, "<p>Lost.</p>"))

    def put_barred(self, animal: str) -> None:
        self.put(animal, 1, MAY)
        self.server.noindex.add(self._title(animal))

    def words(self, *, newest: bool = False) -> tuple[str, ...]:
        number = "1" if newest else "0"
        return (
            *("import", "mediawiki", self.server.url, "--scope", self.scope, "--delay", "0"),
            *("--prefix", f"{self.name} ", "--revisions", number),
        )

    def _title(self, animal: str) -> str:
        return f"{self.name} {animal}"


@dataclass
class OfGithub(Asking):
    """`scops import github` of the files of a folder; issues where a record is none of a file."""

    way: ClassVar[str] = "github"
    keeps_history: ClassVar[bool] = True
    is_dated: ClassVar[bool] = True
    long: ClassVar[str] = "files that are too long"
    stand_in: ClassVar[Callable[[Origin], Any]] = Github

    kinds: list[str] = field(default_factory=lambda: ["files"])

    @classmethod
    def rules(cls, origin: Origin) -> list[str]:
        return [f"prefix:{SITE}"]

    def url(self, animal: str) -> str:
        return str(self.server.file_url(self._path(animal)))

    def came_by(self, animal: str) -> str:
        path = self._path(animal)
        newest = next(one for one in reversed(self.server.commits) if one.path == path)
        return f"github:{newest.sha}"

    def put(self, animal: str, euros: int, at: datetime) -> None:
        text = "\n\n".join(said(animal, self.way, euros))
        self.server.commit(self._path(animal), f"# {animal} of {self.way}\n\n{text}\n", at)

    def put_outside(self, url: str) -> None:
        self.kinds.append("issues")
        self.server.issue(1, "Elsewhere", MAY, "<p>Nobody.</p>", html_url=url)

    def put_long(self, animal: str) -> None:
        self.server.commit(self._path(animal), LONG, MAY)

    def put_damaged(self) -> None:
        self.server.issue(2, "Damaged", MAY, "<p>Lost.</p>")
        self.server.issues[2]["number"] = "two"

    def words(self, *, newest: bool = False) -> tuple[str, ...]:
        kinds = [word for kind in self.kinds for word in ("--only", kind)]
        return (
            *("import", "github", NAME, "--scope", self.scope, "--server", self.server.url),
            *("--delay", "0", "--path", f"{self.name}/*", *kinds),
            *("--history", "1" if newest else "5"),
        )

    def _path(self, animal: str) -> str:
        return f"{self.name}/{animal}.md"


@dataclass
class OfStackExchange(Asking):
    """`scops import stackexchange` of the questions with a tag."""

    way: ClassVar[str] = "stackexchange"
    is_dated: ClassVar[bool] = True
    stand_in: ClassVar[Callable[[Origin], Any]] = StackExchange

    numbers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def rules(cls, origin: Origin) -> list[str]:
        return [f"prefix:{URL}"]

    def url(self, animal: str) -> str:
        return str(self.server.link(self.numbers[animal]))

    def came_by(self, animal: str) -> str:
        return f"stackexchange:{EXCHANGE}/{self.numbers[animal]}"

    def put(self, animal: str, euros: int, at: datetime) -> None:
        shown = "".join(f"<p>{part}</p>" for part in said(animal, self.way, euros))
        self._ask(animal, at, shown)

    def put_outside(self, url: str) -> None:
        self._ask("outside", MAY, "<p>Nobody.</p>")["link"] = url

    def put_long(self, animal: str) -> None:
        self._ask(animal, MAY, LONG)

    def put_damaged(self) -> None:
        del self._ask("damaged", MAY, "<p>Lost.</p>")["link"]

    def words(self, *, newest: bool = False) -> tuple[str, ...]:
        return (
            *("import", "stackexchange", EXCHANGE, "--tag", self.name, "--scope", self.scope),
            *("--server", self.server.url, "--delay", "0"),
        )

    def _ask(self, animal: str, at: datetime, shown: str) -> dict[str, Any]:
        number = self.numbers.setdefault(animal, len(self.server.questions) + 1)
        self.server.ask(number, f"{animal} of {self.name}", at, shown, self.name)
        asked: dict[str, Any] = self.server.questions[number]
        return asked


@dataclass
class OfFirecrawl(Asking):
    """`scops import firecrawl` of URLs, each alone."""

    way: ClassVar[str] = "firecrawl"
    damaged: ClassVar[str] = "Firecrawl, of"
    barred: ClassVar[str] = "noindex"
    stand_in: ClassVar[Callable[[Origin], Any]] = Firecrawl

    urls: list[str] = field(default_factory=list)

    def came_by(self, animal: str) -> str:
        return "firecrawl"

    def put(self, animal: str, euros: int, at: datetime) -> None:
        self._show(self.url(animal), html(animal, self.way, euros))

    def put_outside(self, url: str) -> None:
        self._show(url, html("Nobody", self.way, 1))

    def put_long(self, animal: str) -> None:
        self._show(self.url(animal), f"<p>{LONG}")

    def put_damaged(self) -> None:
        self.server.damaged.add(self.url("damaged"))
        self._show(self.url("damaged"), "<p>Lost.</p>")

    def put_barred(self, animal: str) -> None:
        barred = html(animal, self.way, 1, head="<meta name=robots content=noindex>")
        self._show(self.url(animal), barred)

    def words(self, *, newest: bool = False) -> tuple[str, ...]:
        server = ("--scope", self.scope, "--server", self.server.url)
        return ("import", "firecrawl", *self.urls, *server)

    def _show(self, url: str, content: str) -> None:
        self.server.pages[url] = (200, content)
        if url not in self.urls:
            self.urls.append(url)


@dataclass
class Feed(Asking):
    """`scops import feed` of a feed, and of a second one that has its older entries."""

    way: ClassVar[str] = "feed"
    keeps_history: ClassVar[bool] = True
    is_dated: ClassVar[bool] = True
    damaged: ClassVar[str] = "without a link"
    stand_in: ClassVar[Callable[[Origin], Any]] = staticmethod(lambda origin: origin)

    items: dict[str, list[str]] = field(default_factory=dict)

    def came_by(self, animal: str) -> str:
        return f"feed:{self._feed(0)}"

    def put(self, animal: str, euros: int, at: datetime) -> None:
        shown = "".join(f"<p>{part}</p>" for part in said(animal, self.way, euros))
        self._add(animal, self.url(animal), shown, at)

    def put_outside(self, url: str) -> None:
        self._add("outside", url, "<p>Nobody.</p>", MAY)

    def put_long(self, animal: str) -> None:
        self._add(animal, self.url(animal), LONG, MAY)

    def put_damaged(self) -> None:
        self._add("damaged", "", "<p>Lost.</p>", MAY)

    def words(self, *, newest: bool = False) -> tuple[str, ...]:
        feeds = [self._feed(0)] if newest else [self._feed(0), self._feed(1)]
        return ("import", "feed", *feeds, "--scope", self.scope, "--delay", "0")

    def _feed(self, number: int) -> str:
        return f"{self.server.url}/{self.name}-{number}.xml"

    def _add(self, animal: str, link: str, shown: str, at: datetime) -> None:
        item = (
            f"<item><title>{animal}</title><link>{link}</link><pubDate>{format_datetime(at)}"
            f"</pubDate><content:encoded><![CDATA[{shown}]]></content:encoded></item>"
        )
        self.items.setdefault(animal, []).insert(0, item)
        for number in (0, 1):
            told = "".join(said[number] for said in self.items.values() if len(said) > number)
            self.server.replace(f"/{self.name}-{number}.xml", RSS.format(told))


RSS = (
    '<?xml version="1.0"?><rss version="2.0" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Tariffs</title>'
    "<link>https://feed.example.org/</link>{}</channel></rss>"
)
