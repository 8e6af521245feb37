"""The tables of the SQLite chunk store, and the check that a file belongs to our embedder.

`passage` is narrow and `payload` wide, so that loading rows for a filter does not read texts.
`passage_change` names the rows that changed, in order: another process that holds rows in memory
reads from where it stopped. `mention_set` holds what a passage mentions, in order, for who reads
it; `mention` the same the other way round, for who looks for it. `analysis` holds the language of a
passage and its terms, which `passage_text` indexes; without a row it indexes the words as they are.
"""

import json
import sqlite3
from pathlib import Path

from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.common.contract.store_faults import StoreFault, os_fault, sqlite_fault
from scops.libraries.index.other_embedder import other_embedder

FORMAT = "1"
BUSY_TIMEOUT_SECONDS = 30.0
START_ANEW = "an empty SCOPS_DATA_DIR, and crawl the scopes again"
PROVISION_COMMAND = "scops provision"

TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS prefix_set (
    id INTEGER PRIMARY KEY,
    access_context TEXT NOT NULL,
    tokens TEXT NOT NULL,
    UNIQUE (access_context, tokens)
);
CREATE TABLE IF NOT EXISTS passage (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    object_id TEXT NOT NULL,
    history INTEGER NOT NULL,
    chunk_id TEXT NOT NULL,
    page_id TEXT NOT NULL,
    prefix_set INTEGER NOT NULL REFERENCES prefix_set (id),
    observed_from INTEGER,
    observed_to INTEGER,
    UNIQUE (object_id, history)
);
CREATE INDEX IF NOT EXISTS passage_page ON passage (page_id);
CREATE INDEX IF NOT EXISTS passage_history ON passage (history);
CREATE TABLE IF NOT EXISTS payload (
    id INTEGER PRIMARY KEY REFERENCES passage (id),
    header TEXT NOT NULL,
    text TEXT NOT NULL,
    embedding_key TEXT NOT NULL,
    vector BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS analysis (
    id INTEGER PRIMARY KEY REFERENCES passage (id),
    language TEXT NOT NULL,
    header TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS mention_set (
    id INTEGER PRIMARY KEY REFERENCES passage (id),
    extractor_id TEXT NOT NULL,
    keys TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS mention (
    key TEXT NOT NULL,
    id INTEGER NOT NULL REFERENCES passage (id),
    PRIMARY KEY (key, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS passage_change (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id INTEGER NOT NULL
);
CREATE VIRTUAL TABLE IF NOT EXISTS passage_text USING fts5 (
    header, text,
    content = 'payload', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE IF NOT EXISTS passage_term USING fts5vocab (passage_text, 'row');
"""


def provision(path: Path) -> None:
    """Creates the store's file and tables; a file that is there already is checked.

    Raises:
        PermanentError: the file has another format.
        StoreUnavailable: the folder or file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = connect(str(path))
    except (OSError, sqlite3.Error) as error:
        raise unavailable(str(path), error) from error
    try:
        _create(connection, str(path))
    finally:
        connection.close()


def open_file(path: Path) -> sqlite3.Connection:
    """Opens a provisioned file.

    Raises:
        StoreUnavailable: it is not there yet, or cannot be opened.
        PermanentError: it has another format.
    """
    if not path.exists():
        raise StoreUnavailable(
            f"The index {path} does not exist yet. Run `{PROVISION_COMMAND}` first.",
            reason="INDEX_NOT_PROVISIONED",
        )
    connection = connect(str(path))
    _check_format(connection, str(path))
    # A file of an earlier version lacks what was added since; what it holds stays as it is.
    connection.executescript(TABLES)
    return connection


def open_memory() -> sqlite3.Connection:
    """Opens an empty store in memory."""
    connection = connect(":memory:")
    _create(connection, ":memory:")
    return connection


def belongs(
    connection: sqlite3.Connection, name: str, *, embedder_id: str, dimensions: int
) -> bool:
    """Returns whether a file belongs to our embedder already; nobody's file is still to take.

    Raises:
        PermanentError: it belongs to another one.
    """
    found = dict(connection.execute("SELECT key, value FROM meta"))
    if "embedder_id" not in found:
        return False
    if (found["embedder_id"], found["dimensions"]) != (embedder_id, str(dimensions)):
        raise other_embedder(
            name,
            stored=found["embedder_id"],
            stored_dimensions=int(found["dimensions"]),
            configured=embedder_id,
            dimensions=dimensions,
        )
    return True


def take(connection: sqlite3.Connection, *, embedder_id: str, dimensions: int) -> None:
    """Makes a file our embedder's for good; runs in the transaction of the first insert."""
    for row in (("embedder_id", embedder_id), ("dimensions", str(dimensions))):
        connection.execute("INSERT INTO meta VALUES (?, ?)", row)


def encode_tokens(url_prefixes: tuple[str, ...]) -> str:
    """Returns prefix tokens as one text, in their order."""
    return json.dumps(url_prefixes, ensure_ascii=False)


def decode_tokens(text: str) -> tuple[str, ...]:
    """Returns the prefix tokens of a text."""
    return tuple(json.loads(text))


def unavailable(name: str, error: Exception) -> StoreUnavailable:
    """Returns the error for a file that SQLite cannot use now."""
    fault = sqlite_fault(error) if isinstance(error, sqlite3.Error) else os_fault(error)
    return StoreUnavailable(
        f"The index {name} did not answer: {error}. "
        "Check its folder, permissions and free space; the work is retried.",
        reason="INDEX_UNAVAILABLE",
        fault=fault or StoreFault.REFUSED,
    )


def _create(connection: sqlite3.Connection, name: str) -> None:
    try:
        connection.executescript(TABLES)
        connection.execute("INSERT OR IGNORE INTO meta VALUES ('format', ?)", (FORMAT,))
    except sqlite3.Error as error:
        raise unavailable(name, error) from error
    _check_format(connection, name)


def _check_format(connection: sqlite3.Connection, name: str) -> None:
    row = connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
    if row != (FORMAT,):
        raise PermanentError(
            f"The index {name} has format {row and row[0]}, this version reads {FORMAT}. "
            f"Start with {START_ANEW}.",
            reason="INDEX_FORMAT_MISMATCH",
        )


def connect(target: str) -> sqlite3.Connection:
    """Opens a file as every store does."""
    connection = sqlite3.connect(
        target, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA journal_mode = WAL")
    # A head may list a chunk only if the chunk survives a power loss as well.
    connection.execute("PRAGMA synchronous = FULL")
    # What is deleted is overwritten: a purged text must not stay in a free page.
    connection.execute("PRAGMA secure_delete = ON")
    return connection
