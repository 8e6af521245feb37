"""Reads the cases of an http-cache-tests module: one object literal of JavaScript."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_TOKEN = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/"
    r"|(?P<string>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`\\]|\\.)*`)"
    r"|(?P<number>-?\d+)|(?P<name>[A-Za-z_$][\w.$]*)|(?P<sign>[{}\[\](),:])",
    re.DOTALL,
)
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}
_EXPORT = "export default"


def read_suite(path: Path) -> Sequence[dict[str, Any]]:
    """Returns the cases of a suite, in their order.

    A call such as `templates.fresh({…})` gives its argument: what the template adds to it is about
    how long an answer stays fresh, and the fetcher asks each time.
    """
    source = path.read_text(encoding="utf-8")
    literal = source[source.index(_EXPORT) + len(_EXPORT) :]
    cases = _Reader(literal).value()["tests"]
    return [dict(case) for case in cases]


class _Reader:
    """A recursive descent over the tokens of a literal."""

    def __init__(self, source: str) -> None:
        self._tokens = [token for token in _TOKEN.finditer(source) if token.lastgroup]
        self._next = 0

    def value(self) -> Any:
        kind, text = self._take()
        if kind == "string":
            return re.sub(r"\\(.)", r"\1", text[1:-1])
        if kind == "number":
            return int(text)
        if kind == "name":
            return self._argument() if self._peek() == "(" else _CONSTANTS[text]
        return self._object() if text == "{" else self._array()

    def _argument(self) -> Any:
        self._take()
        found = self.value()
        self._take()
        return found

    def _object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._peek() != "}":
            _, name = self._take()
            self._take()
            found[name] = self.value()
            self._skip_comma()
        self._take()
        return found

    def _array(self) -> list[Any]:
        found = []
        while self._peek() != "]":
            found.append(self.value())
            self._skip_comma()
        self._take()
        return found

    def _skip_comma(self) -> None:
        if self._peek() == ",":
            self._take()

    def _peek(self) -> str:
        return self._tokens[self._next].group()

    def _take(self) -> tuple[str, str]:
        token = self._tokens[self._next]
        self._next += 1
        return str(token.lastgroup), token.group()
