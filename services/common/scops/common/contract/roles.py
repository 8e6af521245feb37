"""The roles, apart from the table that needs every message."""

from enum import StrEnum


class Role(StrEnum):
    """The parts that run as processes."""

    FETCHER = "fetcher"
    EXTRACTOR = "extractor"
    CHANGE_DETECTOR = "change-detector"
    INDEXER = "indexer"
    RETRIEVER = "retriever"
    EXPLAINER = "explainer"
    GATEWAY = "gateway"
