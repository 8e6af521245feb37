"""The places of records that a columnar index names: Parquet with the columns of Common Crawl.

Source: github.com/commoncrawl/cc-index-table. Files are sorted by `url_surtkey`, so that of most
row groups their least and greatest key say that they hold no host of a scope.
"""

from collections.abc import Collection, Iterator
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from surt import surt

from scops.standalone.commands.warc.cdxj import PlacedRecord

URL, FILE, START, LENGTH = COLUMNS = (
    "url",
    "warc_filename",
    "warc_record_offset",
    "warc_record_length",
)
KEY = "url_surtkey"
ROWS_AT_ONCE = 10_000


def placed_by_parquet(file: IO[bytes], hosts: Collection[str]) -> Iterator[PlacedRecord]:
    """Yields the places of records whose URLs may be of some hosts, or of hosts below them.

    Row groups are read one at a time, and only those that may hold such a URL.

    Raises:
        OSError: it is no Parquet file, or has other columns.
    """
    try:
        parquet = pq.ParquetFile(file, pre_buffer=False)
    except pa.ArrowInvalid as error:
        raise OSError(f"is no Parquet file: {error}") from error
    missing = [name for name in COLUMNS if name not in parquet.schema_arrow.names]
    if missing:
        raise OSError(f"has no column {', '.join(missing)}: it names no places of records")
    keys = sorted({surt(f"http://{host}/").partition(")")[0] for host in hosts})
    names = [*COLUMNS, KEY] if KEY in parquet.schema_arrow.names else [*COLUMNS]
    groups = [
        number
        for number in range(parquet.num_row_groups)
        if _may_hold(parquet.metadata.row_group(number), keys)
    ]
    for number in groups:
        for batch in parquet.iter_batches(
            ROWS_AT_ONCE, row_groups=[number], columns=names, use_threads=False
        ):
            for row in _held(batch, keys).to_pylist():
                yield PlacedRecord(row[URL], row[FILE], row[START], row[LENGTH])


def _may_hold(group: Any, keys: list[str]) -> bool:
    """Returns whether a row group may have a key that begins with one of some."""
    for number in range(group.num_columns):
        column = group.column(number)
        if column.path_in_schema == KEY and column.is_stats_set and column.statistics.has_min_max:
            least, greatest = column.statistics.min, column.statistics.max
            return any(least[: len(key)] <= key <= greatest for key in keys)
    return True


def _held(batch: Any, keys: list[str]) -> Any:
    """Returns the rows that have a place, and a key that begins with one of some."""
    for name in COLUMNS:
        batch = batch.filter(pc.is_valid(batch[name]))
    if KEY not in batch.schema.names:
        return batch
    mask = pa.array([False] * batch.num_rows)
    for key in keys:
        mask = pc.or_kleene(mask, pc.starts_with(batch[KEY], key))
    return batch.filter(mask)
