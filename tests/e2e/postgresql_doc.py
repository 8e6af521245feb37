"""The PostgreSQL 15 manual as Debian ships it: where it is, what we ask of it, what we edit."""

import os
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "postgresql-doc-15"
# The whole of /html/ has 1,170 pages; Part II and the first that it links to are 60 of them.
SEED = "/html/sql.html"
PAGE_LIMIT = 60
UNPACKED = Path(os.environ.get("SCOPS_CACHE_DIR") or Path.home() / ".cache" / "scops") / PACKAGE


def root() -> Path:
    """Returns the folder to serve, where `make setup-system` put it.

    Debian images that leave documentation out get it unpacked into the cache.
    """
    for folder in (Path("/usr/share/doc") / PACKAGE, UNPACKED / "usr/share/doc" / PACKAGE):
        if (folder / "html" / "sql.html").is_file():
            return folder
    raise FileNotFoundError(f"{PACKAGE} is not installed; run `make setup-system`")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and words of its answer that stand on one page."""

    text: str
    answer: str
    path: str


QUESTIONS = (
    Question(
        "How many columns can a table have at most?",
        "Depending on the column types, it is between 250 and 1600.",
        "/html/ddl-basics.html",
    ),
    Question(
        "What is the default value of a column if none is declared?",
        "If no default value is declared explicitly, the default value is the null value.",
        "/html/ddl-default.html",
    ),
    Question(
        "How many bytes does an enum value occupy on disk?",
        "An enum value occupies four bytes on disk.",
        "/html/datatype-enum.html",
    ),
    Question(
        "Why should ORDER BY be used together with LIMIT?",
        "When using LIMIT, it is important to use an ORDER BY clause that constrains the result "
        "rows into a unique order.",
        "/html/queries-limit.html",
    ),
    Question(
        "What is the maximum length of an identifier?",
        "the maximum identifier length is 63 bytes",
        "/html/sql-syntax-lexical.html",
    ),
    Question(
        "Which setting determines the fractional precision of the money type?",
        "The fractional precision is determined by the database's lc_monetary setting.",
        "/html/datatype-money.html",
    ),
    Question(
        "What is a domain?",
        "A domain is a user-defined data type that is based on another underlying type.",
        "/html/domains.html",
    ),
    Question(
        "Does UNION eliminate duplicate rows?",
        "it eliminates duplicate rows from its result, in the same way as DISTINCT, unless UNION "
        "ALL is used",
        "/html/queries-union.html",
    ),
    Question(
        "What does the pg_lsn data type store?",
        "The pg_lsn data type can be used to store LSN (Log Sequence Number) data",
        "/html/datatype-pg-lsn.html",
    ),
    Question(
        "How many bits does a UUID have?",
        "for a total of 32 digits representing the 128 bits",
        "/html/datatype-uuid.html",
    ),
)


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of one page."""

    path: str
    before: str
    after: str

    def apply(self, body: bytes) -> bytes:
        """Returns the page with the edit; it must fit exactly once."""
        assert 1 == body.decode().count(self.before)
        return body.decode().replace(self.before, self.after).encode()


NUMBER = Edit("/html/ddl-basics.html", "between 250 and 1600", "between 250 and 1664")
SENTENCE = Edit(
    "/html/domains.html",
    "</em> is a user-defined data type that is",
    "</em> is a data type of a user's own making that is",
)
OUTSIDE = Edit(
    "/html/datatype-uuid.html",
    '<div class="navfooter"><hr />',
    '<div class="navfooter"><p>This manual is kept by the printers of Basel.</p><hr />',
)
