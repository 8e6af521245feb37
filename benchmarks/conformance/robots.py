"""google/robotstxt, robots_test.cc: what `RobotsPolicy` makes of its cases.

The C++ is read, not run: the strings, what is appended to them, and each expectation in order. A
case is one expectation of `IsUserAgentAllowed` or of the sitemap found, named `test:number`;
those about the insides of Google's parser (what it counts, escapes, cuts) have no counterpart.
As everywhere in the fetcher, a URL is asked about in its canonical form.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.conformance.cases import Result, compared
from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.fetcher.politeness.robots import RobotsKind, RobotsPolicy, robots_text

LINE_BYTES_MAX = 2083 * 8
"""`kMaxLineLen` of the tests of long lines."""

_TEST = re.compile(r"^TEST\(RobotsUnittest, (\w+)\) \{$(.*?)^\}$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(rb"\\(x[0-9A-Fa-f]{2}|.)", re.DOTALL)
_STATEMENT = re.compile(r'(?:[^;{}"]|"(?:[^"\\]|\\.)*")*[;{}]', re.DOTALL)
_PART = re.compile(r'(?:[^,"(]|"(?:[^"\\]|\\.)*"|\([^)]*\))+', re.DOTALL)
_DECLARED = re.compile(r"(?:std::string|string_view|char) (\w+)(?:\[\])?(?:\s*=(.*))?;", re.DOTALL)
_APPENDED = re.compile(r"absl::StrAppend\(&(\w+),(.*)\);", re.DOTALL)
_LENGTH = re.compile(r"max_length =\s*kMaxLineLen - (\w+)\.length\(\) - (\w+)\.length\(\)")
_GROWING = re.compile(r"while \((\w+)\.size\(\) < max_length\)")
_ALLOWED = re.compile(r"EXPECT_(TRUE|FALSE)\(\s*IsUserAgentAllowed\((.*)\)\);", re.DOTALL)
_READ = re.compile(r"ParseRobotsTxt\((\w+), &report\)")
_SITEMAP = re.compile(r"EXPECT_EQ\((\w+), report\.sitemap\(\)\)")
_CONTROLS = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def robots_results(path: Path) -> Sequence[Result]:
    """Runs every case of the file."""
    source = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    return [result for name, body in _TEST.findall(source) for result in _Test(name).run(body)]


class _Test:
    """One test of the file, statement by statement."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._strings: dict[str, bytes] = {}
        self._length_max = 0
        self._read = b""
        self._cases = 0

    def run(self, body: str) -> Iterator[Result]:
        statements = iter(_STATEMENT.findall(body))
        for statement in statements:
            if found := _GROWING.search(statement):
                grown = list(iter(lambda: next(statements).strip(), "}"))
                while len(self._strings[found[1]]) < self._length_max:
                    for each in grown:
                        self._assign(each)
            elif found := _ALLOWED.search(statement):
                yield self._allowed(found[1] == "TRUE", found[2])
            elif found := _SITEMAP.search(statement):
                yield self._sitemap(self._strings[found[1]])
            else:
                self._assign(statement)

    def _assign(self, statement: str) -> None:
        if found := _LENGTH.search(statement):
            taken = sum(len(self._strings[name]) for name in found.groups())
            self._length_max = LINE_BYTES_MAX - taken + len("\n")
        elif found := _READ.search(statement):
            self._read = self._strings[found[1]]
        elif found := _APPENDED.search(statement):
            self._strings[found[1]] += self._joined(found[2])
        elif found := _DECLARED.search(statement):
            self._strings[found[1]] = self._joined(found[2] or '""')

    def _joined(self, text: str) -> bytes:
        return b"".join(self._value(part) for part in _PART.findall(text))

    def _value(self, text: str) -> bytes:
        text = text.strip()
        if text.startswith("absl::StrCat("):
            return self._joined(text.removeprefix("absl::StrCat(").rstrip(")"))
        if text in self._strings:
            return self._strings[text]
        return b"".join(_unescaped(literal[1:-1]) for literal in _STRING.findall(text))

    def _allowed(self, expected: bool, arguments: str) -> Result:
        rules, agent, url = (self._value(part) for part in _PART.findall(arguments))
        policy = RobotsPolicy(RobotsKind.RULES, robots_text(rules))
        try:
            actual = policy.allowed(canonical_url(url.decode()), agent.decode())
        except InvalidInput:
            # What is no URL is never requested.
            actual = False
        return compared(self._next_case(), expected=expected, actual=actual)

    def _sitemap(self, expected: bytes) -> Result:
        found = RobotsPolicy(RobotsKind.RULES, robots_text(self._read)).sitemaps()
        return compared(self._next_case(), expected=(expected.decode(),), actual=found)

    def _next_case(self) -> str:
        self._cases += 1
        return f"{self._name}:{self._cases}"


def _unescaped(literal: str) -> bytes:
    def character(found: re.Match[bytes]) -> bytes:
        if found[1].startswith(b"x"):
            return bytes.fromhex(found[1][1:].decode())
        return _CONTROLS.get(found[1], found[1])

    return _ESCAPE.sub(character, literal.encode())
